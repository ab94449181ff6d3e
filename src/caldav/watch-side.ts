// What CalDAV calendars say: changes as pages of events, and when people are busy. A server tells what changed and what is gone by address; the index knows which events were
// there. What a page says is a hint: whoever acts on a deletion reads the event first.
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { BusyEvent } from '../engine/block.ts';
import { DeferredError } from '../engine/errors.ts';
import { seriesOfInstance } from '../engine/ids.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import type { CalendarEvent } from '../google/calendar-event.ts';
import { type BusyEventsApi, toBusy } from '../google/calendar-events.ts';
import type { ChangePage, ListingPlace } from '../google/calendar-watch-api.ts';
import { CaldavCalendars, type CaldavParts } from './caldav-side.ts';
import type { LastWrite, OpenChanges } from './calendar-index.ts';
import type { DavCalendar } from './calendar-requests.ts';
import { EVENTS_ODD, HIDDEN, oddEvent } from './errors.ts';
import { everyDayIn } from './event-read.ts';

/** What the worker keeps as the sync token of a calendar. */
const PLACE = z.object({
  /** Token of the server; absent where it has none. */
  token: z.string().optional(),
  /** When everything was last listed; epoch milliseconds. */
  listedAtMs: z.number(),
  /** The sync that told what had changed (`OpenChanges`); absent if nothing had. */
  at: z.string().optional(),
  /** The worker's last write before this sync. */
  wrote: z.string().optional(),
});
type Place = z.output<typeof PLACE>;
const PAGE = z.object({
  ...{ from: z.number(), listedAtMs: z.number(), at: z.string() },
  wrote: z.string().optional(),
});

/** Objects of one page. */
const OBJECTS_PER_PAGE = 100;
/** A list of changes may leave out deletions, so everything is listed once a day (rule 3). */
const LIST_EVERY_MS = 86_400_000;

export class CaldavWatchApi {
  readonly #parts: CaldavParts;
  readonly #calendars: CaldavCalendars;

  constructor(parts: CaldavParts, rank?: BudgetRank) {
    this.#parts = parts;
    this.#calendars = new CaldavCalendars(parts, rank);
  }

  /** As `CalendarWatchApi.changes`. */
  async changes(
    calendarId: string,
    { syncToken, pageToken }: ListingPlace,
  ): Promise<ChangePage | 'lost' | 'place-refused'> {
    const calendar = this.#calendars.at(calendarId);
    const nowMs = this.#parts.clock.now();
    if (pageToken !== undefined) {
      const page = parsed(PAGE, pageToken);
      const open = await this.#parts.index.open(calendarId);
      if (page === undefined || open === undefined || open.at !== page.at) return 'place-refused';
      return this.#page(calendar, open, { ...page, answeredAtMs: undefined });
    }
    const place = syncToken === undefined ? undefined : parsed(PLACE, syncToken);
    if (syncToken !== undefined && place === undefined) return 'lost';
    // Read before the server is asked: its answer then covers this write.
    const lastWrite = await this.#parts.index.lastWrite(calendarId);
    const begun =
      place === undefined ? await this.#listed(calendar) : await this.#since(calendar, place, lastWrite);
    // The server is asked all the same: if it does not know its token, the list is of an earlier state.
    const isDue = place !== undefined && nowMs - place.listedAtMs >= LIST_EVERY_MS;
    if (begun === 'lost' || isDue) return 'lost';
    const { answeredAtMs, ...changes } = begun;
    const wrote = lastWrite?.name;
    const listedAtMs = place?.listedAtMs ?? nowMs;
    if (changes.changed.length + changes.gone.length === 0)
      return {
        events: [],
        nextPageToken: undefined,
        answeredAtMs,
        nextSyncToken: JSON.stringify({ token: changes.next, listedAtMs, wrote }),
      };
    const freed = await this.#freed(calendar, changes);
    const open = {
      ...changes,
      changed: [...changes.changed, ...freed.keys()],
      versions: { ...changes.versions, ...Object.fromEntries(freed) },
      left: await this.#left(calendar, changes.gone),
      at: randomUUID(),
    };
    await this.#parts.index.setOpen(calendarId, open);
    return this.#page(calendar, open, { from: 0, listedAtMs, wrote, answeredAtMs });
  }

  /** No CalDAV server pings. */
  async watch(): Promise<'unable'> {
    return 'unable';
  }

  async stop(): Promise<'absent'> {
    return 'absent';
  }

