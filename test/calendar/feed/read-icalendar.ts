// iCalendar read by the letter of RFC 5545, with none of the worker's code: octets in, components out.

export interface Component {
  readonly name: string;
  readonly properties: ReadonlyMap<string, { readonly params: string; readonly value: string }>;
  readonly components: readonly Component[];
}

/** Throws for whatever the format does not allow. */
export function readICalendar(file: Buffer): Component {
  const lines = unfold(file);
  const stack: {
    name: string;
    properties: Map<string, { params: string; value: string }>;
    components: Component[];
  }[] = [{ name: 'ROOT', properties: new Map(), components: [] }];
  for (const line of lines) {
    const [, name = '', params = '', value = ''] = /^([A-Z-]+)((?:;[^:]*)?):(.*)$/su.exec(line) ?? [];
    if (name === '') throw new Error(`no content line: ${line}`);
    const top = stack.at(-1);
    if (top === undefined) throw new Error('closed too often');
    if (name === 'BEGIN') stack.push({ name: value, properties: new Map(), components: [] });
    else if (name === 'END') {
      if (top.name !== value) throw new Error(`${value} ends within ${top.name}`);
      stack.pop();
      stack.at(-1)?.components.push(top);
    } else {
      if (top.properties.has(name)) throw new Error(`${name} twice`);
      top.properties.set(name, { params, value });
    }
  }
  const [calendar, ...others] = stack[0]?.components ?? [];
  if (calendar === undefined || others.length > 0 || stack.length !== 1) throw new Error('not one calendar');
  return calendar;
}

/** Without the entry of a feed that has no appointments. */
export function appointmentsIn({ components }: Component): readonly Component[] {
  return components.filter(({ properties }) => properties.get('TRANSP')?.value === 'OPAQUE');
}

/** Lines of at most 75 octets that end in CR LF; a space or tab goes on with the line before (3.1). */
function unfold(file: Buffer): string[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < file.length; at += 1) {
    if (file[at] === 0x0a && file[at - 1] !== 0x0d) throw new Error('a line feed alone');
    if (file[at] !== 0x0d) continue;
    if (file[at + 1] !== 0x0a) throw new Error('a carriage return alone');
    const line = file.subarray(from, at);
    if (line.length > 75) throw new Error(`${line.length} octets in a line`);
    // Each line has to be whole characters: a strict decoder refuses half of one.
    new TextDecoder('utf-8', { fatal: true }).decode(line);
    const isMore = line[0] === 0x20 || line[0] === 0x09;
    const last = lines.at(-1);
    if (isMore && last !== undefined) lines[lines.length - 1] = Buffer.concat([last, line.subarray(1)]);
    else lines.push(line);
    from = at + 2;
  }
  if (from !== file.length) throw new Error('the last line does not end');
  return lines.map((line) => line.toString('utf8'));
}

/** TEXT (3.3.11). */
export function readText(value: string): string {
  let text = '';
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] ?? '';
    if (character === ';' || character === ',') throw new Error(`bare ${character}`);
    if (character !== '\\') {
      text += character;
      continue;
    }
    at += 1;
    const escaped = value[at] ?? '';
    if (!['\\', ';', ',', 'n', 'N'].includes(escaped)) throw new Error(`\\${escaped} is no escape`);
    text += escaped.toLowerCase() === 'n' ? '\n' : escaped;
  }
  return text;
}

/** DATE-TIME in UTC (3.3.5), as ISO 8601. */
export function readInstant(value: string): string {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(value) ?? [];
  if (y === undefined) throw new Error(`${value} is no instant in UTC`);
  return `${y}-${mo}-${d}T${h}:${mi}:${s}Z`;
}
