/** Result of one check of a live side. */
export interface LiveFinding {
  readonly side: 'redis' | 'platform' | 'google';
  /** `API key`, `resource Anna`, `calendar anna@clinic.example`, `tab Contacts of 1AbC`, … */
  readonly subject: string;
  /** `unknown`: the check could not run now. The worker can work only if every verdict is `ok` or `notice`. */
  readonly verdict: 'ok' | 'notice' | 'broken' | 'unknown';
  readonly detail: string;
  readonly advice?: string;
}

export interface LiveReport {
  /** Everything that the mapping needs is there. */
  readonly ok: boolean;
  /** The worker's identity at Google; for the operator's terminal, never for a log. */
  readonly account: string;
  readonly findings: readonly LiveFinding[];
}
