/** How the worker judged a test delivery signed with one of its secrets, under any scheme. */
export interface TestedDelivery {
  readonly eventId: string;
  readonly atMs: number;
  /** The scheme in the YAML. */
  readonly configured: string;
  /** Scheme to verdict: `valid`, `wrong`, `missing`, `malformed` or `too-old`; one of them is `valid` or `too-old`. */
  readonly verdicts: Readonly<Record<string, string>>;
}
