// Content lines of iCalendar (RFC 5545, 3.1) as somebody wrote them. A change replaces the lines that it names; all others keep their bytes,
// with their folding. ical.js writes every line anew, and would drop what it does not understand.

/** One line, unfolded. */
export interface ContentLine {
  /** In upper case. */
  readonly name: string;
  /** Between the name and the value, with the first `;`. */
  readonly params: string;
  readonly value: string;
  /** As written, with its folds and without its last line break. */
  readonly raw: string;
}

export interface Component {
  /** In upper case. */
  readonly name: string;
  readonly items: readonly (ContentLine | Component)[];
}

/** Most lines of one object, and most components inside one another: more is no event of a person. */
const LINES_MAX = 50_000;
const DEPTH_MAX = 6;
/** Octets of a line (RFC 5545, 3.1). */
const FOLDED_AT = 75;
const UTF8 = new TextEncoder();

export function isComponent(item: ContentLine | Component): item is Component {
  return 'items' in item;
}

/** Undefined for text that is not one whole calendar. */
export function parseObject(text: string): Component | undefined {
  const lines = linesIn(text);
  if (lines === undefined || lines.length > LINES_MAX) return undefined;
  const open: { name: string; items: (ContentLine | Component)[] }[] = [];
  let whole: Component | undefined;
  for (const line of lines) {
    const named = line.value.trim().toUpperCase();
    if (line.name === 'BEGIN') {
      if (open.length === DEPTH_MAX || whole !== undefined) return undefined;
      open.push({ name: named, items: [] });
    } else if (line.name === 'END') {
      const ended = open.pop();
      if (ended?.name !== named) return undefined;
      const parent = open.at(-1);
      if (parent === undefined) whole = ended;
      else parent.items.push(ended);
    } else {
      const parent = open.at(-1);
      if (parent === undefined) return undefined;
      parent.items.push(line);
    }
  }
  return open.length === 0 && whole?.name === 'VCALENDAR' ? whole : undefined;
}

export function writeObject(component: Component): string {
  const lines: string[] = [];
  const write = ({ name, items }: Component): void => {
    lines.push(`BEGIN:${name}`);
    for (const item of items) {
      if (isComponent(item)) write(item);
      else lines.push(item.raw);
    }
    lines.push(`END:${name}`);
  };
  write(component);
  return `${lines.join('\r\n')}\r\n`;
}

/** A new line; `params` such as `;VALUE=DATE`. */
export function line(name: string, value: string, params = ''): ContentLine {
  return { name, params, value, raw: folded(`${name}${params}:${value}`) };
}

export function propertyLines({ items }: Component, name: string): readonly ContentLine[] {
  return items.flatMap((item) => (!isComponent(item) && item.name === name ? [item] : []));
}

export function propertyText(component: Component, name: string): string | undefined {
  return propertyLines(component, name)[0]?.value;
}

export function componentsOf({ items }: Component, name: string): readonly Component[] {
  return items.flatMap((item) => (isComponent(item) && item.name === name ? [item] : []));
}

/** The component with these lines in the place of all lines of that name, at the place of the first. No lines: the name is removed. */
export function withLines(component: Component, name: string, lines: readonly ContentLine[]): Component {
  const items: (ContentLine | Component)[] = [];
  let isPut = false;
  for (const item of component.items) {
    if (isComponent(item) || item.name !== name) items.push(item);
    else if (!isPut) {
      items.push(...lines);
      isPut = true;
    }
  }
  if (isPut) return { ...component, items };
  const at = items.findIndex(isComponent);
  const end = at < 0 ? items.length : at;
  return { ...component, items: [...items.slice(0, end), ...lines, ...items.slice(end)] };
}

/** The value of a parameter, without quotes. */
export function paramOf({ params }: ContentLine, name: string): string | undefined {
  for (const [, key = '', quoted, plain] of params.matchAll(/;([\w-]+)=(?:"([^"]*)"|([^;:",]*))/g))
    if (key.toUpperCase() === name) return quoted ?? plain;
  return undefined;
}

/** RFC 5545, 3.3.11. */
export function escapedText(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replace(/\r\n|\r|\n/g, '\\n');
}

export function plainTextOf(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_, character: string) =>
    character === 'n' || character === 'N' ? '\n' : character,
  );
}

function linesIn(text: string): readonly ContentLine[] | undefined {
  const rows = text.split(/\r\n|\n|\r/);
  const found: string[][] = [];
  for (const row of rows) {
    if (row.startsWith(' ') || row.startsWith('\t')) found.at(-1)?.push(row);
    else if (row !== '') found.push([row]);
  }
  const lines: ContentLine[] = [];
  for (const parts of found) {
    const whole = parts.map((part, at) => (at === 0 ? part : part.slice(1))).join('');
    const at = valueAt(whole);
    const name = /^[A-Za-z0-9-]+/.exec(whole)?.[0];
    if (at === undefined || name === undefined) return undefined;
    const params = whole.slice(name.length, at - 1);
    if (params !== '' && !params.startsWith(';')) return undefined;
    lines.push({ name: name.toUpperCase(), params, value: whole.slice(at), raw: parts.join('\r\n') });
  }
  return lines;
}

/** Behind the first colon outside quotes. */
function valueAt(whole: string): number | undefined {
  let isQuoted = false;
  for (let at = 0; at < whole.length; at += 1) {
    const character = whole[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === ':' && !isQuoted) return at + 1;
  }
  return undefined;
}

/** Never inside a character. */
function folded(whole: string): string {
  const rows: string[] = [];
  let row = '';
  let bytes = 0;
  for (const character of whole) {
    const size = UTF8.encode(character).length;
    if (bytes + size > FOLDED_AT) {
      rows.push(row);
      row = ' ';
      bytes = 1;
    }
    row += character;
    bytes += size;
  }
  return [...rows, row].join('\r\n');
}