  async #listed(calendar: DavCalendar): Promise<Begun> {
    const next = await calendar.token();
    const { etags } = await calendar.list();
    const { index } = this.#parts;
    const known = await index.all(calendar.id);
    const isRefused = await index.isRefused(calendar.id);
    // Nothing is left of what the token stood for: somebody made the calendar anew, and deleted no single event.
    const isAnew = known.size > 0 && ![...known.keys()].some((href) => etags.has(href));
    const missing = [...known].filter(([href]) => !etags.has(href));
    if (isRefused || isAnew)
      await index.miss(
        calendar.id,
        missing.flatMap(([, { ids }]) => ids),
      );
    if (isRefused) {
      const others = [...etags].filter(([href, etag]) => known.has(href) && known.get(href)?.etag !== etag);
      await index.noteRestored(calendar.id, Object.fromEntries(others));
    }
    return {
      ...{ next, changed: [...etags.keys()], versions: Object.fromEntries(etags), answeredAtMs: undefined },
      gone: missing.map(([href]) => href),
    };
  }

  async #since(
    calendar: DavCalendar,
    { token, at, wrote }: Place,
    lastWrite: LastWrite | undefined,
  ): Promise<Begun | 'lost'> {
    const { index } = this.#parts;
    await this.#forgetTold(calendar, at);
    if (token === undefined) return this.#compared(calendar);
    const answer = await calendar.changesSince(token);
    if (answer === 'refused') await index.noteRefused(calendar.id);
    if (typeof answer === 'string') return 'lost';
    const { gone, token: next, answeredAtMs } = answer;
    const [changed, versions] = [[...answer.changed.keys()], Object.fromEntries(answer.changed)];
    // A calendar made anew may have the token of the old one, as when both were empty: it tells nothing of what the worker wrote.
    const written = lastWrite !== undefined && lastWrite.name !== wrote ? lastWrite.href : '';
    const isTold = written === '' || changed.includes(written) || gone.includes(written);
    if (!isTold && (await calendar.get(written)) === 'absent') return 'lost';
    if (changed.length + gone.length === 0) return { changed, gone, next, answeredAtMs };
    const known = await index.all(calendar.id);
    const named = new Set([...changed, ...gone]);
    // A 404 for an address that was never seen says nothing.
    const seenGone = gone.filter((href) => known.has(href));
    const isWhole = known.size > 0 && [...known.keys()].every((href) => named.has(href));
    if (!isWhole || calendar.quirks.refusesUnknownTokens)
      return { changed, versions, gone: seenGone, next, answeredAtMs };
    // Perhaps a full list, which tells no deletions: the server has forgotten the token (rule 3).
    const { etags } = await calendar.list();
    const missing = [...known.keys()].filter((href) => !etags.has(href));
    return {
      changed: changed.filter((href) => etags.has(href)),
      versions,
      gone: [...new Set([...seenGone, ...missing])],
      next,
      answeredAtMs,
    };
  }

  /** For servers without sync-collection. */
  async #compared(calendar: DavCalendar): Promise<Begun> {
    const { etags } = await calendar.list();
    const known = await this.#parts.index.all(calendar.id);
    // An earlier sync told of them, but what it told was not stored.
    const unstored = new Set((await this.#parts.index.open(calendar.id))?.changed);
    const changed = [...etags].flatMap(([href, etag]) => {
      const { etag: before, isUntold = false } = known.get(href) ?? {};
      return before === etag && etag !== '' && !isUntold && !unstored.has(href) ? [] : [href];
    });
    const gone = [...known.keys()].filter((href) => !etags.has(href));
    return {
      ...{ changed, versions: Object.fromEntries(etags), gone },
      ...{ next: undefined, answeredAtMs: undefined },
    };
  }

  /** Addresses with a UID that another one had, which is gone: they count from now on. With their versions. */
  async #freed(
    calendar: DavCalendar,
    { changed, gone }: Pick<OpenChanges, 'changed' | 'gone'>,
  ): Promise<ReadonlyMap<string, string>> {
    if (gone.length === 0) return new Map();
    const told = new Set([...changed, ...gone]);
    const doubled = [...(await this.#parts.index.all(calendar.id))].filter(
      ([href, { odd }]) => odd === 'doubled' && !told.has(href),
    );
    return new Map(doubled.map(([href, { etag }]) => [href, etag]));
  }

  async #left(calendar: DavCalendar, gone: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const left: Record<string, string> = {};
    for (const href of gone) {
      const { noted } = (await this.#parts.index.entry(calendar.id, href)) ?? {};
      if (noted !== undefined) left[href] = noted;
    }
    return left;
  }

  /** The caller has stored what this sync told of, so it is forgotten. Tokens prove nothing: some servers have none, or one a second. */
  async #forgetTold(calendar: DavCalendar, at: string | undefined): Promise<void> {
    const { index } = this.#parts;
    const open = await index.open(calendar.id);
    if (open === undefined || open.at !== at || open.gone.length + open.changed.length === 0) return;
    await index.drop(calendar.id, open);
    await index.setOpen(calendar.id, { ...open, changed: [], versions: {}, gone: [], left: {} });
  }

  async #page(
    calendar: DavCalendar,
    open: OpenChanges,
    {
      from,
      listedAtMs,
      wrote,
      answeredAtMs,
    }: Omit<z.output<typeof PAGE>, 'at'> & { readonly answeredAtMs: number | undefined },
  ): Promise<ChangePage> {
    const { index } = this.#parts;
    const { changed, versions = {} } = open;
    const some = changed.slice(from, from + OBJECTS_PER_PAGE);
    const told = new Map(some.map((href) => [href, versions[href] ?? '']));
    const objects = await this.#calendars.fetchAll(calendar, told);
    const there = new Set(objects.map(({ href }) => href));
    const gone = new Set(open.gone);
    const events: CalendarEvent[] = [];
    const ended: string[] = [];
    for (const object of objects) {
      const { read, before } = await this.#calendars.note(calendar, object, {
        by: 'sync',
        isGone: (href) => gone.has(href),
      });
      events.push(...(read?.events.map(({ event }) => event) ?? []));
      const known = new Set(read?.events.map(({ event }) => event.id));
      // What cannot be read may still hold its events.
      if (read !== undefined)
        ended.push(...[...(before?.ids ?? []), ...(before?.lost ?? [])].filter((id) => !known.has(id)));
    }
    const isLast = from + OBJECTS_PER_PAGE >= changed.length;
    for (const href of [...some.filter((each) => !there.has(each)), ...(isLast ? open.gone : [])]) {
      const entry = await index.entry(calendar.id, href);
      ended.push(...(entry?.ids ?? []), ...(entry?.lost ?? []));
    }
    events.push(...(await this.#endedEvents(calendar, ended, gone)));
    if (!isLast) {
      const nextPageToken = JSON.stringify({
        ...{ from: from + OBJECTS_PER_PAGE, listedAtMs, wrote, at: open.at },
      });
      return { events, nextPageToken, nextSyncToken: undefined, answeredAtMs };
    }
    await this.#tellOdd(calendar.id);
    return {
      events,
      nextPageToken: undefined,
      nextSyncToken: JSON.stringify({ token: open.next, listedAtMs, wrote, at: open.at }),
      answeredAtMs,
    };
  }

  /** Events that are no longer where they were. One that has another address now, or follows its series again, is there. */
  async #endedEvents(
    calendar: DavCalendar,
    ids: readonly string[],
    gone: ReadonlySet<string>,
  ): Promise<readonly CalendarEvent[]> {
    if (ids.length === 0) return [];
    const alive = new Set<string>();
    for (const [href, entry] of await this.#parts.index.all(calendar.id))
      if (!gone.has(href)) for (const id of entry.ids) alive.add(id);
    const events: CalendarEvent[] = [];
    for (const id of new Set(ids)) {
      if (alive.has(id)) continue;
      const base = seriesOfInstance(id);
      const followed = base !== undefined && alive.has(base) ? await this.#again(calendar, id) : undefined;
      if (followed !== 'unknown') events.push(followed ?? { id, etag: '', status: 'cancelled' });
    }
    return events;
  }

  /** The instance, if it follows its series again. `unknown`: nobody can tell, and a page of changes does not wait for it. */
  async #again(calendar: DavCalendar, id: string): Promise<CalendarEvent | 'unknown' | undefined> {
    try {
      return (await this.#calendars.find(calendar, id))?.event;
    } catch (error) {
      if (error instanceof DeferredError && error.code === EVENTS_ODD) return 'unknown';
      throw error;
    }
  }

  async #tellOdd(calendarId: string): Promise<void> {
    const odd = [...(await this.#parts.index.all(calendarId)).values()].flatMap(({ odd: why }) => why ?? []);
    const count = (why: string) => odd.filter((each) => each === why).length;
    await tellOdd(this.#parts, `caldav-events:${calendarId}`, {
      ...{ unreadable: count('unreadable'), doubled: count('doubled'), unfollowed: count('unfollowed') },
    });
  }
}

