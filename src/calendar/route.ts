import { isKeptOwnEvent, mayBeUnmarked } from '../engine/event-rule.ts';
import { APPOINTMENT_MARK, MARK } from '../engine/event-texts.ts';
import { calendarPlace, isEventIdOf } from '../engine/ids.ts';
import { type CalendarLink, type EventNote, type ObjectLinks, openEdit, writtenAs } from '../engine/link.ts';
import {
  type CalendarMirror,
  calendarIdsOf,
  type Directory,
  type Expectation,
  type MirrorPlaces,
  type StaffEdits,
} from '../engine/mirror.ts';
import {
  contentHash,
  placementOf,
  resourcesOf,
  type Snapshot,
  subjectsOf,
  visibleState,
} from '../engine/object.ts';
import type { KnownCustomer } from '../engine/person.ts';
import type { EventField, PlannedEvent, PlannedStep } from '../engine/planned.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { CalendarEvent, EventBody } from '../google/calendar-event.ts';
import { isCalendarDenied } from '../google/errors.ts';
import { contentLinesHash } from '../mapping/filter-lines.ts';
import { type CalendarBySubject, calendarsOf, isInTime, judgeAppointment } from '../mapping/route.ts';
import { fieldsOfBody, isSameBody } from './event-writer.ts';
import type { WantedEvent } from './wanted.ts';

export interface RouteInput {
  readonly mirror: CalendarMirror;
  /** Undefined: the platform reported that the appointment was deleted. */
  readonly snapshot: Snapshot | undefined;
  readonly links: readonly CalendarLink[];
  readonly resolved: CalendarBySubject;
  readonly directory: Directory;
  readonly nowMs: number;
  readonly customer?: KnownCustomer | undefined;
  /** Another mirror has a calendar for one of the appointment's resources. */
  readonly isShownElsewhere?: boolean;
  /** As in the claim. */
  readonly isShownByClass?: boolean | undefined;
}

export interface Route {
  /** Calendars that must show the appointment. */
  readonly calendars: readonly string[];
  /** Calendars from which its event may be removed. */
  readonly mapped: ReadonlySet<string>;
  /** The calendar of each subject as it counts for this appointment. Once the appointment is over, that is the calendar that shows it. */
  readonly known: CalendarBySubject;
}

