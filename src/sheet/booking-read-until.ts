/** Name in the memory of the moment up to which an entry's rows have been read; epoch milliseconds as text. */
export function intakeRead(entry: string): string {
  return `intake-read ${entry}`;
}