/** People see only that events are missing; here is why. */
async function tellOdd(
  { problems }: Pick<CaldavParts, 'problems'>,
  target: string,
  { unreadable = 0, doubled = 0, unfollowed = 0, hidden = 0 },
): Promise<void> {
  const parts = [
    ...(unreadable > 0 ? [`${unreadable} that no program can read`] : []),
    ...(doubled > 0 ? [`${doubled} with the UID of another event`] : []),
    ...(unfollowed > 0
      ? [`${unfollowed} that repeat by a rule nobody can follow (blocks take each day)`]
      : []),
    ...(hidden > 0 ? [`${hidden} that the server lists and does not show`] : []),
  ];
  if (parts.length === 0) return problems.clear(target, 'read').catch(() => undefined);
  const problem = {
    ...{ target, code: EVENTS_ODD },
    message: `the calendar holds events that do not count as they are: ${parts.join(', ')}`,
    advice:
      'Open the calendar in the program that wrote them, and save, repeat or delete these events there anew. The worker changes none of them.',
  };
  await problems.raise(problem).catch(() => undefined);
}

interface Begun extends Omit<OpenChanges, 'at'> {
  readonly answeredAtMs: number | undefined;
}

function parsed<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** How long busy times wait for an object that is listed and not shown. Longer, it is a server's mistake that would hold up all others. */
const HIDDEN_FOR_MS = 15 * 60_000;
/** When people are busy, from CalDAV calendars (`BusyEventsApi`). */
export class CaldavBusyEventsApi implements BusyEventsApi {
  readonly #parts: CaldavParts;
  readonly #calendars: CaldavCalendars;