/** Where an appointment belongs, by the mapping alone. Pure. */
export function routeAppointment(input: RouteInput): Route {
  const { mirror, snapshot, links, resolved, directory, nowMs } = input;
  // Every calendar of the YAML, even if its resource cannot be found now. The lists omit a colleague who left, but events of cancelled
  // appointments must still be removed.
  const named = new Set(mirror.calendars.map(({ calendarId }) => calendarId));
  for (const link of links) if (isLeftBehind(link, resolved)) named.add(link.calendarId);
  // A person has released these events, wherever the mapping no longer wants them.
  const released = links.filter((link) => link.released === true).map((link) => link.calendarId);
  for (const calendarId of released) named.add(calendarId);
  if (snapshot === undefined) return { calendars: [], mapped: named, known: resolved };
  const known = isOver(snapshot, nowMs) ? asItWas(links, resolved) : resolved;
  if (snapshot['status'] === 'cancelled') {
    // The platform has released its resources, so only the links know which calendars show it (platform API, Appointment).
    const linked = links.map((link) => link.calendarId).filter((id) => named.has(id));
    return mirror.event.cancelled === 'keep'
      ? { calendars: linked, mapped: new Set(), known }
      : { calendars: [], mapped: named, known };
  }
  const { where } = mirror;
  const { customer } = input;
  const judge = (side: 'place' | 'status' | 'content') =>
    judgeAppointment(where, snapshot, { directory, customer, about: [side] });
  const [place, status, content] = [judge('place'), judge('status'), judge('content')];
  const isLinked = links.length > 0;
  const isUnknown = [place, status, content].includes('unknown') && !isLinked;
  // An appointment never changes project or branch. If it is no longer taken, someone edited the YAML, and such edits delete no events. An
  // unknown verdict deletes no events either.
  if (place === 'no' || isUnknown || !isInTime(where, snapshot, { nowMs, linked: isLinked, directory })) {
    return { calendars: [], mapped: new Set(released), known };
  }
  if (status === 'no' || content === 'no') {
    const taken = contentLinesHash(where);
    // An appointment with its old status left the mirror by an edit of the YAML, not by a change of its own. If the same content lines took
    // it before, the appointment itself has changed.
    const hasChanged = (link: CalendarLink) =>
      (status === 'no' && statusOf(link) !== snapshot['status']) ||
      (content === 'no' && link.takenBy !== undefined && link.takenBy === taken);
    // An appointment that was never in the mirror did not leave it by a change either. The event by which people booked stays theirs until
    // the mirror takes the appointment.
    const isBooked = (link: CalendarLink) =>
      statusOf(link) === undefined && link.event.is !== 'strayed' && !isEventIdOf(link.eventId, snapshot.id);
    const own = links
      .filter((link) => (hasChanged(link) && !isBooked(link)) || link.released === true)
      .map((link) => link.calendarId);
    return { calendars: [], mapped: new Set(own.filter((id) => named.has(id))), known };
  }
  const left = links.filter((link) => isLeftBehind(link, known)).map((link) => link.calendarId);
  const mapped = new Set([...known.values(), ...left]);
  const own = subjectsOf(snapshot);
  for (const link of links) if (hasLostItsSubject(link, { own, resolved })) mapped.delete(link.calendarId);
  for (const calendarId of released) mapped.add(calendarId);
  const { isShownByClass } = input;
  if (isShownByClass !== undefined) {
    // An event by which people booked stays theirs, and is kept up to date. A past event stays as it was, as after every edit of the YAML.
    const isOwn = ({ eventId, event }: CalendarLink) =>
      event.is !== 'strayed' && !isEventIdOf(eventId, snapshot.id);
    const kept = links.filter((link) => isOwn(link) && mapped.has(link.calendarId));
    const going = isShownByClass && !isOver(snapshot, nowMs) ? mapped : [];
    return {
      calendars: kept.map((link) => link.calendarId),
      mapped: new Set([...going, ...released]),
      known,
    };
  }
  const calendars = calendarsOf(snapshot, known);
  // People's own event does not belong in a calendar for a branch, a service or everything, which only shows what other calendars show too.
  const isOfResource = resourcesOf(snapshot).some((id) => known.has(id));
  const hasCalendar = isOfResource || input.isShownElsewhere === true;
  const appointment = { appointmentId: snapshot.id, hasCalendar };
  const kept = links.filter((link) => mapped.has(link.calendarId) && isKeptOwnEvent(link, appointment));
  return { calendars: [...calendars, ...kept.map((link) => link.calendarId)], mapped, known };
}

/** The appointment's status when the event was last written. */
function statusOf(link: CalendarLink): string | undefined {
  return writtenAs(link)?.status;
}

/**
 * True when the subject of an event has another calendar by now: the event follows it there. A subject that left the mapping leaves its
 * events behind; a person decides about them.
 */
function isLeftBehind(link: CalendarLink, resolved: CalendarBySubject): boolean {
  return (link.resourceIds ?? []).some((id) => (resolved.get(id) ?? link.calendarId) !== link.calendarId);
}

/**
 * True when the appointment keeps the subject of its event, but the mapping no longer names that subject. Editing the YAML removes no
 * event, even if another subject has the calendar now.
 */
function hasLostItsSubject(
  { resourceIds = [] }: CalendarLink,
  { own, resolved }: { readonly own: readonly string[]; readonly resolved: CalendarBySubject },
): boolean {
  return resourceIds.some((id) => own.includes(id)) && !resourceIds.some((id) => resolved.has(id));
}

/**
 * A past appointment stays where it was: a subject with a new calendar takes along only what is still to come. If the new calendar already
 * shows the appointment, a move has left the old event behind.
 */
