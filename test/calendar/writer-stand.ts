/** One writer for one event against the Google sandbox: what people have made of the event, what the mirror wants, and what is left in the end. */
import { randomUUID } from 'node:crypto';
import { EventWriter, type EventWriterParts } from '../../src/calendar/event-writer.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import { type CalendarLink, type StoredLink, toLink } from '../../src/engine/link.ts';
import type { CalendarApi } from '../../src/google/calendar-api.ts';
import type { EventBody } from '../../src/google/calendar-event.ts';
import { ANNA, BORIS, mirror, NOW_MS, type Stand } from './stand.ts';

/** When the worker wrote the event, where it is to be, and where people have moved it. */
export const [TEN, TWELVE, FIVE] = ['2026-11-03T10:00:00Z', '2026-11-03T12:00:00Z', '2026-11-03T17:00:00Z'];
export const EDITS = { ...mirror.staffEdits, moved: 'reschedule', deleted: 'cancel' } as const;
export const REVERTS = { moved: 'revert', deleted: 'restore' } as const;
/** All tests of a file share a stand. */
export const NO_QUOTAS = { calendarPerMinutePerUser: 1_000_000 };

const momentOf = (iso: string) => ({ dateTime: iso, timeZone: 'UTC' });
const hourAfter = (iso: string) => new Date(Date.parse(iso) + 3_600_000).toISOString();
const times = (iso: string) => ({ start: momentOf(iso), end: momentOf(hourAfter(iso)) });

type Call = 'get' | 'getIn' | 'insert' | 'patch';

export interface Situation {
  /** Its id is none of the worker's: people have made it. */
  readonly isPeoples?: boolean;
  /** Where people have left the event. */
  readonly shows?: string | 'deleted' | 'gone';
  /** Private properties of the event. */
  readonly mark?: Readonly<Record<string, string>>;
  /** Fields of the event, as people have left it. */
  readonly has?: Readonly<Record<string, unknown>>;
  /** What the mirror gives besides title and hour. */
  readonly wants?: Partial<EventBody>;
  readonly link?: Partial<StoredLink>;
  /** The link knows the event as people have left it. */
  readonly isDecided?: boolean;
  readonly edits?: Partial<EventWriterParts['edits']>;
  /** Links to the same event in the calendar of Boris. */
  readonly elsewhere?: readonly Partial<StoredLink>[];
  readonly parts?: Partial<EventWriterParts>;
  /** Called right before each call to Google, with what the writer is about to ask for. */
  readonly before?: (call: Call, at: { calendarId: string; eventId: string }) => unknown;
}

/** Writes the event for TWELVE. */
export async function write(stand: Stand, how: 'update' | 'create' | 'create-anew', about: Situation) {
  const { shows = FIVE, mark = {}, has = {}, wants = {}, link = {}, isDecided, elsewhere = [] } = about;
  const appointmentId = randomUUID();
  const eventId = about.isPeoples ? appointmentId.replaceAll('-', '') : eventIdOf(appointmentId);
  const own = { slotbridge: '1', slotbridge_appointment: appointmentId, slotbridge_mirror: 'm' };
  const at = { calendarId: ANNA, eventId };
  const isThere = shows !== 'deleted' && shows !== 'gone';
  if (shows !== 'gone')
    stand.staff.add({
      ...{ calendarId: ANNA, id: eventId },
      event: {
        ...{ summary: 'Haircut', ...times(isThere ? shows : TEN), ...has },
        extendedProperties: { private: { ...own, ...mark } },
      } as never,
    });
  if (shows === 'deleted') stand.staff.remove(at);
  const seen = await stand.api.get(ANNA, eventId);
  const etag = isDecided && seen !== 'absent' ? seen.etag : '"1"';
  const stored = { ...at, etag, hash: 'h', coloured: false, startsAt: TEN };
  const known = toLink({ ...stored, ...link });
  const intended: CalendarLink[] = [];
  const forgone: string[] = [];
  const putBack: string[] = [];
  const writer = new EventWriter({
    ...{ appointmentId, newId: () => eventId, status: 'confirmed', note: undefined },
    api: watched(stand.api, about.before),
    wanted: {
      body: {
        ...{ summary: 'Haircut', ...times(TWELVE), status: 'confirmed', ...wants },
        extendedProperties: { private: { ...own, ...wants.extendedProperties?.private } },
      },
      ...{ hash: 'new', sourceHash: 's' },
    },
    edits: { ...EDITS, ...about.edits },
    clock: { now: () => NOW_MS },
    colours: () => new Set(['11']),
    hasTwin: () => false,
    isNamed: () => true,
    elsewhere: () => elsewhere.map((each) => toLink({ ...stored, calendarId: BORIS, ...each })),
    beforePutBack: async (state) => void putBack.push(state),
    assertHeld: async () => undefined,
    intend: async (each) => void intended.push(each),
    forgo: async (each) => void forgone.push(each.eventId),
    ...about.parts,
  });
  const writing = {
    update: () => writer.update(known),
    create: () => writer.create(ANNA),
    'create-anew': () => writer.create(ANNA, known),
  };
  const end = await writing[how]().catch((error: unknown) => error);
  return {
    ...{ eventId, etag, intended, forgone, putBack, hasWritten: writer.hasWritten },
    error: end instanceof Error ? end : undefined,
    link: end instanceof Error ? undefined : (end as CalendarLink),
    event: (id = eventId) => stand.google.truth.event(ANNA, id),
  };
}

/** The same calls, of which a test hears before they are made. */
function watched(api: CalendarApi, before: Situation['before']): CalendarApi {
  if (before === undefined) return api;
  const of =
    (call: string) =>
    async (calendarId: string, event: string | { id: string }, ...rest: unknown[]) => {
      await before(call as Call, { calendarId, eventId: typeof event === 'string' ? event : event.id });
      return (Reflect.get(api, call) as (...given: unknown[]) => unknown).call(
        api,
        calendarId,
        event,
        ...rest,
      );
    };
  return new Proxy(api, {
    get: (target, name) =>
      ['get', 'getIn', 'insert', 'patch'].includes(String(name))
        ? of(String(name))
        : (Reflect.get(target, name) as () => unknown).bind(target),
  });
}