  constructor(parts: CaldavParts, rank?: BudgetRank) {
    this.#parts = parts;
    this.#calendars = new CaldavCalendars(parts, rank);
  }

  async list(
    calendarId: string,
    window: { readonly fromMs: number; readonly untilMs: number },
    { ruled }: { readonly ruled: boolean },
  ): Promise<readonly BusyEvent[]> {
    const calendar = this.#calendars.at(calendarId);
    const { found: objects, unreadable, missing } = await this.#calendars.everything(calendar);
    const hidden = await this.#hidden(calendar, missing);
    const found: CalendarEvent[] = [];
    const about = await this.#calendars.about(calendar);
    let unfollowed = 0;
    for (const { read } of objects) {
      const masters = read.events.filter(({ event }) => event.recurringEventId === undefined);
      const known = new Set(masters.map(({ event }) => event.id));
      for (const master of masters) {
        const events = await this.#calendars.instancesOf(calendar, { read, master, ...window });
        if (events === undefined) unfollowed += 1;
        found.push(...(events ?? everyDayIn(read, { master, ...window, about })));
      }
      // Invited to single events of a series.
      found.push(
        ...read.events.flatMap(({ event }) => (known.has(event.recurringEventId ?? event.id) ? [] : [event])),
      );
    }
    await tellOdd(this.#parts, `caldav-busy:${calendarId}`, { unreadable, unfollowed, hidden: hidden.count });
    if (hidden.isNew) throw oddEvent(calendarId, HIDDEN);
    return found
      .filter(({ status }) => status !== 'cancelled')
      .map((event) => toBusy(event, calendarId, ruled));
  }

  /** How many of these the server still lists. `isNew`: not for long, so it may be showing them again soon. */
  async #hidden(
    calendar: DavCalendar,
    missing: readonly string[],
  ): Promise<{ readonly count: number; readonly isNew: boolean }> {
    const { clock, memory } = this.#parts;
    const nowMs = clock.now();
    const { etags } = missing.length === 0 ? { etags: new Map<string, string>() } : await calendar.list();
    const before = memory.hidden.get(calendar.id);
    const hidden = new Map(
      missing.filter((href) => etags.has(href)).map((href) => [href, before?.get(href) ?? nowMs]),
    );
    memory.hidden.set(calendar.id, hidden);
    const isNew = [...hidden.values()].some((sinceMs) => Math.abs(nowMs - sinceMs) < HIDDEN_FOR_MS);
    return { count: hidden.size, isNew };
  }
}
