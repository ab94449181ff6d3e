// Field masks: `fields=items(id,summary),nextPageToken` on answers, `fields: "userEnteredFormat.numberFormat"` in
// requests. The dotted, the slashed and the bracketed form give the same tree.
import type { Shape } from './shape.ts';

export interface Mask {
  /** `*`: everything below. */
  all: boolean;
  children: Map<string, Mask>;
}

/** Parses a mask; undefined when it is malformed. */
export function parseMask(text: string): Mask | undefined {
  const reader = { text, at: 0 };
  const mask = readList(reader);
  return mask === undefined || reader.at !== text.length ? undefined : mask;
}

/** Whether the mask selects anything at or below this path. */
export function touches(mask: Mask, path: readonly string[]): boolean {
  let at: Mask | undefined = mask;
  for (const name of path) {
    if (isWhole(at)) return true;
    at = at.children.get(name) ?? at.children.get('*');
    if (at === undefined) return false;
  }
  return true;
}

/** A mask without children selects everything below it. */
export function isWhole(mask: Mask): boolean {
  return mask.all || mask.children.size === 0;
}

/** The first name of the mask that the shape does not have, if any. */
export function unknownName(mask: Mask, shape: Shape): string | undefined {
  if (shape.is === 'list') return unknownName(mask, shape.of);
  if (shape.is !== 'object') return undefined;
  for (const [name, below] of mask.children) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    const unknown = field === undefined ? name : unknownName(below, field);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

/** The part of an answer that the mask selects. */
export function select(mask: Mask, value: unknown): unknown {
  if (isWhole(mask)) return value;
  if (Array.isArray(value)) return value.map((item) => select(mask, item));
  if (typeof value !== 'object' || value === null) return value;
  const picked: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const child = mask.children.get(name);
    if (child !== undefined) picked[name] = select(child, item);
  }
  return picked;
}

interface Reader {
  text: string;
  at: number;
}

function readList(reader: Reader): Mask | undefined {
  const mask: Mask = { all: false, children: new Map() };
  for (;;) {
    if (!readPath(reader, mask)) return undefined;
    if (reader.text[reader.at] !== ',') return mask;
    reader.at += 1;
  }
}

function readPath(reader: Reader, into: Mask): boolean {
  const name = /^\s*([\w*]+)\s*/.exec(reader.text.slice(reader.at));
  if (name === null) return false;
  reader.at += name[0].length;
  if (name[1] === '*') {
    into.all = true;
    return true;
  }
  const known = into.children.get(name[1] ?? '');
  const child: Mask = known ?? { all: false, children: new Map() };
  // A name that appears once as a whole and once in part counts as a whole.
  const wasWhole = known !== undefined && isWhole(known);
  into.children.set(name[1] ?? '', child);
  const next = reader.text[reader.at];
  if (next === '.' || next === '/') {
    reader.at += 1;
    if (!readPath(reader, child)) return false;
    if (wasWhole) child.all = true;
    return true;
  }
  if (next === '(') {
    reader.at += 1;
    const inner = readList(reader);
    if (inner === undefined || reader.text[reader.at] !== ')') return false;
    reader.at += 1;
    for (const [key, mask] of inner.children) child.children.set(key, mask);
    if (inner.all || wasWhole) child.all = true;
    return true;
  }
  child.all = true;
  return true;
}