function asItWas(links: readonly CalendarLink[], resolved: CalendarBySubject): CalendarBySubject {
  const then = new Map(resolved);
  const shown = links.flatMap((link) => {
    // An intended event may not exist there. An event that people dragged there was never shown there.
    if (link.event.etag === '' || link.absence === 'leaving' || mayBeUnmarked(link)) return [];
    return (link.resourceIds ?? []).map((id) => ({ id, calendarId: link.calendarId }));
  });
  for (const { id, calendarId } of shown) {
    const isMoved = shown.some((each) => each.id === id && each.calendarId === resolved.get(id));
    if (resolved.has(id) && !isMoved) then.set(id, calendarId);
  }
  return then;
}

export function isOver(snapshot: Snapshot, nowMs: number): boolean {
  return Date.parse(String(snapshot['ends_at'])) <= nowMs;
}

/** The note of an event that is to be removed moves to a calendar that shows the appointment now. */
export function noteFor(
  calendarId: string,
  about: { snapshot: Snapshot | undefined; links: readonly CalendarLink[]; route: Route },
): EventNote | undefined {
  const { snapshot, links, route } = about;
  const own = noteOf(
    links.find((each) => each.calendarId === calendarId),
    snapshot,
  );
  if (own !== undefined) return own;
  const leaving = links.filter(
    (link) => route.mapped.has(link.calendarId) && !route.calendars.includes(link.calendarId),
  );
  return leaving.map((link) => noteOf(link, snapshot)).find((note) => note !== undefined);
}

/** A note is true until something happens to the appointment. */
function noteOf(link: CalendarLink | undefined, snapshot: Snapshot | undefined): EventNote | undefined {
  const note = link?.note;
  return note !== undefined && snapshot !== undefined && note.of === visibleState(snapshot)
    ? note
    : undefined;
}

// Turns the actions of one appointment in a mirror's calendars into steps that can be shown to people. Pure.

/** An event's body and its object's words, without personal data. */
export interface Impersonal {
  readonly body: EventBody;
  readonly harmless: readonly string[];
}

const TEXTS: readonly EventField[] = ['title', 'description', 'location'];

/** Reports a new event as a move if another one leaves. `changes` compares the event to be written with the linked one. */
export function plannedSteps(
  actions: readonly CalendarAction[],
  changes: (link: CalendarLink, calendarId: string) => Pick<PlannedStep, 'fields' | 'event'>,
): readonly PlannedStep[] {
  const leaving = actions.flatMap((action) => (action.type === 'remove' ? [action.link] : []));
  const steps = actions.map((action): PlannedStep | undefined => {
    const { calendarId } = action;
    const place = calendarPlace(calendarId);
    if (action.type === 'remove') return undefined;
    if (action.type === 'nothing') return { action: action.why === 'unmapped' ? 'kept' : 'same', place };
    // The link may be an intention, so it is unknown whether its event exists.
    const isFirst = action.type === 'create' || action.link.event.etag === '';
    if (action.type === 'update' && !isFirst)
      return { action: 'updated', place, ...changes(action.link, calendarId) };
    const left = leaving.shift();
    if (left === undefined) return { action: 'created', place };
    const from = calendarPlace(left.calendarId);
    return { action: 'moved', place, from, ...changes(left, calendarId) };
  });
  return [
    ...steps.filter((step) => step !== undefined),
    ...leaving.map(
      ({ calendarId }): PlannedStep => ({ action: 'removed', place: calendarPlace(calendarId) }),
    ),
  ];
}

/** A text is personal if masking people changes it. Without `nobodys`, every text counts as personal. */
export function plannedEvent(
  { calendarId, eventId }: CalendarLink,
  body: EventBody,
  nobodys: Impersonal | undefined,
): PlannedEvent {
  const maskedCells = nobodys === undefined ? {} : fieldsOfBody(nobodys.body);
  const fields = Object.entries(fieldsOfBody(body)) as [EventField, string][];
  return {
    ...{ calendarId, id: eventId, harmless: nobodys?.harmless ?? [] },
    fields: fields.map(([field, value]) => {
      return { field, value, isPersonal: TEXTS.includes(field) && value !== maskedCells[field] };
    }),
  };
}

