// The calendars and tabs of the mapping, each with what the workers know of it without asking Google.

import { calendarPlace, sheetPlace } from '../engine/ids.ts';
import type { Ledger } from '../engine/ledger.ts';
import { spotsOf } from '../engine/link.ts';
import { type Directory, lineName, type Mirror, ofKind } from '../engine/mirror.ts';
import { EVERYTHING, formatKey } from '../engine/object.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { BookingSource } from '../engine/outside-booking.ts';
import { RedisStore, replyWithin } from '../engine/redis-script.ts';
import type { SheetSpot } from '../engine/sheet-row.ts';
import { FILLED } from '../engine/sheet-rows.ts';
import type { Claim } from '../engine/work.ts';
import { REACHED_KEPT_MS } from '../sheet/outbox.ts';
import { placesOf } from '../sheet/tab-survey.ts';
import { digest } from './personal-data.ts';
import { placeField } from './process-reports.ts';

/** A calendar or a tab that the YAML names. */
export type Place = PlaceBase &
  ({ readonly kind: 'calendar'; readonly calendarId: string } | ({ readonly kind: 'tab' } & SheetSpot));

interface PlaceBase {
  /** Stands for the place in addresses, and reveals neither a person nor a spreadsheet. */
  readonly id: string;
  /** `calendar:<id>` or `spreadsheet:<id>/<tab>`, as in problems and dead letters. */
  readonly target: string;
  /** Whose appointments a calendar shows, as the YAML names them. */
  readonly names: readonly string[];
  /** Mirrors that write there. */
  readonly mirrors: readonly string[];
  /** Entries of `bookings` that read there. */
  readonly entries: readonly string[];
}

const ID_CHARS = 16;

/** In the order of the YAML, each place once. */
export function mappedPlaces(config: {
  readonly mirrors: readonly Mirror[];
  readonly bookings: readonly BookingSource[];
}): readonly Place[] {
  const booked = ofKind(config.bookings, 'sheet').map((entry) => ({
    ...tabPlace(entry),
    ...{ mirrors: [], entries: [entry.name] },
  }));
  const places = [...config.mirrors.flatMap((mirror) => placesOfMirror(mirror, config.bookings)), ...booked];
  const known = new Map<string, Place>();
  for (const place of places) known.set(place.target, joined(known.get(place.target), place));
  return [...known.values()];
}

function placesOfMirror(mirror: Mirror, bookings: readonly BookingSource[]): readonly Place[] {
  if (mirror.kind === 'sheet')
    return placesOf(mirror).map((tab) => ({ ...tabPlace(tab), mirrors: [mirror.name], entries: [] }));
  if (mirror.kind !== 'calendar') return [];
  const booked = ofKind(bookings, 'calendar');
  return mirror.calendars.map((line) => {
    const { calendarId } = line;
    const { name } = lineName(line);
    const target = calendarPlace(calendarId);
    const takes = booked.filter(({ calendars }) => calendars.some((each) => each.calendarId === calendarId));
    return {
      ...{ kind: 'calendar', id: digest(target, ID_CHARS), target, calendarId },
      names: name === EVERYTHING ? [] : [name],
      mirrors: [mirror.name],
      entries: takes.map((entry) => entry.name),
    };
  });
}

function tabPlace({ spreadsheetId, tab }: SheetSpot) {
  const target = sheetPlace({ spreadsheetId, tab });
  return { kind: 'tab', id: digest(target, ID_CHARS), target, spreadsheetId, tab, names: [] } as const;
}

function joined(known: Place | undefined, place: Place): Place {
  if (known === undefined) return place;
  const both = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])];
  return {
    ...known,
    names: both(known.names, place.names),
    mirrors: both(known.mirrors, place.mirrors),
    entries: both(known.entries, place.entries),
  };
}

