/** Which server the suite asks: a sandbox of its own for each test, or one that was named on the command line. */
export const SERVER_VARIABLES = {
  baseUrl: 'CONFORMANCE_BASE_URL',
  key: 'CONFORMANCE_KEY',
  readOnly: 'CONFORMANCE_READ_ONLY',
  hookUrl: 'CONFORMANCE_HOOK_URL',
} as const;

/** A server that is not ours: one key, no hand on its dashboard, and people's data in it. */
export interface ForeignServer {
  /** With the version segment, without a slash at the end. */
  readonly baseUrl: string;
  readonly key: string;
  /** Only GETs may be sent. */
  readonly isReadOnly: boolean;
  /** Where endpoints that the tests create point to. The default is a name that never resolves. */
  readonly hookUrl: string;
}

const UNRESOLVABLE_HOOK_URL = 'https://hooks.conformance.invalid/events';

/** Undefined: the suite starts sandboxes of its own. */
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
