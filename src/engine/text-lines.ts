/** What Unicode calls a line break. Readers of text split lines at any of them. */
const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** The same lines, with a line feed as the only kind of break. */
export function withLineFeeds(text: string): string {
  return text.replace(LINE_BREAKS, '\n');
}

/** One line: each line break and each control character becomes a space. */
export function unbroken(text: string): string {
  return text.replace(/\r\n/g, ' ').replace(CONTROLS, ' ');
}
