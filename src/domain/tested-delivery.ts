/** What the worker made of a test delivery, whichever scheme it is set to. Nothing of the delivery was trusted for it. */
export interface TestedDelivery {
  readonly eventId: string;
  readonly atMs: number;
  /** As the YAML says. */
  readonly configured: string;
  /** Scheme to verdict: `valid`, `wrong`, `missing`, `malformed`, `too-old`, or `no-secret`. */
  readonly verdicts: Readonly<Record<string, string>>;
}
