// A series that people have split ("this and following events") goes on in a second master. Google copies into it what the event showed from
// which people split. These may be the mirror's texts and marks. So the second master and its events mean what the first one said, unless
// people wrote a booking into them.

import { APPOINTMENT_MARK, hashTexts, MARK } from '../../engine/domain/event-texts.ts';
import { bookingIdOf, calendarOrigin, continuedSeries, seriesOfInstance } from '../../engine/domain/ids.ts';
import { writtenAs } from '../../engine/domain/link.ts';
import type { Snapshot } from '../../engine/domain/object.ts';
import { type EntityKey, parseKey, withoutUndefined } from '../../engine/domain/object.ts';
import { type CalendarBookings, ownOf } from '../../engine/domain/outside-booking.ts';
import type { ObjectView } from '../../engine/ports/work.ts';
import type { CalendarEvent } from '../../google/calendar-event.ts';

/** What an event of a split series means. */
export interface Continued {
  /** Id of the first master. */
  readonly continues: string;
  /** Name of the `bookings` entry that takes the series. */
  readonly mapping: string;
  /** What the series said first; absent if the event's own words count. */
  readonly words?: Words;
}

type Words = Readonly<Partial<Record<'title' | 'description' | 'location', string>>>;

/** The title that a second master really shows: an event of it with another title has words of its own. */
export const SHOWN_TITLE = 'shown_title';

interface Parts {
  readonly mappings: readonly CalendarBookings[];
  readonly view: Pick<ObjectView, 'peek'>;
}

interface At {
  readonly calendarId: string;
  readonly event: CalendarEvent;
  /** The entry that takes the event by its own words. */
  readonly taking: CalendarBookings | undefined;
}

/** Undefined for an event that continues no series by which people book. */
export async function continuedBy(parts: Parts, at: At): Promise<Continued | undefined> {
  const { recurrence, recurringEventId } = at.event;
  if (recurrence !== undefined) return ofMaster(parts, at);
  return recurringEventId === undefined ? undefined : ofInstance(parts, at, recurringEventId);
}

async function ofMaster(parts: Parts, at: At): Promise<Continued | undefined> {
  const { calendarId, event, taking } = at;
  const appointment = await appointmentIn(parts, at);
  const known = await bookingOf(parts, calendarId, event.id);
  // The appointment may be over by now, and its link gone.
  const before = textOf(known?.snapshot?.['continues']);
  const first = continuedSeries(event.id)?.first ?? before ?? appointment?.series;
  if (first === undefined || first === event.id) return undefined;
  const former = await bookingOf(parts, calendarId, first);
  const isKnown = before === first;
  const isFormerSeries = former?.snapshot?.['recurrence'] !== undefined;
  if (!isFormerSeries && !isKnown) return undefined;
  if (taking !== undefined && !isMirrors(at, taking, appointment?.title))
    return { continues: first, mapping: taking.name };
  // The first part may be over for so long that its content is no longer kept.
  const source = isFormerSeries ? former.snapshot : known?.snapshot;
  const mapping = parts.mappings.find(({ name }) => name === source?.['mapping']);
  return mapping?.series && source && { continues: first, mapping: mapping.name, words: wordsOf(source) };
}

async function ofInstance(parts: Parts, at: At, masterId: string): Promise<Continued | undefined> {
  const { event, taking, calendarId } = at;
  const master = (await bookingOf(parts, calendarId, masterId))?.snapshot;
  const continues = textOf(master?.['continues']);
  const mapping = textOf(master?.['mapping']);
  if (master === undefined || continues === undefined || mapping === undefined) return undefined;
  const title = textOf(master[SHOWN_TITLE]);
  if (title !== undefined && (event.summary ?? '') === title)
    return { continues, mapping, words: wordsOf(master) };
  // Its own words count.
  return taking && { continues, mapping: taking.name };
}

/** Whether the mirror wrote what the event says, not whoever made it. */
function isMirrors({ event }: At, { when }: CalendarBookings, written: string | undefined): boolean {
  const isWritten = written !== undefined && hashOf(event.summary ?? '') === written;
  if (isWritten) return true;
  const isMarked = event.extendedProperties?.private?.[MARK.key] === MARK.value;
  // Only people write a title by which a rule asks for a booking.
  const asksByTitle = (when.title ?? '*').replaceAll('*', '').trim() !== '';
  return isMarked && !asksByTitle;
}

/** The appointment at whose event people split the series: its series, and the hash of the title that the mirror wrote. */
async function appointmentIn(
  { view }: Parts,
  { calendarId, event }: At,
): Promise<{ readonly series: string | undefined; readonly title: string | undefined } | undefined> {
  const marked = event.extendedProperties?.private?.[APPOINTMENT_MARK];
  const at = continuedSeries(event.id)?.instance;
  const booked = at === undefined ? undefined : await bookingOf({ view }, calendarId, at);
  const records = Object.values(booked?.links ?? {}).flatMap(({ booking }) => booking ?? []);
  const id = marked ?? records.map((record) => ownOf(record)?.id).find((own) => own !== undefined);
  const key = id === undefined ? undefined : parseKey(`appointment/${id}`);
  const known = key && (await view.peek(key));
  const links = Object.values(known?.links ?? {})
    .flatMap(({ calendars = [] }) => calendars)
    .filter((link) => link.calendarId === calendarId);
  const link = links.find(({ eventId }) => seriesOfInstance(eventId) !== undefined);
  if (link === undefined) return undefined;
  return { series: seriesOfInstance(link.eventId), title: writtenAs(link)?.shown?.summary };
}

function bookingOf({ view }: Pick<Parts, 'view'>, calendarId: string, eventId: string) {
  const key: EntityKey = { kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, eventId)) };
  return view.peek(key);
}

function wordsOf(source: Snapshot): Words {
  return withoutUndefined({
    title: textOf(source['title']),
    description: textOf(source['description']),
    location: textOf(source['location']),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function hashOf(summary: string): string | undefined {
  return hashTexts({ summary }, undefined).summary;
}