// Handles people's own events, by which they booked, while the mirror does not take the appointment. The mirror neither writes into them
// nor removes them.

export interface DraggedRules {
  /** The mapping lets people leave the event this way, so it proves nothing. */
  readonly isLeft: (link: CalendarLink) => boolean;
  /** The appointment's resources, if none of them owns this calendar: the appointment did not follow the event there. */
  readonly missedAt: (calendarId: string) => readonly string[];
}

/**
 * Returns the links, with each dragged event linked where people dragged it instead of where it was booked. Its absence from the old
 * calendar must not count as a deletion, and later changes to it are handled here. Returns the same array when nothing was dragged.
 */
export function followDragged(links: readonly CalendarLink[], rules: DraggedRules): readonly CalendarLink[] {
  const isDecided = (link: CalendarLink) => openEdit(link) === undefined && !rules.isLeft(link);
  return links.reduce((known, stray) => {
    if (stray.event.is !== 'strayed' || !isDecided(stray)) return known;
    const home = known.find((link) => link.eventId === stray.eventId && mayBeUnmarked(link));
    if (home === undefined || !isDecided(home)) return known;
    const others = known.filter((link) => link !== home && link !== stray);
    return [...others, settled(stray, home, rules.missedAt(stray.calendarId))];
  }, links);
}

/** Keeps the note, which appears where the appointment is shown next. */
function settled(stray: CalendarLink, { note }: CalendarLink, resourceIds: readonly string[]): CalendarLink {
  const { leftAt: _, ...link } = stray;
  const event = { ...link.event, is: 'found' } as const;
  return { ...link, event, ...(resourceIds.length > 0 && { resourceIds }), ...(note && { note }) };
}

// Reads the worker's events in the calendars of one mirror, cut down so that hundreds of thousands fit into memory.

/** Longest text that is kept; longer texts are compared by their hash. */
const TEXT_CHARS_MAX = 24;
/** Hex digits of that hash: 64 bits. */
const HASH_CHARS = 16;

/** `former`: calendars that the YAML no longer names, but in which events of the mirror are linked. */
export function calendarPlaces(
  mirror: CalendarMirror,
  api: CalendarApi,
  former: readonly string[] = [],
): MirrorPlaces {
  const ids = [...calendarIdsOf(mirror), ...former];
  const byPlace = new Map(ids.map((calendarId) => [calendarPlace(calendarId), calendarId]));
  return {
    mirror: mirror.name,
    places: [...byPlace.keys()],
    former: new Set(former.map(calendarPlace)),
    isClosed: isCalendarDenied,
    async *standing(place) {
      const calendarId = byPlace.get(place);
      if (calendarId === undefined) return;
      for await (const event of api.marked(calendarId, MARK)) {
        const id = event.extendedProperties?.private?.[APPOINTMENT_MARK];
        if (id === undefined || event.status === 'cancelled') continue;
        // An event by which people booked keeps its own id, and so does a copy that people made of one of ours.
        const isOurs = isEventIdOf(event.id, id);
        yield { place, id, name: event.id, content: cut(event), isOurs };
      }
    },
  };
}

/** Whether an event read by `calendarPlaces` says what it should. */
function isEventRight(content: unknown, body: EventBody): boolean {
  const { summary, description, location, extendedProperties } = body;
  const wanted: EventBody = {
    ...body,
    summary: short(summary),
    ...(description !== undefined && { description: short(description) }),
    ...(location !== undefined && { location: short(location) }),
    extendedProperties: { private: distinct(extendedProperties.private) },
  };
  return isSameBody(content as CalendarEvent, wanted);
}

/** What `isSameBody` compares. */
function cut(event: CalendarEvent) {
  const { id, status, colorId, eventLabelId, start, end, transparency, visibility } = event;
  const { summary = '', description = '', location = '', extendedProperties } = event;
  return {
    ...{ id, status, colorId, eventLabelId, transparency, visibility },
    ...{ summary: short(summary), description: short(description), location: short(location) },
    ...{ start: { dateTime: start?.dateTime }, end: { dateTime: end?.dateTime } },
    extendedProperties: { private: distinct(extendedProperties?.private ?? {}) },
  };
}

