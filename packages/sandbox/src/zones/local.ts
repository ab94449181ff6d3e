// Local times by the sandbox's own table of zones. The worker has another one, so a fault in either shows.
import { DateTime, FixedOffsetZone, IANAZone, Zone, type ZoneOffsetFormat } from 'luxon';
import { type Change, changesByRule, standardOffsetS } from './rule.ts';
import table from './table.json' with { type: 'json' };

/** As scripts/sandbox-zones.ts writes it. */
const TABLE_FROM_MS = Date.UTC(2015, 0, 1);
const RULES_FROM_YEAR = 2028;

/** True for a name of the IANA database. */
export function isZone(name: string): boolean {
  return entries().has(name.toLowerCase());
}

/** Minutes east of UTC; not a number for an unknown zone. */
export function offsetAt(ms: number, zone: string): number {
  return zoneNamed(zone)?.offset(ms) ?? Number.NaN;
}

/** The local time at a moment. Invalid for an unknown zone. */
export function localAt(ms: number, zone: string): DateTime {
  return inZone(zone, (known) => DateTime.fromMillis(ms, { zone: known }));
}

/** Reads ISO 8601, by default in local time of the zone. Invalid for an unknown zone, and for no time. */
export function readLocal(iso: string, zone: string): DateTime {
  const read = inZone(zone, (known) => DateTime.fromISO(iso, { zone: known }));
  const timeAt = iso.search(/t/i);
  const hasOffset = timeAt >= 0 && /(?:z|[+-]\d\d:?\d\d)$/i.test(iso.slice(timeAt));
  return hasOffset ? read : firstOf(read);
}

/** The same figures on the clock of the zone. Invalid for an unknown zone. */
export function onClockOf(zone: string, figures: DateTime): DateTime {
  return firstOf(inZone(zone, (known) => figures.setZone(known, { keepLocalTime: true })));
}

/** The first moment of an hour that comes twice: luxon's choice depends on the day of the run. */
function firstOf(local: DateTime): DateTime {
  return local.isValid ? (local.getPossibleOffsets()[0] ?? local) : local;
}

function inZone(name: string, timeIn: (zone: Zone) => DateTime): DateTime {
  const zone = zoneNamed(name);
  return zone === undefined ? DateTime.invalid('unknown zone', name.slice(0, 60)) : timeIn(zone);
}

const known = new Map<string, Zone>();
let index: ReadonlyMap<string, string> | undefined;

function entries(): ReadonlyMap<string, string> {
  index ??= new Map(
    table.zones.flatMap((line) =>
      (line.split(';')[0] ?? '').split(' ').map((name) => [name.toLowerCase(), line]),
    ),
  );
  return index;
}

function zoneNamed(name: string): Zone | undefined {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (/^(?:utc|gmt)$/i.test(name)) return FixedOffsetZone.utcInstance;
  const line = entries().get(name.toLowerCase());
  const zone = line === undefined ? fixedZone(name) : new TableZone(name, line);
  if (zone === undefined) return undefined;
  if (known.size < 2_000) known.set(name, zone);
  return zone;
}

/** Sheets names custom zones by their offset, as `GMT-07:00` (SpreadsheetProperties.timeZone). */
function fixedZone(name: string): Zone | undefined {
  return FixedOffsetZone.parseSpecifier(name.toLowerCase().replace('gmt', 'utc')) ?? undefined;
}

class TableZone extends Zone {
  readonly #name: string;
  readonly #rule: string;
  readonly #changes: readonly Change[];
  readonly #ruleFromYear: number;
  readonly #years = new Map<number, readonly Change[]>();

  constructor(name: string, line: string) {
    super();
    const [, times = '', rule = ''] = line.split(';');
    const [first = 0, ...rest] = times.split(' ').map(Number);
    const changes: Change[] = [{ ms: Number.NEGATIVE_INFINITY, offsetS: first }];
    for (let at = 0; at < rest.length; at += 2)
      changes.push({ ms: (rest[at] ?? 0) * 60_000, offsetS: rest[at + 1] ?? 0 });
    const lastMs = changes.at(-1)?.ms ?? 0;
    const lastYear = Number.isFinite(lastMs) ? new Date(lastMs).getUTCFullYear() : 0;
    this.#name = name;
    this.#rule = rule;
    this.#changes = changes;
    this.#ruleFromYear = Math.max(RULES_FROM_YEAR, lastYear + 1);
  }

  override get type(): string {
    return 'sandbox';
  }

  override get name(): string {
    return this.#name;
  }

  override get isUniversal(): boolean {
    return false;
  }

  override get isValid(): true {
    return true;
  }

  override offset(ms: number): number {
    if (ms < TABLE_FROM_MS) return IANAZone.create(this.#name).offset(ms);
    const year = new Date(ms).getUTCFullYear();
    const changes = year < this.#ruleFromYear ? this.#changes : this.#ruled(year);
    return (changes.findLast((change) => change.ms <= ms)?.offsetS ?? 0) / 60;
  }

  /** Begins with the last change of the year before. */
  #ruled(year: number): readonly Change[] {
    const found = this.#years.get(year);
    if (found !== undefined) return found;
    const before = changesByRule(this.#rule, year - 1).at(-1);
    const start = { ms: Number.NEGATIVE_INFINITY, offsetS: before?.offsetS ?? standardOffsetS(this.#rule) };
    const changes = [start, ...changesByRule(this.#rule, year)];
    this.#years.set(year, changes);
    return changes;
  }

  override offsetName(ms: number): string {
    return this.formatOffset(ms, 'short');
  }

  override formatOffset(ms: number, format: ZoneOffsetFormat): string {
    return FixedOffsetZone.instance(this.offset(ms)).formatOffset(ms, format);
  }

  override equals(other: Zone): boolean {
    return other instanceof TableZone && other.name === this.#name;
  }
}
