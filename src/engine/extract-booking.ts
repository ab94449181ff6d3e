// Reads a sighted outside booking. Returns its wish, or why it has none, or why it is unclear. Pure, except for the templates.

import type { BookingTurnParts } from './booking-turn-parts.ts';
import type { BookingTemplates, RowTimes, WishedPlace } from './carriers.ts';
import { TerminalError } from './errors.ts';
import { nextFreeTimes } from './free-times.ts';
import type { Directory, Resource } from './mirror.ts';
import { fieldsOf } from './origin.ts';
import type {
  BookingSource,
  BookWish,
  SeenBooking,
  SeenEventBooking,
  SeenTypedBooking,
  SheetBookings,
  UnclearInput,
} from './outside-booking.ts';
import { namedAlike } from './plain-text.ts';
import type { PlatformWriter } from './platform.ts';
import type { Clock } from './runtime.ts';

export type Extracted =
  | { readonly as: 'wish'; readonly wish: BookWish }
  /** No wish to book: leave it alone, without an answer. */
  | { readonly as: 'none'; readonly code: IgnoredCode }
  /** A wish that its author has to correct first. */
  | { readonly as: 'unclear'; readonly code: UnclearCode; readonly day?: WishedDay };

/** Where to look for free times when the author has yet to choose an hour. */
export type WishedDay = WishedPlace;

export type IgnoredCode =
  | 'all-day'
  | 'past'
  | 'not-an-appointment'
  | 'declined'
  | 'tentative'
  | 'not-matching'
  | 'copy'
  | 'guest'
  | 'moved-here'
  | 'not-writable'
  | 'instance'
  | 'empty'
  | 'not-ready'
  | 'cancelled-here';

export type UnclearCode =
  | 'recurring'
  | 'series-too-long'
  | 'read-too-late'
  | 'written-late'
  | 'start-missing'
  | 'start-unreadable'
  | 'service-missing'
  | 'service-unknown'
  | 'service-ambiguous'
  | 'resource-unknown'
  | 'resource-ambiguous'
  | 'branch-unknown'
  | 'branch-ambiguous'
  | 'duration-unreadable'
  | 'guests-unreadable'
  | 'contact-unreadable'
  | 'phone-unreadable'
  | 'ready-unclear'
  | 'cancel-unclear'
  | 'formula-error'
  | 'start-changes'
  | 'template-failed';

/** Names that the platform's lists lack or hold twice. Lists read earlier miss what was created or corrected a moment ago. */
const OF_NAMES: ReadonlySet<string> = new Set<UnclearCode>([
  ...(['service-missing', 'service-unknown', 'service-ambiguous', 'resource-unknown'] as const),
  ...(['resource-ambiguous', 'branch-unknown', 'branch-ambiguous'] as const),
]);

export function isOfNames(code: string | undefined): boolean {
  return code !== undefined && OF_NAMES.has(code);
}

export interface ExtractParts {
  readonly mapping: BookingSource;
  readonly templates: BookingTemplates;
  readonly directory: Directory;
  /** Calendars only: the resource of a calendar, in the mirror that shows the platform's appointments. */
  readonly resourceAt: (calendarId: string) => string | undefined;
  readonly nowMs: number;
}

export function extract(seen: SeenBooking, parts: ExtractParts): Extracted {
  const code = seen.place === 'calendar' ? ignoredEvent(seen, parts) : ignoredTyped(seen);
  if (code !== undefined) return { as: 'none', code };
  if (seen.place !== 'calendar' && seen.unclear !== undefined)
    return { as: 'unclear', code: UNCLEAR[seen.unclear] };
  if (seen.place === 'calendar' && seen.starts_at === undefined)
    return { as: 'unclear', code: 'start-missing', ...dayOf(seen, parts) };
  if (seen.place === 'calendar' && seen.recurrence !== undefined) return { as: 'unclear', code: 'recurring' };
  if (seen.place === 'calendar' && isOver(seen, parts)) {
    if (wasInTime(seen)) return { as: 'unclear', code: 'read-too-late' };
    return { as: 'unclear', code: 'written-late', ...dayOf(seen, parts) };
  }
  try {
    return new Extraction(seen, parts).run();
  } catch (error) {
    // Only the author can correct the text; the operator finds the code in `explain`.
    if (isUnreadable(error)) return { as: 'unclear', code: 'template-failed' };
    if (error instanceof Unclear) return { as: 'unclear', code: error.code };
    throw error;
  }
}