/** Without the marks by which the event was found and counts for the object. */
function distinct(marks: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { [MARK.key]: _, [APPOINTMENT_MARK]: __, ...others } = marks;
  return others;
}

function short(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `#${contentHash(text).slice(0, HASH_CHARS)}`;
}

/** What an audit expects of one event after these actions. */
export function expectation(action: CalendarAction, wanted: WantedEvent | undefined): Expectation {
  const place = calendarPlace(action.calendarId);
  const linked = action.type === 'create' ? {} : { linked: action.link.eventId };
  const isRight = (content: unknown) => wanted !== undefined && isEventRight(content, wanted.body);
  const because = action.type === 'nothing' ? REASONS[action.why] : undefined;
  if (because !== undefined) return { place, rule: 'may', because, isRight, isConfirmed: false, ...linked };
  const rule = action.type === 'remove' ? 'must-not' : 'must';
  return { place, rule, isRight, isConfirmed: action.type === 'nothing', ...linked };
}

/** Why an event is left alone although it may differ. There is no such reason for `same`: that event must exist. */
const REASONS: Readonly<Record<'same' | 'history' | 'open' | 'left' | 'unmapped', Expectation['because']>> = {
  same: undefined,
  history: 'history',
  open: 'open',
  left: 'left',
  unmapped: 'changed-mapping',
};

/** What an appointment needs in the calendars of one mirror, and what it has there. */
export interface PlanInput {
  /** Calendars that must show it, each once. */
  readonly calendars: readonly string[];
  /** Hash of the event that a calendar must show. A shared calendar may show less than the others. */
  readonly hashIn: (calendarId: string) => string;
  readonly links: readonly CalendarLink[];
  /** Calendars from which an event may be removed. Others do not, or no longer, belong to this mirror. */
  readonly mapped: ReadonlySet<string>;
  /** Events that differ only by an edit of the YAML, and are too old for it. */
  readonly isHistory?: (link: CalendarLink) => boolean;
  /** People deleted or moved the event, and the mapping leaves it alone. */
  readonly isLeft?: (link: CalendarLink) => boolean;
  /**
   * People dragged the event into a calendar for a branch, a service or everything. The appointment's event there has another id, so this
   * one does not stay.
   */
  readonly isGuest?: (link: CalendarLink) => boolean;
  /**
   * The event that follows its resource into this calendar after an edit of the YAML, while people's change of it is not decided. Another
   * event beside it would pass for its twin, and its own absence for a deletion.
   */
  readonly awaitedIn?: (calendarId: string) => CalendarLink | undefined;
}

export type CalendarAction =
  | { readonly type: 'create'; readonly calendarId: string }
  | { readonly type: 'update'; readonly calendarId: string; readonly link: CalendarLink }
  | { readonly type: 'remove'; readonly calendarId: string; readonly link: CalendarLink }
  /**
   * - `same`: the event already says what it should.
   * - `history`: the event says what was true when the appointment was over.
   * - `open`: people changed it, and no decision was made about that yet. It may still stand in another calendar.
   * - `left`: people changed it, and the mapping allows that.
   * - `unmapped`: the calendar left the mapping; a person decides about its events.
   */
  | {
      readonly type: 'nothing';
      readonly calendarId: string;
      readonly link: CalendarLink;
      readonly why: 'same' | 'history' | 'open' | 'left' | 'unmapped';
    };

