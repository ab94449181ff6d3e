/** One thing that was asked of the live sides. */
export interface LiveFinding {
  readonly side: 'platform' | 'google';
  /** `API key`, `resource Anna`, `calendar anna@clinic.example`, `tab Contacts of 1AbC`, … */
  readonly subject: string;
  /** `unknown`: it could not be asked now. Only `ok` and `notice` let the worker work. */
  readonly verdict: 'ok' | 'notice' | 'broken' | 'unknown';
  readonly detail: string;
  readonly advice?: string;
}

export interface LiveReport {
  /** Everything that the mapping needs is there. */
  readonly ok: boolean;
  /** Who the worker is for Google; for the operator's terminal, never for a log. */
  readonly account: string;
  readonly findings: readonly LiveFinding[];
}
