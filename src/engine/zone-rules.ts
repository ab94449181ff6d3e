/**
 * The rules of time zones. In: a name and a moment. Out: the offset from UTC. The rules come with slotbridge, because every Node has other
 * ones, and none has the newest.
 */
import table from './zone-table.json' with { type: 'json' };

/** The release of IANA's time zone database, such as `2026f`. */
export const ZONES_VERSION = table.version;

export interface Zone {
  /** As IANA writes it, or as given for a fixed offset. */
  readonly name: string;
  /** A fixed offset; false for names of IANA, which know daylight saving time. */
  readonly isFixed: boolean;
  /** Sorted; in each, the offset applies from that moment on. The first one is for all earlier moments. */
  readonly changes: readonly { readonly fromMs: number; readonly offsetMin: number }[];
}

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;

/** A zone by its name of IANA, in any case of letters, or a fixed offset such as `UTC+03:00`. Undefined for an unknown name. */
export function zoneNamed(name: string): Zone | undefined {
  const small = name.toLowerCase();
  const known = zones.get(small);
  if (known !== undefined) return known;
  const line = lines().get(small);
  if (line === undefined) return fixedZone(name);
  const [names = '', rules = ''] = line.split('|');
  const own = names.split(' ').find((each) => each.toLowerCase() === small) ?? name;
  const zone = { name: own, isFixed: false, changes: changesIn(rules) };
  zones.set(small, zone);
  return zone;
}

/** True for names of IANA, which know daylight saving time; false for fixed offsets. */
export function isZoneName(name: string): boolean {
  return lines().has(name.toLowerCase());
}

/** The zone of IANA for a name of Windows, such as `W. Europe Standard Time`, or for one that Outlook shows. */
export function windowsZone(name: string): string | undefined {
  const zones: Readonly<Record<string, string>> = table.windows;
  return Object.hasOwn(zones, name) ? zones[name] : undefined;
}

/** As IANA writes them. */
export function zoneNames(): readonly string[] {
  return table.zones.flatMap(namesIn);
}

/** Minutes east of UTC. After the table's years, the rules of its last years repeat. */
export function offsetAt(zone: Zone, ms: number): number {
  if (ms < table.fromMs) return nodeOffsetAt(zone.name, ms) ?? offsetBetween(zone, table.fromMs);
  return offsetBetween(zone, ms < table.toMs ? ms : likeMoment(ms));
}

/** By Node's own rules, in minutes east of UTC. Undefined if Node lacks the zone, or for no time. */
export function nodeOffsetAt(name: string, ms: number): number | undefined {
  try {
    const format = formats.get(name) ?? new Intl.DateTimeFormat('en-US', { ...OFFSET, timeZone: name });
    formats.set(name, format);
    const shown = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0] = /^GMT(?:([+-])(\d+):(\d+))?/.exec(shown) ?? [];
    const offsetMin = Number(hours) * 60 + Number(minutes);
    return sign === '-' ? 0 - offsetMin : offsetMin;
  } catch {
    return undefined;
  }
}

/**
 * Whether Node's dates show these offsets by moment in the zone. False also if Node cannot say so without `Intl`, which loads the data of
 * all languages and keeps it: 5 MB.
 */
export function nodeDatesShow(name: string, offsets: ReadonlyMap<number, number>): boolean {
  const own = process.env['TZ'];
  process.env['TZ'] = name;
  try {
    return [...offsets].every(([ms, offsetMin]) => new Date(ms).getTimezoneOffset() === 0 - offsetMin);
  } finally {
    if (own === undefined) delete process.env['TZ'];
    else process.env['TZ'] = own;
  }
}

const OFFSET = { timeZoneName: 'longOffset', year: 'numeric' } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

const zones = new Map<string, Zone>();
let index: ReadonlyMap<string, string> | undefined;

function lines(): ReadonlyMap<string, string> {
  index ??= new Map(table.zones.flatMap((line) => namesIn(line).map((name) => [name.toLowerCase(), line])));
  return index;
}

function namesIn(line: string): readonly string[] {
  return line.slice(0, line.indexOf('|')).split(' ');
}

function fixedZone(name: string): Zone | undefined {
  const [whole, sign, hours = '', minutes = '0'] =
    /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name) ?? [];
  if (whole === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offsetMin = Number(hours) * 60 + Number(minutes);
  return {
    name,
    isFixed: true,
    changes: [{ fromMs: Number.NEGATIVE_INFINITY, offsetMin: sign === '-' ? 0 - offsetMin : offsetMin }],
  };
}

function changesIn(rules: string): Zone['changes'] {
  const [first = '', ...words] = rules.split(' ');
  const changes = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMin: Number(first) }];
  let fromMs = table.fromMs;
  for (let at = 0; at < words.length; at += 2) {
    fromMs += Number.parseInt(words[at] ?? '', 36) * MINUTE_MS;
    changes.push({ fromMs, offsetMin: Number(words[at + 1]) });
  }
  return changes;
}

/** Binary search: a busy worker asks thousands of times a second. */
function offsetBetween({ changes }: Zone, ms: number): number {
  let low = 0;
  let high = changes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((changes[middle]?.fromMs ?? 0) <= ms) low = middle;
    else high = middle - 1;
  }
  return changes[low]?.offsetMin ?? 0;
}

/** So many years begin on each weekday at least once. */
const LAST_MARCHES_MS = [1, 2, 3, 4, 5, 6, 7, 8].map((back) =>
  Date.UTC(new Date(table.toMs).getUTCFullYear() - back, 2, 1),
);

/** The last year of the table that begins on the same weekday; rules name weekdays, such as the last Sunday of March. */
function likeMoment(ms: number): number {
  const at = new Date(ms);
  // Years are counted from 1 March, so the leap day is their last.
  const marchMs = Date.UTC(at.getUTCFullYear() - (at.getUTCMonth() < 2 ? 1 : 0), 2, 1);
  const like = LAST_MARCHES_MS.find((each) => (marchMs - each) % WEEK_MS === 0) ?? marchMs;
  return like + (ms - marchMs);
}
