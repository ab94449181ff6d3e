/** The text that people see: Google's own form writes HTML into descriptions. Linear in its length, for any input of a stranger. */
export function plainText(html: string): string {
  return withoutTags(html.replaceAll(/<br\s*\/?>|<\/(?:p|div|li)>/gi, '\n'))
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim();
}

function withoutTags(html: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', from)) {
    const end = html.indexOf('>', at);
    // No bracket closes from here on: the rest is text.
    if (end < 0) break;
    parts.push(html.slice(from, at));
    from = end + 1;
  }
  return parts.join('') + html.slice(from);
}

/**
 * At most `charsMax` UTF-16 units without half characters, whether the cut would leave one or the text had one. Half characters cannot be
 * sent, and some JSON parsers refuse them.
 */
export function cutText(text: string, charsMax: number): string {
  const isHalf = text.length > charsMax && /[\uD800-\uDBFF]/.test(text.charAt(charsMax - 1));
  return wellFormed(text.slice(0, isHalf ? charsMax - 1 : charsMax));
}

/** Replaces half characters. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** Cuts a long text at the end of a line or list item, because a hard cut may leave half of something. */
export function headOf(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const head = text.slice(0, charsMax);
  return head.slice(0, Math.max(0, ...['\n', ',', ';'].map((end) => head.lastIndexOf(end))));
}

/** A name for comparison: ignores case, extra blanks and how accents are encoded. */
export function foldedText(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
