/** Name in the memory of the moment up to which all calendars of an entry have been read. The value is epoch milliseconds as text. */
export function blocksRead(rule: string): string {
  return `blocks-read ${rule}`;
}
