/** Local times as luxon's `DateTime`, by slotbridge's own rules. luxon itself would ask Node for the rules of a zone that it gets by name. */
import { DateTime, FixedOffsetZone, Settings, Zone, type ZoneOffsetFormat } from 'luxon';
import { offsetAt, type Zone as ZoneRules, zoneNamed } from './zone-rules.ts';

// Otherwise luxon asks `Intl` for the machine's language, which loads the data of all languages: 5 MB that stay.
Settings.defaultLocale = 'en-US';

/** The local time at a moment. Invalid for an unknown zone. `zone`: a name of IANA, or a fixed offset such as `UTC+03:00`. */
export function localAt(ms: number, zone: string): DateTime {
  return inZone(zone, (known) => DateTime.fromMillis(ms, { zone: known }));
}

/**
 * Reads ISO 8601: a text with an offset is converted, any other is local time of the zone. A local time that comes twice is the first one.
 * Invalid for an unknown zone or no time.
 */
export function readLocal(iso: string, zone: string): DateTime {
  const read = inZone(zone, (known) => DateTime.fromISO(iso, { zone: known }));
  return hasOffset(iso) ? read : firstOf(read);
}

/** The same figures on the clock of the zone; if they come twice, the first time. Invalid for an unknown zone. */
export function onClockOf(zone: string, figures: DateTime): DateTime {
  return firstOf(inZone(zone, (known) => figures.setZone(known, { keepLocalTime: true })));
}

/** The first moment of the day: where clocks go back at midnight, as in Havana and the Azores, midnight comes twice. */
export function dayStartOf(local: DateTime): DateTime {
  return firstOf(local.startOf('day'));
}

/** The moment that ends the day of a local time. A day may begin at one o'clock, where clocks go forward at midnight. */
export function dayEndOf(local: DateTime): DateTime {
  return dayStartOf(local.plus({ days: 1 }));
}

/** luxon takes one or the other, by the offset of the day on which the process began. */
function firstOf(local: DateTime): DateTime {
  return local.isValid ? (local.getPossibleOffsets()[0] ?? local) : local;
}

function hasOffset(iso: string): boolean {
  const time = iso.search(/t/i);
  return time >= 0 && /(?:z|[+-]\d{2}(?::?\d{2})?)$/i.test(iso.slice(time));
}

function inZone(name: string, timeIn: (zone: Zone) => DateTime): DateTime {
  if (/^(?:utc|gmt)$/i.test(name)) return timeIn(FixedOffsetZone.utcInstance);
  const rules = zoneNamed(name);
  if (rules === undefined) return DateTime.invalid('unknown zone', name.slice(0, 60));
  return timeIn(rules.isFixed ? FixedOffsetZone.instance(offsetAt(rules, 0)) : new RuledZone(rules));
}

class RuledZone extends Zone {
  readonly #rules: ZoneRules;

  constructor(rules: ZoneRules) {
    super();
    this.#rules = rules;
  }

  /** Not `iana`: for that, luxon would ask Node for the weekday, which then is another one around midnight. */
  override get type(): string {
    return 'ruled';
  }

  override get name(): string {
    return this.#rules.name;
  }

  override get isUniversal(): boolean {
    return false;
  }

  override get isValid(): true {
    return true;
  }

  override offset(ms: number): number {
    return offsetAt(this.#rules, ms);
  }

  override offsetName(ms: number): string {
    return `UTC${this.formatOffset(ms, 'short')}`;
  }

  override formatOffset(ms: number, format: ZoneOffsetFormat): string {
    return FixedOffsetZone.instance(this.offset(ms)).formatOffset(ms, format);
  }

  override equals(other: Zone): boolean {
    return other instanceof RuledZone && other.name === this.name;
  }
}
