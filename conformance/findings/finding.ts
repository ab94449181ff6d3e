/** Something that the platform's document does not show, and what a look at the server says about it. Never personal data. */
export interface Finding {
  readonly about: string;
  readonly learned: string;
}

/** Values seen, as a line: sorted, each once. */
export function seen(values: Iterable<unknown>): string {
  const texts = [...new Set([...values].map((value) => (value === null ? 'null' : String(value))))].sort();
  return texts.length === 0 ? 'none seen' : texts.join(', ');
}
