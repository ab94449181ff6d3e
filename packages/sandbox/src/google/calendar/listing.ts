// events.list and events.instances: pages and sync tokens. A page token stores a position. A sync token stores the number of the
// calendar's last change at its first page, so that no change made while paging is lost.
import type { JsonObject } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { calendarRefusal, invalidValue } from '../refusal.ts';
import type { Calendar } from './calendar.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import { answers, isOfType, type ListQuery, readListQuery } from './filter.ts';
import { type CalendarOffice, notFound, seeingOf } from './office.ts';
import { Seal } from './seal.ts';
import { instancesOf, isMaster } from './series.ts';

/** Where a page begins: the first entry with (position, sub) at or after this one. */
interface Place {
  position: number;
  sub: number;
}

interface Entry extends Place {
  event: StoredEvent;
}

interface Walk {
  /** Only changes after this one; undefined for a full list. */
  since: number | undefined;
  /** The calendar's last change when the walk began. */
  top: number;
  place: Place;
  /** With the switch `emptyPages`: the empty page before this one has been served. */
  isEmptyServed: boolean;
}

export class Listing {
  readonly #office: CalendarOffice;
  readonly #seal = new Seal();

  constructor(office: CalendarOffice) {
    this.#office = office;
  }

  list(call: Call): Answer {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    const query = readListQuery(call, this.#office.now());
    const walk = this.#walk(calendar, query);
    if (this.#office.switches.emptyPages && !walk.isEmptyServed) {
      return {
        body: this.#page(calendar, call, {
          items: [],
          nextPageToken: this.#pageToken(calendar, query, { ...walk, isEmptyServed: true }),
        }),
      };
    }
    const seeing = { ...seeingOf(calendar, call), zone: query.zone };
    const items: JsonObject[] = [];
    for (const entry of entriesOf(calendar, query, walk)) {
      if (items.length === query.pageSize) {
        const place = { position: entry.position, sub: entry.sub };
        return {
          body: this.#page(calendar, call, {
            items,
            nextPageToken: this.#pageToken(calendar, query, { ...walk, place, isEmptyServed: false }),
          }),
        };
      }
      items.push(this.#office.show(calendar, entry.event, seeing));
    }
    const end: JsonObject = { items };
    if (query.givesSyncToken) {
      end['nextSyncToken'] = this.#seal.close({
        kind: 'sync',
        calendar: calendar.id,
        epoch: calendar.epoch,
        since: walk.top,
        binding: query.binding,
      });
    }
    return { body: this.#page(calendar, call, end) };
  }

  /** All instances of one series on one page, because the sandbox bounds their number. */
  instances(call: Call): Answer {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    const master = calendar.get(call.path['eventId'] ?? '');
    if (master === undefined) throw notFound();
    const query = { ...readListQuery(call, this.#office.now()), isExpanded: true };
    const seeing = { ...seeingOf(calendar, call), zone: query.zone };
    const items = [...instancesOf(calendar, master), ...calendar.exceptionsOf(master.id)]
      .filter((event) => answers(event, query))
      .sort((a, b) => a.startMs - b.startMs)
      .map((event) => this.#office.show(calendar, event, seeing));
    return { body: this.#page(calendar, call, { items }) };
  }

  #walk(calendar: Calendar, query: ListQuery): Walk {
    const since =
      query.syncToken === undefined ? undefined : this.#since(calendar, query.syncToken, query.binding);
    const start: Walk = { since, top: calendar.change, place: { position: 0, sub: 0 }, isEmptyServed: false };
    if (query.pageToken === undefined) return start;
    const held = this.#seal.open(query.pageToken);
    // A page token is valid only with the query that produced it.
    if (held?.['kind'] !== 'page' || held['calendar'] !== calendar.id || held['wording'] !== query.wording) {
      throw invalidValue('Invalid page token value.', 'pageToken');
    }
    const place = { position: Number(held['position']), sub: Number(held['sub']) };
    return { since, top: Number(held['top']), place, isEmptyServed: held['isEmptyServed'] === true };
  }

  #since(calendar: Calendar, token: string, binding: string): number {
    const held = this.#seal.open(token);
    // A token that Google never gave is no expired one.
    if (held?.['kind'] !== 'sync') throw invalidValue('Invalid sync token value.', 'syncToken');
    if (held['calendar'] !== calendar.id || held['epoch'] !== calendar.epoch) {
      throw calendarRefusal(410, {
        domain: 'calendar',
        reason: 'fullSyncRequired',
        message: 'Sync token is no longer valid, a full sync is required.',
        locationType: 'parameter',
        location: 'syncToken',
      });
    }
    // Google calls it undefined behaviour; the sandbox refuses it.
    if (held['binding'] !== binding)
      throw invalidValue('Sync token cannot be used with other request restrictions.', 'syncToken');
    return Number(held['since']);
  }

  #pageToken(calendar: Calendar, query: ListQuery, walk: Walk): string {
    const { top, place, isEmptyServed } = walk;
    return this.#seal.close({
      kind: 'page',
      calendar: calendar.id,
      wording: query.wording,
      top,
      ...place,
      isEmptyServed,
    });
  }

  #page(calendar: Calendar, call: Call, rest: JsonObject): JsonObject {
    return {
      kind: 'calendar#events',
      etag: `"p${calendar.change}"`,
      summary: calendar.summary,
      updated: new Date(this.#office.now()).toISOString(),
      timeZone: call.query.text('timeZone') ?? calendar.timeZone,
      accessRole: calendar.roleOf(call.principal.email),
      defaultReminders: [],
      ...rest,
    };
  }
}

