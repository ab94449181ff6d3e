/** What a node of several did instead of answering, as the end of a sentence about it. Never its own words. */
export function nodeFailure(error: Error & { readonly code?: unknown }): string {
  const code = typeof error.code === 'string' ? error.code : '';
  if (code === 'ECONNREFUSED') return 'refuses connections';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `has an unknown host name (${code})`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `has no route (${code})`;
  if (/NOAUTH|WRONGPASS|NOPERM/.test(error.message)) return 'refuses the login';
  if (/LOADING/.test(error.message)) return 'is loading its file';
  if (code === 'ETIMEDOUT' || /timed? ?out/i.test(error.message)) return 'is silent';
  return code === '' ? 'gives no connection' : `failed (${code})`;
}
