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
import type { Path } from './path.ts';

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

  /** The place of the last key of the path. */
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

function keyText(pair: Pair): string {
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
