/** In the memory: up to which moment all calendars of an entry have been read, epoch milliseconds as text. */
export function blocksRead(rule: string): string {
  return `blocks-read ${rule}`;
}
