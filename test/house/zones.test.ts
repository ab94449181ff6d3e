import { describe, expect, it } from 'vitest';
import { read, SHIPPED, trackedFiles } from './tree.ts';

/** The two places that know zones, and pages in a browser, which have no other rules than the browser's. */
const KNOWS_ZONES =
  /^src\/engine\/zone-|^packages\/sandbox\/src\/zones\/|^src\/console\/assets\/|^packages\/sandbox\/src\/page\/files\//;
const others = trackedFiles().filter(
  (path) => SHIPPED.test(path) && /\.(?:ts|js)$/.test(path) && !KNOWS_ZONES.test(path),
);

/** What asks Node for the rules of a zone, or for the zone of the machine. */
const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  ['Intl.DateTimeFormat', /\bIntl\.DateTimeFormat(?!PartTypes|Options)/],
  [
    'a method that formats a date',
    /\.toLocale(?:Date|Time)String\(|\.toLocaleString\([^)]*(?:timeZone|dateStyle|hour)/,
  ],
  [
    'the zone of the machine',
    /\.get(?:Hours|Day|Date|Month|FullYear|Minutes|TimezoneOffset)\(\)|\.toDateString\(/,
  ],
  [
    'a zone of luxon',
    /\b(?:IANAZone|SystemZone|FixedOffsetZone|Settings\.default|toLocal)\b|\bsetZone\b(?!\('utc')/,
  ],
  ['the clock of luxon, in the zone of the machine', /\bDateTime\.(?:now|local)\(/],
];

/** Arguments of luxon's functions that make a time, without those that say UTC. */
function zonesOfCalls(source: string): readonly string[] {
  const calls = [...source.matchAll(/\bDateTime\.from\w+\(/g)];
  return calls.flatMap(({ index, 0: start }) => {
    const call = callAt(source, index + start.length);
    const isOfUtc = /\bzone: 'utc'|\bsetZone: true/.test(call);
    return isOfUtc ? [] : [`${start}${call})`];
  });
}

function callAt(source: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < source.length && depth > 0; at++) {
    if (source[at] === '(') depth += 1;
    if (source[at] === ')') depth -= 1;
  }
  return source.slice(from, at - 1);
}

function faultsOf(source: string): readonly string[] {
  const code = source
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replaceAll('setZone: true', 'ownOffset');
  const named = FORBIDDEN.filter(([, form]) => form.test(code)).map(([name]) => name);
  return [...named, ...zonesOfCalls(code.replaceAll('ownOffset', 'setZone: true'))];
}

describe('only src/engine/zone-*.ts and packages/sandbox/src/zones/ know the rules of zones', () => {
  it('so no other file asks Node or luxon', () => {
    expect(others.length).toBeGreaterThan(500);
    const faults = others.flatMap((path) => faultsOf(read(path)).map((fault) => `${path}: ${fault}`));
    expect(faults).toEqual([]);
  });

  it.each([
    ["new Intl.DateTimeFormat('en', { timeZone })", 'Intl.DateTimeFormat'],
    ["at.toLocaleString('sv-SE', { timeZone: zone })", 'a method that formats a date'],
    ["date.toLocaleTimeString('en')", 'a method that formats a date'],
    ['now.getHours()', 'the zone of the machine'],
    ['time.setZone(zone)', 'a zone of luxon'],
    ["time.setZone('Europe/Berlin')", 'a zone of luxon'],
    ['IANAZone.create(name)', 'a zone of luxon'],
    ['DateTime.now().toMillis()', 'the clock of luxon, in the zone of the machine'],
    ['DateTime.fromISO(iso, { zone })', 'DateTime.fromISO(iso, { zone })'],
    ["DateTime.fromISO(iso, { zone: 'Europe/Berlin' })", "DateTime.fromISO(iso, { zone: 'Europe/Berlin' })"],
    ['DateTime.fromMillis(Number(ms))', 'DateTime.fromMillis(Number(ms))'],
  ])('%s is found', (source, fault) => {
    expect(faultsOf(source)).toEqual([fault]);
  });

  it.each([
    "DateTime.fromISO(text, { zone: 'utc' })",
    'DateTime.fromISO(text, { setZone: true })',
    "local.setZone('utc', { keepLocalTime: true })",
    'count.toLocaleString(language)',
    'parts: Intl.DateTimeFormatPartTypes',
    '/** Like Intl.DateTimeFormat. */',
  ])('%s is allowed', (source) => {
    expect(faultsOf(source)).toEqual([]);
  });
});
