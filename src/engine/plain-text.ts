import { decodeHTML, decodeHTMLStrict } from 'entities';

/** Elements that begin and end a line of their own. */
const LINES: ReadonlySet<string> = new Set(
  `address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
  frameset h1 h2 h3 h4 h5 h6 header hgroup hr html isindex legend li listing main menu menuitem multicol nav noframes ol optgroup
  option p plaintext pre search section select summary table tbody tfoot thead tr ul xmp`.split(/\s+/),
);
const CELLS: ReadonlySet<string> = new Set(['td', 'th']);
/** Longest word that is searched for its `@`. */
const WORD_CHARS_MAX = 320;
/** Characters that people do not see: joiners, soft hyphens, variation selectors, direction marks. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The text that people see: Google's own form writes HTML into descriptions. Elements with lines of their own are separated by line breaks,
 * cells by tabs. Linear in its length, for any input of a stranger.
 */
export function plainText(html: string): string {
  const texts: string[] = [];
  let last = '';
  let gap = '';
  let tags = 0;
  for (const part of htmlParts(html)) {
    if ('tag' in part) {
      if (LINES.has(part.tag)) gap = '\n';
      else if (CELLS.has(part.tag)) gap ||= '\t';
      else if (part.tag === 'br') texts.push('\n');
      else if (part.tag !== 'wbr') tags += 1;
      if (part.tag === 'br') [last, gap, tags] = ['\n', '', 0];
      continue;
    }
    // Blanks between two elements only lay out the source.
    if (gap !== '' && part.text.trim() === '') continue;
    texts.push(gap === '' && tags > 0 ? seam(last, part.text, tags) : gap, part.text);
    last = (last + part.text.slice(-WORD_CHARS_MAX)).slice(-WORD_CHARS_MAX);
    [gap, tags] = ['', 0];
  }
  return texts.join('').replaceAll('\u00a0', ' ').trim();
}

/**
 * What stands for tags within a line. Two numbers in adjacent elements must not become one, and neither may be the whole: the bar makes
 * both unreadable. An e-mail address ends with its element.
 */
function seam(before: string, after: string, tags: number): string {
  const [left, right] = [visible(before), visible(after.slice(0, WORD_CHARS_MAX))];
  const [last = '', first = ''] = [[...left.slice(-2)].at(-1), [...right.slice(0, 2)][0]];
  const [ends, begins] = [/[\p{Nd})]/u.test(last), /[\p{Nd}+(]/u.test(first)];
  if (ends && begins) return '|';
  if ((ends && LETTER.test(first)) || (LETTER.test(last) && begins)) return '\t';
  const isOfAddress = [left.split(/\s/).at(-1), right.split(/\s/)[0]].some((word = '') =>
    word.includes('@', 1),
  );
  return tags > 1 && isOfAddress && LETTER.test(last) && LETTER.test(first) ? '\t' : '';
}

const LETTER = /\p{L}/u;

/** Without the characters that people do not see: one of them within a number or an address would end it. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, '');
}

/**
 * At most `charsMax` UTF-16 units without half characters, whether the cut would leave one or the text had one. Half characters cannot be
 * sent, and some JSON parsers refuse them.
 */
export function cutText(text: string, charsMax: number): string {
  const isHalf = text.length > charsMax && /[\uD800-\uDBFF]/.test(text.charAt(charsMax - 1));
  return text.slice(0, isHalf ? charsMax - 1 : charsMax).toWellFormed();
}

/** Text as HTML shows it. Quotation marks stay: it is for no attribute. */
export function escapedMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Cuts a long text at the end of a line or list item, because a hard cut may leave half of something. */
export function headOf(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const head = text.slice(0, charsMax);
  return head.slice(0, Math.max(0, ...['\n', ',', ';'].map((end) => head.lastIndexOf(end))));
}