/** Removals come last, so that an appointment that changes calendars is always in one. */
export function plan(input: PlanInput): readonly CalendarAction[] {
  const wanted = [...new Set(input.calendars)];
  const kept = new Map<string, CalendarLink>();
  // If a calendar holds two events of one appointment, keep an event that is already right, and drop one that people dragged there.
  const isRight = ({ calendarId, event }: CalendarLink) =>
    event.is === 'written' && event.hash === input.hashIn(calendarId);
  const worth = (link: CalendarLink) => (isRight(link) ? 2 : link.event.is === 'strayed' ? 0 : 1);
  for (const link of [...input.links].sort((a, b) => worth(b) - worth(a))) {
    if (wanted.includes(link.calendarId) && !kept.has(link.calendarId) && input.isGuest?.(link) !== true)
      kept.set(link.calendarId, link);
  }
  const stand = wanted.map((calendarId): CalendarAction => {
    const link = kept.get(calendarId);
    const isThere = link !== undefined && link.event.is !== 'intended';
    const awaited = isThere ? undefined : input.awaitedIn?.(calendarId);
    if (awaited !== undefined) return { type: 'nothing', calendarId, link: awaited, why: 'open' };
    if (link === undefined) return { type: 'create', calendarId };
    const untouched = untouchedBecause(input, link);
    if (untouched !== undefined) return { type: 'nothing', calendarId, link, why: untouched };
    if (isRight(link)) return { type: 'nothing', calendarId, link, why: 'same' };
    if (link.event.is === 'written' && input.isHistory?.(link))
      return { type: 'nothing', calendarId, link, why: 'history' };
    return { type: 'update', calendarId, link };
  });
  const rest = input.links.filter((link) => !isSameEvent(link, kept.get(link.calendarId)));
  const leave = rest.map((link): CalendarAction => {
    const { calendarId } = link;
    const untouched = untouchedBecause(input, link);
    if (untouched !== undefined) return { type: 'nothing', calendarId, link, why: untouched };
    if (input.mapped.has(calendarId) || link.event.is === 'strayed')
      return { type: 'remove', calendarId, link };
    return { type: 'nothing', calendarId, link, why: 'unmapped' };
  });
  return [...stand, ...leave];
}

/** `PlanInput.awaitedIn`. Tidying a calendar that the YAML does not name asks for nothing, so nothing waits for it. */
export function awaitedEvents(
  links: readonly CalendarLink[],
  where: {
    /** The appointment's. */
    readonly subjects: readonly string[];
    readonly resolved: CalendarBySubject;
    readonly isNamed: (calendarId: string) => boolean;
  },
): (calendarId: string) => CalendarLink | undefined {
  const { subjects, resolved, isNamed } = where;
  const open = links.filter(
    (link) => openEdit(link) !== undefined && link.event.is !== 'strayed' && isNamed(link.calendarId),
  );
  return (calendarId) =>
    open.find(({ resourceIds = [] }) =>
      resourceIds.some((id) => subjects.includes(id) && resolved.get(id) === calendarId),
    );
}

function untouchedBecause(input: PlanInput, link: CalendarLink): 'open' | 'left' | undefined {
  if (openEdit(link) !== undefined) return 'open';
  return input.isLeft?.(link) ? 'left' : undefined;
}

function isSameEvent(link: CalendarLink, other: CalendarLink | undefined): boolean {
  return link.calendarId === other?.calendarId && link.eventId === other.eventId;
}

/**
 * Holds until the appointment is moved, or until the mapping undoes such changes. A drag that was let be stays one when the mapping begins
 * to carry drags.
 */
export function isLeftByPeople(
  staffEdits: StaffEdits,
  snapshot: Snapshot,
  { link, links }: { readonly link: CalendarLink; readonly links: ObjectLinks },
): boolean {
  const leftAt = placementOf(snapshot);
  if (link.leftAt !== leftAt) return false;
  if (link.event.is === 'strayed') return staffEdits.moved !== 'revert' && snapshot['status'] !== 'cancelled';
  const isDragged = Object.values(links)
    .flatMap(({ calendars = [] }) => calendars)
    .some((each) => each.event.is === 'strayed' && each.eventId === link.eventId && each.leftAt === leftAt);
  if (isDragged) return staffEdits.moved !== 'revert';
  return staffEdits.deleted !== 'restore' || staffEdits.moved === 'ignore';
}