export class PlaceStore extends RedisStore {
  async add(fields: ReadonlyMap<string, number>): Promise<void> {
    const { reached } = this.keys;
    // In one step: a death between the two would keep the key for good.
    const both = this.redis
      .multi()
      .hset(reached, Object.fromEntries(fields))
      .pexpire(reached, REACHED_KEPT_MS);
    await replyWithin(both.exec());
  }

  /** `placeField` a place to when Google last carried out such a call; epoch milliseconds. */
  async reached(): Promise<ReadonlyMap<string, number>> {
    const fields = await replyWithin(this.redis.hgetall(this.keys.reached));
    return new Map(Object.entries(fields).map(([field, at]) => [field, Number(at)]));
  }

  /** Events or rows that the workers keep there; undefined for a tab in which people only book. */
  async size(place: Place): Promise<number | undefined> {
    if (place.kind === 'calendar') return replyWithin(this.redis.hlen(this.keys.eventsOf + place.calendarId));
    if (place.mirrors.length === 0) return undefined;
    const counts = await Promise.all(
      place.mirrors.map(async (mirror) => {
        const rows = this.keys.rows({ ...place, mirror });
        const [count, isFilled] = await Promise.all([
          replyWithin(this.redis.hlen(rows)),
          replyWithin(this.redis.hexists(rows, FILLED)),
        ]);
        return count - isFilled;
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }
}

/** When the place was last written and read; of a tab, any read of its spreadsheet counts. */
export function lastCalls(place: Place, reached: ReadonlyMap<string, number>) {
  const source = place.kind === 'tab' ? `spreadsheet:${place.spreadsheetId}` : place.target;
  return {
    writtenAtMs: reached.get(placeField(place.target, 'write')),
    readAtMs: reached.get(placeField(source, 'read')),
  };
}

/** Pending objects that are looked at for one page; each is one read of Redis. */
const LOOKED_AT_MAX = 500;

/** What waits to be written into one place. */
export interface PendingHere {
  /** `formatKey`'s, the longest waiting first. */
  readonly keys: readonly string[];
  /** False: more is pending than was looked at. */
  readonly isWhole: boolean;
}

/**
 * Rows that wait for the tab, or pending appointments that are in the calendar or that its line of the mapping names. Asks neither the
 * platform nor Google.
 */
export async function pendingIn(
  parts: {
    readonly ledger: Pick<Ledger, 'pendingBefore'>;
    readonly outbox: Pick<Outbox, 'pending'>;
    readonly directory: () => Directory;
  },
  place: Place,
): Promise<PendingHere> {
  if (place.kind === 'tab') {
    const rows = await Promise.all(
      place.mirrors.map((mirror) => parts.outbox.pending(place.spreadsheetId, LOOKED_AT_MAX, { mirror })),
    );
    const here = rows.flat().filter(({ tab }) => tab === place.tab);
    return { keys: here.map(({ key }) => key), isWhole: rows.every((some) => some.length < LOOKED_AT_MAX) };
  }
  const claims = await parts.ledger.pendingBefore(Number.MAX_SAFE_INTEGER, LOOKED_AT_MAX);
  const here = claims.filter((claim) => concerns(place, claim, parts.directory()));
  return { keys: here.map(({ key }) => formatKey(key)), isWhole: claims.length < LOOKED_AT_MAX };
}

function concerns(place: Place, { key, links, snapshot }: Claim, lists: Directory): boolean {
  if (spotsOf(links).some((spot) => spot.place === place.target)) return true;
  if (key.kind !== 'appointment' || snapshot === undefined) return false;
  if (place.names.length === 0) return true;
  const { resource_id: main, resource_ids: all, branch_id: branch, service_id: service } = snapshot;
  const resources = [main, ...(Array.isArray(all) ? all : [])].map(String);
  const known = [
    ...resources.flatMap((id) => [id, lists.resources.get(id)?.name]),
    ...[String(branch), lists.branches.get(String(branch))?.name],
    ...[String(service), lists.services.get(String(service))?.name],
  ];
  return place.names.some((name) => known.includes(name));
}