const SAME: readonly (readonly [RegExp, string])[] = [
  [
    /[`\u00b4\u02b9\u02bb-\u02bd\u02c8\u055a\u05f3\u1fbd\u1fbf\u2018\u2019\u201b\u2032\u2035\ua78b\ua78c\uff07]/g,
    "'",
  ],
  [/[\u00ab\u00bb\u02ba\u201c-\u201f\u2033\u2036\u300c-\u300f\uff02]/g, '"'],
  [/[\p{Pd}\u02d7\u2043\u2212]/gu, '-'],
];

/**
 * Text for comparison: equal when it looks the same to people. Ignores case, what nobody sees, kinds of blanks, line breaks, apostrophes,
 * quotes and dashes, and how letters are encoded (Unicode, NFKC). Never shown, and never stored or hashed: it may change.
 */
export function foldedText(text: string): string {
  // Before as well: NFKC turns an accent that people take for an apostrophe into a blank.
  const plain = withOneKindOfEach(visible(text)).normalize('NFKC');
  // Both cases, because some letters have only one: `ß`, `ı`.
  const folded = visible(plain)
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .normalize('NFC');
  return withOneKindOfEach(folded)
    .replaceAll(/[\s\p{Cc}\u2800]+/gu, ' ')
    .trim();
}

function withOneKindOfEach(text: string): string {
  return SAME.reduce((said, [written, meant]) => said.replaceAll(written, meant), text);
}

/** The things whose name is written like this one; else those whose name looks like it. */
export function namedAlike<T>(things: Iterable<T>, name: string, nameOf: (thing: T) => string): readonly T[] {
  const wanted = foldedText(name);
  const spelled = name.trim().normalize('NFC');
  const alike: T[] = [];
  const exact: T[] = [];
  for (const thing of things) {
    const own = nameOf(thing);
    if (foldedText(own) !== wanted) continue;
    alike.push(thing);
    if (own.trim().normalize('NFC') === spelled) exact.push(thing);
  }
  return exact.length > 0 ? exact : alike;
}

// Splits HTML into its texts and tags. A search that found nothing is not repeated, so the work stays linear for any text of a stranger.

type HtmlPart =
  | { readonly text: string }
  /** In lower case, without its attributes; `!` for a comment. */
  | { readonly tag: string; readonly isClosing: boolean };

/** Elements of HTML, obsolete ones included. `<vera@clinic.example>` and `<tel:…>` are text. */
const ELEMENTS: ReadonlySet<string> = new Set(
  `a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button
  canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt em embed
  fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img
  input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter multicol nav
  nextid nobr noembed noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb
  rbc rp rt rtc ruby s samp script search section select selectedcontent shadow slot small source spacer span strike strong
  style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp`.split(
    /\s+/,
  ),
);
/** Elements of Word and Outlook: `o:p`, `st1:place`. */
const OFFICE = /^(?:o|v|w|x|st1):[a-z][a-z\d]*$/;
/** Their content is not shown. */
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'head', 'template', 'title']);
const NAME = /<(\/?)([a-z][a-z\d:]{0,19})(?=[\s/>])/iy;

/** Character references in text that is not HTML, such as a title: only those that end with a semicolon. */
export function decodeReferences(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text;
}

function htmlParts(html: string): readonly HtmlPart[] {
  return new Scan(html).run();
}

class Scan {
  readonly #html: string;
  readonly #parts: HtmlPart[] = [];
  /** Marks that do not occur in the rest of the text. */
  readonly #missing = new Set<string>();
  #hasQuotes = true;
  #textFrom = 0;

  constructor(html: string) {
    this.#html = html;
  }

  run(): readonly HtmlPart[] {
    const html = this.#html;
    for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) at = this.#pastTag(at) ?? at + 1;
    this.#leaveOut(html.length, html.length);
    return this.#parts;
  }

  /** Undefined if this bracket begins no tag. */
  #pastTag(at: number): number | undefined {
    const html = this.#html;
    if (/[!?]/.test(html.charAt(at + 1))) return this.#pastComment(at);
    NAME.lastIndex = at;
    const [opening = '', slash, written = ''] = NAME.exec(html) ?? [];
    const tag = written.toLowerCase();
    if (!ELEMENTS.has(tag) && !OFFICE.test(tag)) return undefined;
    const end = this.#leaveOut(at, this.#pastAttributes(at + opening.length));
    if (end === undefined) return undefined;
    const isClosing = slash === '/';
    this.#parts.push({ tag, isClosing });
    if (isClosing || !HIDDEN.has(tag)) return end;
    return this.#leaveOut(end, this.#next(`</${tag}`, end)) ?? end;
  }

  #pastComment(at: number): number | undefined {
    const end = this.#html.startsWith('<!--', at) ? this.#past('-->', at + 4) : this.#past('>', at + 2);
    const past = this.#leaveOut(at, end);
    if (past !== undefined) this.#parts.push({ tag: '!', isClosing: false });
    return past;
  }

  /** A bracket within quotes does not end the tag, unless a quote stays open. */
  #pastAttributes(from: number): number | undefined {
    const html = this.#html;
    for (let at = from; this.#hasQuotes && at < html.length; ) {
      const mark = html.charAt(at);
      if (mark === '>') return at + 1;
      const isQuote = (mark === '"' || mark === "'") && /[\s=]/.test(html.charAt(at - 1));
      at = (isQuote ? this.#past(mark, at + 1) : undefined) ?? at + 1;
    }
    this.#hasQuotes = false;
    return this.#past('>', from);
  }

  #past(mark: string, from: number): number | undefined {
    const at = this.#next(mark, from);
    return at === undefined ? undefined : at + mark.length;
  }

  #next(mark: string, from: number): number | undefined {
    if (this.#missing.has(mark)) return undefined;
    const search = new RegExp(mark, 'gi');
    search.lastIndex = from;
    const at = search.exec(this.#html)?.index;
    if (at === undefined) this.#missing.add(mark);
    return at;
  }

  /** Takes the text before, and goes on behind. */
  #leaveOut(from: number, to: number | undefined): number | undefined {
    if (to === undefined) return undefined;
    if (from > this.#textFrom) this.#parts.push({ text: decodeHTML(this.#html.slice(this.#textFrom, from)) });
    this.#textFrom = to;
    return to;
  }
}