function* entriesOf(calendar: Calendar, query: ListQuery, walk: Walk): Generator<Entry> {
  if (walk.since !== undefined) {
    yield* expanded(changes(calendar, walk.since, walk.place), {
      calendar,
      query,
      place: walk.place,
      accepts: (event) => isOfType(event, query),
    });
    return;
  }
  const accepts = (event: StoredEvent): boolean =>
    answers(event, query) && !isLeftover(calendar, query, event);
  if (query.orderBy === undefined) {
    yield* expanded(candidates(calendar, query, walk.place), { calendar, query, place: walk.place, accepts });
    return;
  }
  const origin = { position: 0, sub: 0 };
  const all = [...expanded(candidates(calendar, query, origin), { calendar, query, place: origin, accepts })];
  all.sort(
    query.orderBy === 'startTime'
      ? (a, b) => a.event.startMs - b.event.startMs
      : (a, b) => a.event.updatedMs - b.event.updatedMs,
  );
  for (let i = walk.place.position; i < all.length; i += 1) {
    const entry = all[i];
    if (entry !== undefined) yield { event: entry.event, position: i, sub: 0 };
  }
}

/** A cancelled exception shows while its series is live. With a deleted series it counts as a deleted event. */
function isLeftover(calendar: Calendar, query: ListQuery, event: StoredEvent): boolean {
  if (!isCancelled(event) || event.recurringEventId === undefined) return false;
  const master = calendar.get(event.recurringEventId);
  return (
    !query.showDeleted && query.updatedMin === undefined && (master === undefined || isCancelled(master))
  );
}

/** Events changed since, or from the walk's place on. */
function* changes(calendar: Calendar, since: number, place: Place): Generator<Entry> {
  for (const event of calendar.changedSince(Math.max(since, place.position - 1)))
    yield { event, position: event.change, sub: 0 };
}

function* candidates(calendar: Calendar, query: ListQuery, place: Place): Generator<Entry> {
  const { privateProperty } = query;
  // The index avoids a walk over the whole calendar. It also finds series, whose masters carry the property of their instances.
  if (privateProperty !== undefined) {
    const found = [...calendar.withPrivateProperty(privateProperty.key, privateProperty.value)].sort(
      (a, b) => a.ordinal - b.ordinal,
    );
    for (const event of found)
      if (event.ordinal >= place.position) yield { event, position: event.ordinal, sub: 0 };
    return;
  }
  for (const event of calendar.from(place.position)) yield { event, position: event.ordinal, sub: 0 };
}

interface Expansion {
  calendar: Calendar;
  query: ListQuery;
  place: Place;
  accepts: (event: StoredEvent) => boolean;
}

/** Replaces masters by their instances when the query asks for single events, and drops events that do not match. */
function* expanded(entries: Iterable<Entry>, how: Expansion): Generator<Entry> {
  for (const entry of entries) {
    if (isMaster(entry.event) && how.query.isExpanded && !isCancelled(entry.event)) {
      const fromSub = entry.position === how.place.position ? how.place.sub : 0;
      for (const [sub, event] of instancesOf(how.calendar, entry.event).entries()) {
        if (sub >= fromSub && how.accepts(event)) yield { event, position: entry.position, sub };
      }
    } else if (isMaster(entry.event) && how.query.isExpanded) {
      // In an expanded list, a deleted series shows only with a sync token, as its cancelled master.
      if (how.query.syncToken !== undefined) yield entry;
    } else if (how.accepts(entry.event) || isOpenSeries(entry.event, how)) yield entry;
  }
}

/** An unexpanded series belongs in a window when any of its instances does. */
function isOpenSeries(event: StoredEvent, how: Expansion): boolean {
  const isWindowed = how.query.timeMin !== undefined || how.query.timeMax !== undefined;
  return (
    isWindowed &&
    isMaster(event) &&
    !isCancelled(event) &&
    instancesOf(how.calendar, event).some((instance) => how.accepts(instance))
  );
}
