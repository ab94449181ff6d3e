// A1 notation: parses what callers write, and writes ranges as Google echoes them.
import { invalidArgument } from '../refusal.ts';

/** Zero-based and half open. A missing bound is unbounded, as in the API's GridRange. */
export interface Area {
  rowStart: number;
  rowEnd: number | undefined;
  columnStart: number;
  columnEnd: number | undefined;
  /** A single cell (`B2`): for writes it is only the origin, not a bound. */
  isCell: boolean;
}

/** An area with its bounds filled in from the grid. */
export interface Box {
  rowStart: number;
  rowEnd: number;
  columnStart: number;
  columnEnd: number;
}

export interface ParsedRange {
  /** Undefined: the first sheet. */
  title: string | undefined;
  /** Undefined: the whole sheet. */
  area: Area | undefined;
}

const columnsMax = 18_278;

/**
 * Parses `Sheet1!A1:B2`, `'My tab'!A:C`, `A1`, `3:5`, `Sheet1` and R1C1. `isTitle` decides whether a bare word is a
 * tab.
 */
export function parseA1(text: string, isTitle: (title: string) => boolean): ParsedRange {
  const quoted = /^'((?:[^']|'')*)'(?:!(.*))?$/s.exec(text);
  const plain = /^([^'!][^!]*)!(.*)$/s.exec(text);
  if (quoted !== null || plain !== null) {
    const title = (quoted === null ? plain?.[1] : quoted[1]?.replaceAll("''", "'")) ?? '';
    const rest = quoted === null ? plain?.[2] : quoted[2];
    if (!isTitle(title)) throw unparsable(text);
    if (rest === undefined) return { title, area: undefined };
    return { title, area: parseArea(rest) ?? fail(text) };
  }
  const area = parseArea(text);
  if (area !== undefined) return { title: undefined, area };
  if (isTitle(text)) return { title: text, area: undefined };
  throw unparsable(text);
}

export function unparsable(text: string) {
  return invalidArgument(`Unable to parse range: ${text}`);
}

/** `Sheet1!A1:C3`. A single cell has no colon; a title is quoted unless it is plain. */
export function showRange(title: string, box: Box): string {
  const first = `${columnName(box.columnStart)}${box.rowStart + 1}`;
  const last = `${columnName(box.columnEnd - 1)}${box.rowEnd}`;
  return `${showTitle(title)}!${first === last ? first : `${first}:${last}`}`;
}

export function showTitle(title: string): string {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(title) && parseArea(title) === undefined;
  return isPlain ? title : `'${title.replaceAll("'", "''")}'`;
}

/** 0 is A, 25 is Z, 26 is AA. */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

interface Corner {
  row: number | undefined;
  column: number | undefined;
}

function parseArea(text: string): Area | undefined {
  const [from = '', to, ...more] = text.split(':');
  if (more.length > 0) return undefined;
  const first = parseCorner(from);
  if (first === undefined) return undefined;
  if (to === undefined) {
    if (first.row === undefined || first.column === undefined) return undefined;
    return {
      rowStart: first.row,
      rowEnd: first.row + 1,
      columnStart: first.column,
      columnEnd: first.column + 1,
      isCell: true,
    };
  }
  const last = parseCorner(to);
  if (last === undefined) return undefined;
  return between(first, last);
}

function between(first: Corner, last: Corner): Area {
  const rows = [first.row, last.row].filter((row) => row !== undefined).sort((a, b) => a - b);
  const columns = [first.column, last.column].filter((column) => column !== undefined).sort((a, b) => a - b);
  return {
    rowStart: rows[0] ?? 0,
    // `A5:A` starts in row 5 and has no end.
    rowEnd: last.row === undefined || first.row === undefined ? undefined : (rows[1] ?? 0) + 1,
    columnStart: columns[0] ?? 0,
    columnEnd: last.column === undefined || first.column === undefined ? undefined : (columns[1] ?? 0) + 1,
    isCell: false,
  };
}

function parseCorner(text: string): Corner | undefined {
  const a1 = /^\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,7})?$/.exec(text);
  if (a1 !== null && text !== '' && text !== '$') {
    const column = a1[1] === undefined ? undefined : columnIndex(a1[1]);
    if (column !== undefined && column >= columnsMax) return undefined;
    return { column, row: a1[2] === undefined ? undefined : Number(a1[2]) - 1 };
  }
  const r1c1 = /^R([1-9]\d{0,7})C([1-9]\d{0,4})$/i.exec(text);
  return r1c1 === null ? undefined : { row: Number(r1c1[1]) - 1, column: Number(r1c1[2]) - 1 };
}

function columnIndex(name: string): number {
  return [...name.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function fail(text: string): never {
  throw unparsable(text);
}
