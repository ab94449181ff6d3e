// Markup that escapes whatever is put into it, so that no foreign text becomes an element, an attribute or a script.

/** Text that is markup already. Made by `html` alone. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a place of a template: texts and numbers are escaped, lists are joined, `undefined` and `false` are left out. */
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

/** Moves the cursor, or turns the direction of text around: a name must not look like another one. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function written(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.toString();
  if (typeof piece === 'object') return piece.map(written).join('');
  return String(piece)
    .replace(INVISIBLE, ' ')
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
