/** Which server the suite tests: a separate sandbox for each test, or the server named on the command line. */
export const SERVER_VARIABLES = {
  baseUrl: 'CONFORMANCE_BASE_URL',
  key: 'CONFORMANCE_KEY',
  readOnly: 'CONFORMANCE_READ_ONLY',
  hookUrl: 'CONFORMANCE_HOOK_URL',
} as const;

/** A server outside our control: one key, no access to its dashboard, and real people's data. */
export interface ForeignServer {
  /** With the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
  /** Only GETs may be sent. */
  readonly isReadOnly: boolean;
  /** The URL of endpoints that tests create. The default host never resolves. */
  readonly hookUrl: string;
}

const UNRESOLVABLE_HOOK_URL = 'https://hooks.conformance.invalid/events';

/** Undefined: the suite starts its own sandboxes. */
export function foreignServer(variables: NodeJS.ProcessEnv = process.env): ForeignServer | undefined {
  const baseUrl = variables[SERVER_VARIABLES.baseUrl];
  const key = variables[SERVER_VARIABLES.key];
  if (baseUrl === undefined || key === undefined) return undefined;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key,
    isReadOnly: variables[SERVER_VARIABLES.readOnly] === '1',
    hookUrl: variables[SERVER_VARIABLES.hookUrl] ?? UNRESOLVABLE_HOOK_URL,
  };
}
