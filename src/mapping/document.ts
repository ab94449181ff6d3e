import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml';
import type { Advice, Path, ProblemList } from './problem.ts';

/** A place in the file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** How often aliases may repeat their anchors: a short file must not expand to gigabytes. */
const ALIASES_MAX = 100;

/**
 * The parsed YAML, with the place of every node. It finds places by path and can replace scalars. It remembers the text as written, because
 * nothing else may be shown.
 */
export class ConfigDocument {
  readonly text: string;
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();
  readonly #written = new Map<Scalar, string>();
  #aliased: ReadonlyMap<Alias, Node | undefined> | undefined;

  constructor(text: string) {
    this.text = text;
    // stringKeys: a header such as `2024` stays text. merge: mirrors share settings with `<<: *anchor`.
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      logLevel: 'error',
      merge: true,
      prettyErrors: false,
      stringKeys: true,
    });
  }

  /** Errors and warnings of the YAML parser, including unknown tags. */
  get faults(): readonly Pick<YAMLParseError, 'code' | 'message' | 'pos'>[] {
    return [...this.#document.errors, ...this.#document.warnings];
  }

  get root(): Node | null {
    return this.#document.contents;
  }

  get document(): Document.Parsed {
    return this.#document;
  }

  /** Returns plain data. Throws a ReferenceError when aliases expand beyond their limit. */
  toValue(): unknown {
    return this.#document.toJS({ maxAliasCount: ALIASES_MAX });
  }

  /** Resolves an alias to the last node before it that has its anchor. One walk serves all aliases; `Alias.resolve` walks for each. */
  aliased(alias: Alias): Node | undefined {
    this.#aliased ??= aliasesOf(this.#document);
    return this.#aliased.get(alias);
  }

  /** Replaces the value of a scalar. `writtenAt` still returns the text of the file. */
  fill(scalar: Scalar, value: string): void {
    this.#written.set(scalar, String(scalar.value));
    scalar.value = value;
  }

  /** The text of a scalar as the file has it, before variables are filled in. */
  writtenAt(path: Path): string | undefined {
    const { value, complete } = this.#find(path);
    if (!complete || !isScalar(value)) return undefined;
    return this.#written.get(value) ?? value.source ?? String(value.value);
  }

  /** True when a variable was filled into the scalar. Neither the value nor anything made from it may be shown. */
  isFilled(path: Path): boolean {
    const { value, complete } = this.#find(path);
    return complete && isScalar(value) && this.#written.has(value);
  }

  /**
   * The place of a scalar. For a group, a list or an empty value: the place of its key. For a missing path: the place of the nearest
   * parent.
   */
  placeOf(path: Path): Place {
    const { key, value, complete } = this.#find(path);
    const ownPlace = complete && isScalar(value) && value.value !== null;
    return this.placeAt((ownPlace ? value : key)?.range?.[0] ?? this.root?.range?.[0] ?? 0);
  }

  /**
   * The place of a character within the scalar's text, not counting outer blanks. It is exact for text on one line and for a literal block
   * (`|`); otherwise it is the place of the scalar.
   */
  placeWithin(path: Path, at: { readonly line: number; readonly column: number }): Place {
    const { value, complete } = this.#find(path);
    const start = complete && isScalar(value) ? value.range?.[0] : undefined;
    if (start === undefined || !isScalar(value) || this.#written.has(value)) return this.placeOf(path);
    const outer = /^\s*/.exec(String(value.value))?.[0].split('\n') ?? [];
    const inText = at.line - 1 + outer.length;
    const inLine = at.column + (at.line === 1 ? (outer.at(-1)?.length ?? 0) : 0);
    const text = String(value.value).split('\n')[inText - 1] ?? '';
    const { line, column } = this.placeAt(start);
    const isBlock = value.type === 'BLOCK_LITERAL';
    const isQuoted = value.type === 'QUOTE_DOUBLE' || value.type === 'QUOTE_SINGLE';
    const lineAt = isBlock ? line + inText : line;
    const written = this.text.split('\n')[lineAt - 1] ?? '';
    const before = isBlock ? blanksOf(written) - blanksOf(text) : column - 1 + Number(isQuoted);
    // Escapes, folded lines and the like: the file does not contain the text literally.
    const isAsWritten = (isBlock || inText === 1) && written.slice(Math.max(before, 0)).startsWith(text);
    return isAsWritten ? { line: lineAt, column: before + inLine } : this.placeOf(path);
  }

  placeOfKey(path: Path): Place {
    return this.placeAt(this.#find(path).key?.range?.[0] ?? this.root?.range?.[0] ?? 0);
  }

  placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** The innermost setting at this offset. */
  pathAt(offset: number): Path {
    const path: (string | number)[] = [];
    let node: unknown = this.root;
    for (;;) {
      const step = childAt(node, offset);
      if (step === undefined) return path;
      path.push(step.key);
      node = step.value;
    }
  }

  /** True for a name without a value, as `sk_live` below `api_key:` is. */
  isBare(path: Path): boolean {
    const { key, value } = this.#find(path);
    return key !== undefined && (!isNode(value) || (isScalar(value) && value.value === null));
  }

  /** Keys in the order of the file: a plain object would move keys that look like numbers to the front. */
  keysAt(path: Path): readonly string[] {
    const { value, complete } = this.#find(path);
    return complete ? [...new Set(this.#keysOf(value))] : [];
  }

  isList(path: Path): boolean {
    const { value, complete } = this.#find(path);
    return complete && isSeq(value);
  }

  #keysOf(node: unknown): string[] {
    if (isSeq(node)) return node.items.flatMap((item) => this.#keysOf(this.#follow(item)));
    if (!isMap(node)) return [];
    return node.items.flatMap((pair) =>
      isMerge(pair) ? this.#keysOf(this.#follow(pair.value)) : [keyText(pair)],
    );
  }

  #find(path: Path): { key: Node | undefined; value: unknown; complete: boolean } {
    let key: Node | undefined;
    let value: unknown = this.root;
    for (const step of path) {
      const next = this.#step(value, step);
      if (next === undefined) return { key, value, complete: false };
      key = next.key;
      value = this.#follow(next.value);
    }
    return { key, value, complete: true };
  }

  #step(node: unknown, step: string | number): { key: Node | undefined; value: unknown } | undefined {
    if (isSeq(node)) {
      const item = node.items[Number(step)];
      return isNode(item) ? { key: item, value: item } : undefined;
    }
    const pair = isMap(node) ? this.#pairOf(node, String(step)) : undefined;
    return pair && { key: isNode(pair.key) ? pair.key : undefined, value: pair.value };
  }

  #pairOf(map: YAMLMap, key: string): Pair | undefined {
    // The data takes the last of two equal keys.
    const own = map.items.findLast((pair) => keyText(pair) === key && !isMerge(pair));
    if (own) return own;
    for (const pair of map.items.filter(isMerge)) {
      const source = this.#follow(pair.value);
      for (const part of isSeq(source) ? source.items : [source]) {
        const merged = this.#follow(part);
        const found = isMap(merged) && merged !== map ? this.#pairOf(merged, key) : undefined;
        if (found) return found;
      }
    }
    return undefined;
  }

  #follow(node: unknown): unknown {
    return isAlias(node) ? this.aliased(node) : node;
  }
}

