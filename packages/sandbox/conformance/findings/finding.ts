/**
 * Something that the platform's document does not specify, and what the server shows about it. Never contains personal data.
 */
export interface Finding {
  readonly about: string;
  readonly learned: string;
}

/** The distinct values that were seen, sorted, as one line. */
export function seen(values: Iterable<unknown>): string {
  const texts = [...new Set([...values].map((value) => (value === null ? 'null' : String(value))))].sort();
  return texts.length === 0 ? 'none seen' : texts.join(', ');
}
