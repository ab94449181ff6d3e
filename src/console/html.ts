// Markup that escapes everything put into it, so that no text from elsewhere becomes an element, an attribute or a script.

/** Text that is already markup. Only `html` makes it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template accepts: it escapes texts and numbers, joins lists, and omits `undefined` and `false`. */
export type Piece = Markup | string | number | undefined | false | readonly Piece[];

/** A template of markup. Attributes need their quotes: `html`<a href="${address}">`. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(parts.map((part, at) => part + written(pieces[at])).join(''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that move the cursor or reverse the text: a name must not look like another one. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function written(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.toString();
  if (typeof piece === 'object') return piece.map(written).join('');
  return String(piece)
    .replace(INVISIBLE, ' ')
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
