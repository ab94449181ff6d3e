/**
 * `npm run zones:sandbox -- FOLDER`: writes packages/sandbox/src/zones/table.json from compiled zone files (RFC 9636), such as /usr/share/zoneinfo of
 * Debian's package tzdata. The sandbox shares no data with the worker, so that tests notice a wrong table.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changesByRule } from '@slotbridge/sandbox/zones/rule';

const FROM_MS = Date.UTC(2015, 0, 1);
/** Changes of later years follow from the rule at the end of each file, except in zones that go by the moon. */
const RULE_FROM_MS = Date.UTC(2028, 0, 1);
const CHECKED_UNTIL_MS = Date.UTC(2037, 0, 1);
const EXCEPTIONS_UNTIL_MS = Date.UTC(2040, 0, 1);

const folder = process.argv[2] ?? '';
const version = /^# version (\w+)/.exec(readFileSync(join(folder, 'tzdata.zi'), 'utf8'))?.[1];
if (version === undefined) throw new Error(`${folder} has no tzdata.zi that begins with its version`);

const groups = new Map<string, string[]>();
for (const name of zoneFilesIn('').sort()) {
  const written = ruleOf(name);
  groups.set(written, [...(groups.get(written) ?? []), name]);
}
/**
 * A line has names, the offset on 1 January 2015 in seconds, and each change before 2028 as Unix time in minutes and new offset. Then comes
 * the rule for later years. A zone with later changes follows its rule from the year after the last one.
 */
const zones = [...groups].map(([written, names]) => `${names.join(' ')};${written}`);
writeFileSync(
  fileURLToPath(new URL('../packages/sandbox/src/zones/table.json', import.meta.url)),
  `${JSON.stringify({ version, zones }, null, 2)}\n`,
);

function zoneFilesIn(part: string): string[] {
  return readdirSync(join(folder, part)).flatMap((entry) => {
    const path = part === '' ? entry : `${part}/${entry}`;
    if (/^(?:posix|right|localtime|posixrules|Factory)$|[.]|^leap/.test(path)) return [];
    if (statSync(join(folder, path)).isDirectory()) return zoneFilesIn(path);
    return readFileSync(join(folder, path)).toString('latin1', 0, 4) === 'TZif' ? [path] : [];
  });
}

function ruleOf(name: string): string {
  const { changes, rule } = readZoneFile(readFileSync(join(folder, name)));
  const first = changes.findLast(({ ms }) => ms <= FROM_MS)?.offsetS ?? 0;
  const later = changes.filter(({ ms }) => ms >= RULE_FROM_MS && ms < CHECKED_UNTIL_MS);
  const ruled: typeof changes = [];
  for (let year = 2028; year < 2037; year++) ruled.push(...changesByRule(rule, year));
  // A compact file ends where its rule begins.
  const isRuled = later.length === 0 || JSON.stringify(later) === JSON.stringify(ruled);
  const untilMs = isRuled ? RULE_FROM_MS : EXCEPTIONS_UNTIL_MS;
  const explicit = changes.filter(({ ms }) => ms > FROM_MS && ms < untilMs);
  return `${[first, ...explicit.flatMap(({ ms, offsetS }) => [ms / 60_000, offsetS])].join(' ')};${rule}`;
}

/** Changes of the offset and the rule at the end, from the part with 64-bit times. */
function readZoneFile(file: Buffer) {
  const start = 44 + lengthOf(file, 0, 4);
  const [, , , times, types] = counts(file, start);
  const at = start + 44;
  const changes: { ms: number; offsetS: number }[] = [];
  for (let index = 0; index < times; index++) {
    const ms = Number(file.readBigInt64BE(at + index * 8)) * 1000;
    const type = file.readUInt8(at + times * 8 + index);
    const offsetS = file.readInt32BE(at + times * 9 + type * 6);
    if (changes.at(-1)?.offsetS !== offsetS) changes.push({ ms, offsetS });
  }
  if (changes.length === 0 && types > 0) changes.push({ ms: 0, offsetS: file.readInt32BE(at) });
  const rule = file.toString('latin1', at + lengthOf(file, start, 8)).trim();
  return { changes, rule };
}

/** isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt. */
function counts(file: Buffer, start: number): [number, number, number, number, number, number] {
  const at = (index: number) => file.readUInt32BE(start + 20 + index * 4);
  return [at(0), at(1), at(2), at(3), at(4), at(5)];
}

function lengthOf(file: Buffer, start: number, timeBytes: number): number {
  const [utc, standard, leaps, times, types, chars] = counts(file, start);
  return times * (timeBytes + 1) + types * 6 + chars + leaps * (timeBytes + 4) + standard + utc;
}
