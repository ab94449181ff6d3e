// What `slotbridge init` adds to an existing YAML: it inserts lines and leaves everything that people wrote unchanged.
import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import {
  calendarMirror,
  type MappedCalendar,
  mapLine,
  NO_ADDRESS,
  type SetupTab,
  tabMirror,
  webhookLines,
} from './write-yaml.ts';

export interface Additions {
  readonly calendars: readonly MappedCalendar[];
  /** Used only if the YAML has no mirror with calendars yet. */
  readonly staffMoves: boolean;
  readonly tabs: readonly SetupTab[];
  readonly spreadsheet: string;
  readonly publicUrl: string | undefined;
}

/** Lines for which the text has no place: a person has to add them. */
export interface ByHand {
  readonly where: string;
  readonly lines: readonly string[];
}

/** `names`: the names of the existing mirrors. */
export function extendYaml(
  text: string,
  added: Additions,
  names: readonly string[],
): { readonly text: string; readonly added: readonly string[]; readonly byHand: readonly ByHand[] } {
  const { calendars, staffMoves, tabs, spreadsheet, publicUrl } = added;
  const byHand: ByHand[] = [];
  let all = text;
  const applyOrReport = (next: string | undefined, hand: ByHand): string => {
    if (next === undefined) byHand.push(hand);
    return next ?? all;
  };
  if (calendars.length > 0 && hasCalendars(text))
    all = applyOrReport(addCalendars(all, calendars), {
      where: 'under calendars.map of a mirror',
      lines: calendars.map(mapLine),
    });
  const mirrors = [
    ...(calendars.length > 0 && !hasCalendars(text)
      ? calendarMirror(freeName('staff-calendars', names), { calendars, staffMoves })
      : []),
    ...tabs.flatMap((tab) => tabMirror(freeName(tab.mirror, names), tab, spreadsheet)),
  ];
  if (mirrors.length > 0)
    all = applyOrReport(addMirrors(all, mirrors), { where: 'under mirrors', lines: mirrors });
  if (publicUrl !== undefined)
    all = applyOrReport(addAddress(all, publicUrl), {
      where: 'under platform',
      lines: webhookLines(publicUrl),
    });
  return { text: all, added: addedLines(text, all), byHand };
}

/** The inserted lines. An address replaces the hint that there is none. */
function addedLines(before: string, after: string): readonly string[] {
  const old = before.split('\n');
  let at = 0;
  return after.split('\n').filter((line) => {
    if (old[at] === NO_ADDRESS && line !== NO_ADDRESS) at += 1;
    const isOld = line === old[at];
    if (isOld) at += 1;
    return !isOld;
  });
}

/** Whether a mirror has a rule under `calendars`. */
export function hasCalendars(text: string): boolean {
  return rulesIn(text).length > 0;
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}-2`, taken) : name;
}

/** What a YAML already maps. Read from its text, so that variables stay unfilled. */
export interface WrittenMap {
  /** Names and ids under `calendars.map` of all mirrors, each with its calendars in lower case. */
  readonly resources: ReadonlyMap<string, ReadonlySet<string>>;
  readonly calendars: ReadonlySet<string>;
}

export function readWrittenMap(text: string): WrittenMap {
  const resources = new Map<string, Set<string>>();
  for (const { key, value } of mapsIn(text).flatMap(({ items }) => items)) {
    if (!isScalar(key)) continue;
    const name = String(key.value).trim();
    resources.set(name, new Set([...(resources.get(name) ?? []), ...calendarIn(value)]));
  }
  const calendars = rulesIn(text).flatMap((rule) => {
    const map = rule.get('map');
    return [rule.get('calendar', true), ...(isMap(map) ? map.items.map(({ value }) => value) : [])];
  });
  return { resources, calendars: new Set(calendars.flatMap(calendarIn)) };
}

/** The id in lower case; empty for anything but a text. A variable counts by its name. */
function calendarIn(value: unknown): readonly string[] {
  const id = isMap(value) ? value.get('id') : isScalar(value) ? value.value : undefined;
  return typeof id === 'string' ? [id.toLowerCase()] : [];
}

/**
 * Inserts lines after the last one of the first `calendars.map`; nothing else changes. Undefined when no such map is in block style: then a
 * person has to add the lines.
 */
export function addCalendars(text: string, added: readonly MappedCalendar[]): string | undefined {
  const [map] = mapsIn(text).filter(({ flow }) => flow !== true);
  return map === undefined ? undefined : withLines(text, map, added.map(mapLine));
}

/** Inserts mirrors after the last one; nothing else changes. Undefined where people have to add them. */
function addMirrors(text: string, lines: readonly string[]): string | undefined {
  const map = parseDocument(text).get('mirrors');
  if (!isMap(map) || map.flow === true) return undefined;
  return withLines(
    text,
    map,
    lines.map((line) => line.slice('  '.length)),
  );
}

/** Inserts the address at which the platform reaches the worker. Undefined where people have to add it. */
function addAddress(text: string, publicUrl: string): string | undefined {
  const map = parseDocument(text).get('platform');
  if (!isMap(map) || map.flow === true || map.has('webhook')) return undefined;
  const lines = webhookLines(publicUrl).map((line) => line.slice('  '.length));
  return withLines(text, map, lines)?.replace(`${NO_ADDRESS}\n`, '');
}

/** Indents each line as the entries of the map are indented. */
function withLines(text: string, map: YamlGroup, lines: readonly string[]): string | undefined {
  const first = map.items[0]?.key;
  if (!isScalar(first) || !first.range) return undefined;
  const counter = new LineCounter();
  parseDocument(text, { lineCounter: counter });
  const indent = ' '.repeat(counter.linePos(first.range[0]).col - 1);
  let last = endOf(map) ?? 0;
  // The range of a text with several lines includes its last line break.
  while (text[last - 1] === '\n') last -= 1;
  const lineEnd = text.indexOf('\n', last);
  const at = lineEnd < 0 ? text.length : lineEnd;
  return `${text.slice(0, at)}${lines.map((line) => `\n${indent}${line}`).join('')}${text.slice(at)}`;
}

type YamlGroup = ReturnType<typeof mapsIn>[number];

function endOf(node: unknown): number | undefined {
  if (isPair(node)) return endOf(node.value) ?? endOf(node.key);
  const last = (isMap(node) || isSeq(node)) && node.flow !== true ? node.items.at(-1) : undefined;
  return last === undefined ? (isNode(node) ? node.range?.[1] : undefined) : endOf(last);
}

/** Maps with `by: resource` only: `init` adds to no others. */
function mapsIn(text: string) {
  return rulesIn(text).flatMap((rule) => {
    const map = (rule.get('by') ?? 'resource') === 'resource' ? rule.get('map') : undefined;
    return isMap(map) ? [map] : [];
  });
}

function rulesIn(text: string) {
  const mirrors = parseDocument(text).get('mirrors');
  if (!isMap(mirrors)) return [];
  return mirrors.items.flatMap(({ value }) => {
    const calendars = isMap(value) ? value.get('calendars') : undefined;
    return (isSeq(calendars) ? calendars.items : [calendars]).filter((rule) => isMap(rule));
  });
}
