// `npm run zones`: writes src/engine/zone-table.json from moment-timezone's data, the newest rules of time zones on npm. Raise that package first.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import moment from 'moment-timezone';

const MINUTE_MS = 60_000;
/** Node has the rules of earlier years: the past no longer changes. */
const FROM_MS = Date.UTC(2015, 0, 1);
/** 1 March: later years repeat earlier ones, and each begins after the leap day. */
const TO_MS = Date.UTC(2038, 2, 1);

/** Names that Node accepts beside IANA's. A YAML may have them since earlier versions. */
const NAMES_OF_NODE =
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST US/Pacific-New Canada/East-Saskatchewan';

const data = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('moment-timezone/data/packed/latest.json'), 'utf8'),
) as { version: string; zones: string[]; links: string[] };

const names = [
  ...data.zones.map((line) => line.slice(0, line.indexOf('|'))),
  ...data.links.map((line) => line.slice(line.indexOf('|') + 1)),
];
const extra = NAMES_OF_NODE.split(' ').map((name) => ({
  name,
  meant: new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone,
}));
const all = [...names.map((name) => ({ name, meant: name })), ...extra];

const series = new Map<string, Set<string>>();
for (const { name, meant } of all.sort((a, b) => (a.name < b.name ? -1 : 1))) {
  const written = changesOf(meant);
  series.set(written, (series.get(written) ?? new Set()).add(name));
}
const lines = [...series].map(([written, group]) => `${[...group].join(' ')}|${written}`);

// Unicode's names of Windows zones, and how Outlook shows them, as node-ical has them.
const ofWindows = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('node-ical/windowsZones.json'), 'utf8'),
) as Record<string, { iana: [string] }>;
const windows = Object.fromEntries(Object.entries(ofWindows).map(([name, { iana }]) => [name, iana[0]]));

/** `status` and `check` tell when it is more than a year ago. */
const written = new Date().toISOString().slice(0, 10);
// A line has names with equal rules, minutes east of UTC, then for each change: minutes since the last one (base 36), new offset.
writeFileSync(
  fileURLToPath(new URL('../src/engine/zone-table.json', import.meta.url)),
  `${JSON.stringify({ version: data.version, written, fromMs: FROM_MS, toMs: TO_MS, zones: lines, windows }, null, 2)}\n`,
);
console.log(`src/engine/zone-table.json has ${all.length} names, rules of ${data.version}`);

function changesOf(name: string): string {
  const zone = moment.tz.zone(name);
  if (zone === null) throw new Error(`moment-timezone has no rules for ${name}`);
  const words: (string | number)[] = [];
  let shown: number | undefined;
  let lastMs = FROM_MS;
  // `untils` ends each offset; moment counts minutes west of UTC.
  for (const [index, west] of zone.offsets.entries()) {
    const fromMs = Math.max(FROM_MS, zone.untils[index - 1] ?? Number.NEGATIVE_INFINITY);
    const untilMs = zone.untils[index] ?? Number.POSITIVE_INFINITY;
    const offset = 0 - west;
    if (untilMs <= FROM_MS || fromMs >= TO_MS || offset === shown) continue;
    if (shown !== undefined) words.push(((fromMs - lastMs) / MINUTE_MS).toString(36));
    words.push(offset);
    [shown, lastMs] = [offset, fromMs];
  }
  return words.join(' ');
}