const UNCLEAR = {
  ready: 'ready-unclear',
  cancel: 'cancel-unclear',
  formula: 'formula-error',
  volatile: 'start-changes',
} as const satisfies Record<UnclearInput, UnclearCode>;

/** The customer that a row names, with or without a wish; undefined when it cannot be read. */
export function extractCustomer(
  seen: SeenBooking,
  { mapping, templates }: Pick<ExtractParts, 'mapping' | 'templates'>,
): Omit<BookWish['customer'], 'create'> | undefined {
  try {
    return customerIn(mapping, templates, fieldsOf(seen));
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

function customerIn(
  { customer: { create: _, ...sources } }: BookingSource,
  templates: BookingTemplates,
  fields: Readonly<Record<string, unknown>>,
): Omit<BookWish['customer'], 'create'> {
  const found: Record<string, string> = {};
  for (const [field, source] of Object.entries(sources)) {
    const value = source === undefined ? '' : templates.text(source, fields);
    if (value !== '') found[field] = value;
  }
  return found;
}

/** Google's event types that are no appointments with anybody. A new, unknown type counts as an appointment. */
const NO_APPOINTMENTS = new Set(['outOfOffice', 'focusTime', 'workingLocation', 'birthday']);

function ignoredEvent(seen: SeenEventBooking, { nowMs, mapping }: ExtractParts): IgnoredCode | undefined {
  if (seen.is_matching === false) return 'not-matching';
  if (seen.is_copy === true) return 'copy';
  // The organizer's own event is booked instead.
  if (seen.guest_copy === 'colleague') return 'guest';
  // The event could show neither an answer nor the appointment.
  if (seen.guest_copy === 'read-only') return 'not-writable';
  if (NO_APPOINTMENTS.has(seen.event_type ?? 'default')) return 'not-an-appointment';
  if (seen.response === 'declined') return 'declined';
  // A tentative event is not decided yet.
  if (seen.status === 'tentative') return 'tentative';
  // The series was refused, and its answer says so.
  if (seen.recurring_event_id !== undefined && !takesSeries(mapping)) return 'instance';
  // `date` has an exclusive end and no zone, so it names no hour (case 43).
  if (seen.starts_at === undefined) return isAsked(seen, mapping, nowMs) ? undefined : 'all-day';
  if (seen.recurrence !== undefined) return undefined;
  if (!isOver(seen, { nowMs }) || wasInTime(seen)) return undefined;
  return isAsked(seen, mapping, nowMs) ? undefined : 'past';
}

/** From midnight in UTC until the day is over in the last zone. */
const DAY_EVERYWHERE_MS = 36 * 3_600_000;

/**
 * Whether somebody marked the event as a booking and waits for an answer. Creating an event, or being invited to one, is no such wish. An
 * event that was over before the calendar was first read is history.
 */
function isAsked(seen: SeenEventBooking, mapping: BookingSource, nowMs: number): boolean {
  if (mapping.kind !== 'calendar') return false;
  const { title = '*', properties } = mapping.when;
  if (title.replaceAll('*', '').trim() === '' && properties === undefined) return false;
  const isToCome = seen.starts_at === undefined && Date.parse(seen.date ?? '') + DAY_EVERYWHERE_MS > nowMs;
  return isToCome || seen.written_late === true || seen.read_late === true;
}

/** What a row wishes apart from its hour, ready or not. Undefined when that cannot be read, or the row has no wish. */
export function extractPlace(seen: SeenTypedBooking, parts: ExtractParts): WishedPlace | undefined {
  return ignoredTyped({ ...seen, ready: true }) === undefined ? dayOf(seen, parts).day : undefined;
}

function dayOf(seen: SeenBooking, parts: ExtractParts): { readonly day?: WishedDay } {
  try {
    return { day: new Extraction(seen, parts).place() };
  } catch (error) {
    // Once there is an hour, the answer names whatever else is missing.
    if (isUnreadable(error) || error instanceof Unclear) return {};
    throw error;
  }
}

function isOver({ starts_at: startsAt }: SeenEventBooking, { nowMs }: Pick<ExtractParts, 'nowMs'>): boolean {
  return Date.parse(startsAt ?? '') <= nowMs;
}

/** The author wrote the event before its start. Entering what has already happened is no wish to book. */
function wasInTime({
  starts_at: startsAt,
  seen_at: seenAt,
  read_late: isReadLate,
}: SeenEventBooking): boolean {
  return isReadLate === true || Date.parse(seenAt) < Date.parse(startsAt ?? '');
}

function takesSeries(mapping: BookingSource): boolean {
  return mapping.kind === 'calendar' && mapping.series !== undefined;
}

function ignoredTyped(seen: SeenTypedBooking): IgnoredCode | undefined {
  const { ready: _, cancel: __, ...typed } = seen.cells;
  if (Object.values(typed).every((cell) => cell === null || cell === undefined || cell === ''))
    return 'empty';
  if (seen.unclear !== undefined) return undefined;
  // A cancellation counts, whatever the ready column says.
  if (seen.cancel) return 'cancelled-here';
  return seen.ready ? undefined : 'not-ready';
}

class Unclear extends Error {
  readonly code: UnclearCode;

  constructor(code: UnclearCode) {
    super(code);
    this.code = code;
  }
}

const DURATION_MIN_MAX = 7 * 24 * 60;
const GUESTS_MAX = 10_000;
/** Fewest digits that somebody types as a phone number. */
const PHONE_DIGITS_MIN = 6;
/** The platform's ids (platform API, general rule 7). */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

class Extraction {
  readonly #seen: SeenBooking;
  readonly #parts: ExtractParts;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(seen: SeenBooking, parts: ExtractParts) {
    this.#seen = seen;
    this.#parts = parts;
    this.#fields = fieldsOf(seen);
  }

  run(): Extracted {
    const { mapping } = this.#parts;
    const startMs = Date.parse(this.#seen.starts_at ?? '');
    if (Number.isNaN(startMs)) throw new Unclear('start-unreadable');
    const place = this.place();
    const comment = this.#text(mapping.comment);
    const customer = customerIn(mapping, this.#parts.templates, this.#fields);
    const { contactId = '' } = customer;
    if (contactId !== '' && !UUID.test(contactId)) throw new Unclear('contact-unreadable');
    if (contactId === '' && this.#hasUnreadPhone(customer)) throw new Unclear('phone-unreadable');
    const wish: BookWish = {
      op: 'book',
      ...place,
      // The instant in UTC: a local time in the repeated hour of autumn is ambiguous (case 44).
      startsAt: new Date(startMs).toISOString(),
      customer: { ...customer, create: mapping.customer.create },
      ...(comment !== '' && { comment }),
      notifyCustomer: mapping.notifyCustomer,
    };
    return { as: 'wish', wish };
  }

  /** What is booked and where, without the hour. */
  place(): WishedDay {
    const { mapping, directory } = this.#parts;
    const resource = this.#resource();
    const name = this.#text(mapping.service);
    if (name === '') throw new Unclear('service-missing');
    const service = findNamed(directory.services, name, resource?.projectId);
    if (typeof service === 'string') throw new Unclear(`service-${service}`);
    const branchName = this.#text(mapping.branch);
    const branch =
      branchName === ''
        ? undefined
        : findNamed(directory.branches, branchName, resource?.projectId ?? service.projectId);
    if (typeof branch === 'string') throw new Unclear(`branch-${branch}`);
    const isInterval = service.bookingMode === 'interval';
    const durationMin = isInterval ? this.#durationMin() : undefined;
    const guests = this.#number(mapping.guests, 'guests-unreadable', GUESTS_MAX);
    return {
      serviceId: service.id,
      ...(branch !== undefined && { branchId: branch.id }),
      ...(resource !== undefined && { resourceId: resource.id }),
      ...(durationMin !== undefined && { durationMin }),
      ...(guests !== undefined && { guests }),
    };
  }

  /** A number that could be two people's is lost if the row is booked by its e-mail address alone. */
  #hasUnreadPhone({ phone }: Omit<BookWish['customer'], 'create'>): boolean {
    if (phone !== undefined || this.#seen.place === 'calendar') return false;
    const digits = String(this.#seen.cells.phone ?? '').match(/\p{Nd}/gu) ?? [];
    return this.#parts.mapping.customer.phone !== undefined && digits.length >= PHONE_DIGITS_MIN;
  }

  #resource(): Resource | undefined {
    const { mapping, directory, resourceAt } = this.#parts;
    const name = this.#text(mapping.resource);
    if (name === '') {
      const own = this.#seen.place === 'calendar' ? resourceAt(this.#seen.calendar_id) : undefined;
      return own === undefined ? undefined : directory.resources.get(own);
    }
    const found = findNamed(directory.resources, name);
    if (typeof found === 'string') throw new Unclear(`resource-${found}`);
    return found;
  }

  #durationMin(): number | undefined {
    const { duration } = this.#parts.mapping;
    if (duration !== undefined) {
      const minutes = this.#number(duration, 'duration-unreadable', DURATION_MIN_MAX);
      // The cell has text, but it is unfinished or no length.
      const isTyped = this.#seen.place !== 'calendar' && (this.#seen.cells.duration ?? '') !== '';
      if (minutes === undefined && isTyped) throw new Unclear('duration-unreadable');
      return minutes;
    }
    if (this.#seen.place !== 'calendar') return undefined;
    const lengthMs = Date.parse(this.#seen.ends_at ?? '') - Date.parse(this.#seen.starts_at ?? '');
    return lengthMs > 0 ? Math.round(lengthMs / 60_000) : undefined;
  }

  #number(source: string | undefined, code: UnclearCode, max: number): number | undefined {
    const text = this.#text(source);
    if (text === '') return undefined;
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > max) throw new Unclear(code);
    return value;
  }

  #text(source: string | undefined): string {
    return source === undefined ? '' : this.#parts.templates.text(source, this.#fields);
  }
}

/** Reads the wish with the current lists and clock. A booking that is gone has none. */
export function extractSeen(
  { mapping, templates, directory, resourceAt, clock }: BookingTurnParts,
  seen: SeenBooking,
): Extracted {
  if (seen.state === 'gone') return { as: 'none', code: 'empty' };
  return extract(seen, {
    ...{ mapping, templates, resourceAt },
    directory: directory.current(),
    nowMs: clock.now(),
  });
}

/** An entry of the platform's lists. */
interface Named {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
}

/**
 * The one entry that a text names, by id or by name. If several share the name, the given project's is meant. People resolve `unknown` and
 * `ambiguous`: a wrong guess books another service or person.
 */
export function findNamed<Thing extends Named>(
  things: ReadonlyMap<string, Thing>,
  text: string,
  projectId?: string,
): Thing | 'unknown' | 'ambiguous' {
  const byId = things.get(text);
  if (byId !== undefined) return byId;
  const named = namedAlike(things.values(), text, ({ name }) => name);
  const own = named.filter((thing) => thing.projectId === projectId);
  const [first, ...others] = own.length > 0 ? own : named;
  if (first === undefined) return 'unknown';
  return others.length === 0 ? first : 'ambiguous';
}

function isUnreadable(error: unknown): boolean {
  return error instanceof TerminalError && error.code === 'template-failed';
}

interface RowTimesParts {
  readonly writer: Pick<PlatformWriter, 'slots'>;
  readonly templatesOf: (mapping: SheetBookings) => BookingTemplates;
  readonly directory: { current(): Directory };
  readonly clock: Clock;
}

/** Reads rows the way their booking would. */
export function createRowTimes({ writer, templatesOf, directory, clock }: RowTimesParts): RowTimes {
  const known = new Map<SheetBookings, BookingTemplates>();
  const templatesFor = (mapping: SheetBookings) => {
    const templates = known.get(mapping) ?? templatesOf(mapping);
    known.set(mapping, templates);
    return templates;
  };
  return {
    placeOf: (mapping, seen) =>
      extractPlace(seen, {
        ...{ mapping, templates: templatesFor(mapping), directory: directory.current() },
        resourceAt: () => undefined,
        nowMs: clock.now(),
      }),
    free: (place, day) =>
      nextFreeTimes(writer, place, { nowMs: clock.now(), ...(day === undefined ? {} : { day }) }),
  };
}
