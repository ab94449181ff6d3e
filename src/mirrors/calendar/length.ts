/** Invisible characters that Google drops or refuses, and lone surrogates. Line breaks and tabs are text. */
const CONTROLS = /[^\P{Cc}\n\t]|\p{Cs}/gu;

export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}

/** Without line breaks, for fields that are one line in every calendar. */
export function oneLine(text: string): string {
  return withoutControls(text).replace(/\s+/g, ' ').trim();
}

/** Cuts by characters, not by UTF-16 code units, because half an emoji is not text. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length >= charsMax) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The same for HTML. Leaves neither half a tag nor half an entity. */
export function cutMarkup(html: string, charsMax: number): string {
  if (html.length <= charsMax) return html;
  return `${cut(html, charsMax).replace(/(<[^<>]*|&[a-z0-9#]*)?…$/i, '')}…`;
}
