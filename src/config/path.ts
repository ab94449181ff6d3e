/** Where a setting stands: keys of maps and indexes of lists, from the root of the file. */
export type Path = readonly (string | number)[];

/** `mirrors.contacts.columns."First name"`, `platform.webhook.secrets[0]`; empty for the root. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join('');
}

function formatStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  const dot = index === 0 ? '' : '.';
  // A header or a resource name may hold dots and spaces: quoted, the path still reads one way only.
  return /^[\p{L}\p{N}_-]+$/u.test(step) ? dot + step : dot + JSON.stringify(withoutValue(step));
}

/** `api_key:sk_…`, without a space behind the colon, is one long name to YAML: what stands there may be a key. */
function withoutValue(step: string): string {
  const colon = step.indexOf(':');
  return colon < 0 || colon === step.length - 1 ? step : `${step.slice(0, colon + 1)}…`;
}
