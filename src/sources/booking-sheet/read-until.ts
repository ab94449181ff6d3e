/** In the memory: up to which moment the rows of an entry have been read, epoch milliseconds as text. */
export function intakeRead(entry: string): string {
  return `intake-read ${entry}`;
}