function blanksOf(line: string): number {
  return line.length - line.trimStart().length;
}

export function keyText(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

function isMerge(pair: Pair): boolean {
  return keyText(pair) === '<<';
}

function childAt(node: unknown, offset: number): { key: string | number; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => coversPair(item, offset));
    // A group used as a key is a template without quotes. The problem belongs to the setting around it.
    if (pair === undefined || !isScalar(pair.key)) return undefined;
    return { key: keyText(pair), value: covers(pair.value, offset) ? pair.value : undefined };
  }
  if (isSeq(node)) {
    const index = node.items.findIndex((item) => covers(item, offset));
    return index === -1 ? undefined : { key: index, value: node.items[index] };
  }
  return undefined;
}

/** Text between a key and its value, such as a tag, belongs to the pair and to neither node. */
function coversPair(pair: Pair, offset: number): boolean {
  const start = isNode(pair.key) ? pair.key.range?.[0] : undefined;
  const end =
    (isNode(pair.value) ? pair.value.range?.[1] : undefined) ??
    (isNode(pair.key) ? pair.key.range?.[1] : undefined);
  return start !== undefined && end !== undefined && start <= offset && offset < end;
}

function covers(node: unknown, offset: number): boolean {
  const range = isNode(node) ? node.range : undefined;
  return range ? range[0] <= offset && offset < range[1] : false;
}

