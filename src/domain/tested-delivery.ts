/** What the worker made of a test delivery that one of its secrets has signed, whichever scheme it is set to. */
export interface TestedDelivery {
  readonly eventId: string;
  readonly atMs: number;
  /** As the YAML says. */
  readonly configured: string;
  /** Scheme to verdict: `valid`, `wrong`, `missing`, `malformed` or `too-old`; one of them is `valid` or `too-old`. */
  readonly verdicts: Readonly<Record<string, string>>;
}