function aliasesOf(document: Document.Parsed): Map<Alias, Node | undefined> {
  const anchored = new Map<string, Node>();
  const aliased = new Map<Alias, Node | undefined>();
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) aliased.set(node, anchored.get(node.source));
      else if (node.anchor) anchored.set(node.anchor, node);
    },
  });
  return aliased;
}

/** YAML errors that leave the rest of the tree intact. */
const HARMLESS = new Set(['NON_STRING_KEY', 'TAG_RESOLVE_FAILED']);

const VALUES_READ_AS_NAMES = new Set(['BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY']);

/** How many faults are examined: locating each costs a walk through the tree, and nobody fixes more in one go. */
const FAULTS_MAX = 100;
/** Longest text of a YAML that is read, in characters. */
export const TEXT_LENGTH_MAX = 2_000_000;
/** How deeply groups may nest: without a limit, the parser needs quadratic time or all of the memory. */
const DEPTH_MAX = 500;
/** How many lists may begin on one line, as in `- - - x`. */
const LISTS_PER_LINE_MAX = 100;

/** True for a text that must not reach the parser. Ignores quotes: no real file has that many open brackets. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let lists = 0;
  let isLineStart = true;
  for (const character of text) {
    if (character === '\n') {
      isLineStart = true;
      lists = 0;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    else if (isLineStart && '-?:'.includes(character)) lists += 1;
    if (depth > DEPTH_MAX || lists > LISTS_PER_LINE_MAX) return true;
    if (!' \n-?:'.includes(character)) isLineStart = false;
  }
  return false;
}

/** Reports the parser's errors. Returns false when the rest of the file is no longer reliable. */
export function reportSyntax(document: ConfigDocument, problems: ProblemList): boolean {
  const stumbled = new Set<number>();
  let trusted = true;
  const faults = document.faults.toSorted((a, b) => a.pos[0] - b.pos[0]);
  for (const fault of faults.slice(0, FAULTS_MAX)) {
    const { path, place } = locate(document, fault);
    if (fault.code === 'DUPLICATE_KEY') {
      problems.add(path, place, { what: 'is written twice in the same group', fix: 'keep one of the two' });
      continue;
    }
    // One mistake makes the parser fail several times in its line, and sometimes in every line after it. Only the first report is useful.
    // An unquoted template affects its own line only.
    const isFollowUp = stumbled.has(place.line) || (!trusted && fault.code === 'UNEXPECTED_TOKEN');
    if (!isFollowUp) problems.add(path, place, advise(document, fault, place.line));
    if (!HARMLESS.has(fault.code) && !(isFollowUp && fault.code === 'UNEXPECTED_TOKEN')) trusted = false;
    stumbled.add(place.line);
  }
  return faults.length <= FAULTS_MAX && reportTraps(document, problems) && trusted;
}

/** The parser reports an unclosed quote at the end of the file; people need to know where it begins. */
function locate(
  document: ConfigDocument,
  fault: { readonly code: string; readonly pos: readonly [number, number] },
) {
  const [offset] = fault.pos;
  const isWithin = fault.code !== 'MISSING_CHAR' || offset < document.text.length;
  const path = document.pathAt(isWithin ? offset : offset - 1);
  // The parser may have read a value as a name. The path would print it, and it may be an API key.
  if (VALUES_READ_AS_NAMES.has(fault.code) || (fault.code === 'MISSING_CHAR' && document.isBare(path))) {
    return { path: path.slice(0, -1), place: document.placeAt(Math.min(offset, document.text.length - 1)) };
  }
  if (isWithin) return { path, place: document.placeAt(offset) };
  return { path, place: document.placeOf(path) };
}

/** Reports correct YAML that cannot be read: aliases without an anchor, and the name `__proto__`, which JavaScript reserves. */
function reportTraps(document: ConfigDocument, problems: ProblemList): boolean {
  let found = true;
  let unresolved = 0;
  visit(document.document, {
    Alias: (_, node) => {
      if (document.aliased(node) !== undefined) return undefined;
      unresolved += 1;
      if (unresolved > FAULTS_MAX) return visit.BREAK;
      found = false;
      const offset = node.range?.[0] ?? 0;
      problems.add(document.pathAt(offset), document.placeAt(offset), {
        what: 'this alias refers to an anchor that is not above it',
        fix: 'write & and its name where it is defined, or put the text in quotes if it only begins with a *',
      });
      return undefined;
    },
    Scalar: (role, node) => {
      if (role !== 'key' || node.value !== '__proto__') return;
      found = false;
      const offset = node.range?.[0] ?? 0;
      problems.add(document.pathAt(offset), document.placeAt(offset), {
        what: 'is a name that cannot be used',
        fix: 'choose another one',
      });
    },
  });
  return found;
}

function advise(
  document: ConfigDocument,
  fault: { readonly code: string; readonly message: string },
  line: number,
): Advice {
  if (fault.code === 'MULTIPLE_DOCS') {
    return {
      what: 'a second document begins here',
      fix: 'keep one: remove the line --- and what follows it',
    };
  }
  const text = document.text.split(/\r?\n/)[line - 1] ?? '';
  if (/[:[,-]\s*\{\{/.test(text)) {
    return {
      what: 'a template stands without quotes, and YAML reads its braces as a group',
      fix: 'put quotes around the whole of it: "{{ name }}"',
    };
  }
  if (/^[^{[]*[{[].*[\s,[]\$\{/.test(text)) {
    return {
      what: 'a variable stands without quotes inside { } or [ ], and YAML reads its braces as a group',
      fix: `put quotes around it: "\${NAME}"`,
    };
  }
  if (fault.code === 'TAB_AS_INDENT') {
    return { what: 'the line is indented with a tab', fix: 'indent with spaces: YAML allows no tabs there' };
  }
  return adviceOn(fault.code);
}

/** Uses its own wording: the parser's messages quote the line, which may contain an API key. */
function adviceOn(code: string): Advice {
  switch (code) {
    case 'MISSING_CHAR':
      return {
        what: 'YAML misses a closing quote or bracket, or a colon',
        fix: 'close the quote or the bracket that was opened before this place, or write ": " after the name',
      };
    case 'BAD_SCALAR_START':
      return {
        what: 'YAML does not allow a text to begin with this character',
        fix: 'put quotes around the text',
      };
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return {
        what: 'YAML cannot tell to which setting this line belongs',
        fix: 'check the indentation of this line and the one above; a text with ": " in it needs quotes',
      };
    case 'TAG_RESOLVE_FAILED':
      return { what: 'YAML does not know this tag', fix: 'remove the tag, the word that begins with !' };
    case 'BAD_DQ_ESCAPE':
      return {
        what: 'YAML does not know this escape inside double quotes',
        fix: 'write \\\\ for a backslash, or use single quotes',
      };
    default:
      return {
        what: 'YAML cannot be read here',
        fix: 'check quotes, brackets and indentation around this place',
      };
  }
}
