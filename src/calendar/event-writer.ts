import { DeferredError, RetryableError, TerminalError } from '../engine/errors.ts';
import { mayStandElsewhere } from '../engine/event-rule.ts';
import {
  type EventTexts,
  GUEST_MARKS,
  hashTexts,
  type TextField,
  type TextHashes,
  WRITTEN_MARK,
} from '../engine/event-texts.ts';
import { generationOf, inGeneration, isEventIdOf, seriesOfInstance } from '../engine/ids.ts';
import {
  type CalendarLink,
  doubted,
  type EventNote,
  linkAsWritten,
  linkTo,
  opened,
  startsOf,
  triedOf,
  writtenMark,
  writtenPlace,
} from '../engine/link.ts';
import type { StaffEdits } from '../engine/mirror.ts';
import type { EventField, FieldChange } from '../engine/planned.ts';
import type { Clock } from '../engine/runtime.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import {
  type CalendarEvent,
  contentInSeries,
  type EventBody,
  type EventPatch,
  otherOrganizer,
} from '../google/calendar-event.ts';
import { codeOf, ETAG_MISMATCH, EVENT_FORBIDDEN } from '../google/errors.ts';
import type { LeavingEvent } from './move-event.ts';
import { guestMarksIn, isMarkedFor, isOurs, type WantedEvent } from './wanted.ts';

// Compares a link with the wanted event and returns what a write would change, as far as the link remembers the event. Pure.

const NAMES: Readonly<Record<TextField, string>> = {
  summary: 'title',
  description: 'description',
  location: 'location',
};

/** `status` is the appointment's status now. Empty when the event's content is in doubt: such an event is read before it is written. */
export function eventChanges(
  link: CalendarLink,
  wanted: { readonly body: EventBody; readonly hash: string; readonly note: string | undefined },
  status: string,
): readonly FieldChange[] {
  const { body, hash, note } = wanted;
  const { event } = link;
  if (event.is !== 'written' || event.hash === hash) return [];
  const { hour, shown } = event;
  const known = [
    ...timeChange('start', hour.startsAt, body.start.dateTime),
    ...timeChange('end', hour.endsAt, body.end.dateTime),
    ...(event.status === undefined || event.status === status
      ? []
      : [{ field: 'status', old: event.status, new: status }]),
    ...textChanges(shown, textsOf(body), note),
  ];
  // The link stores no values of colour, visibility and busy.
  return known.length > 0 ? known : [{ field: 'color, visibility, busy or a note' }];
}

function timeChange(field: string, old: string | undefined, now: string): readonly FieldChange[] {
  if (old === undefined) return [];
  return Math.floor(Date.parse(old) / 1000) === Math.floor(Date.parse(now) / 1000)
    ? []
    : [{ field, old, new: now }];
}

function textsOf({ summary, description, location }: EventBody): EventTexts {
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
  };
}

function textChanges(
  shown: TextHashes | undefined,
  texts: EventTexts,
  note: string | undefined,
): readonly FieldChange[] {
  if (shown === undefined) return [];
  const hashes = hashTexts(texts, note);
  return (Object.keys(texts) as TextField[])
    .filter((field) => hashes[field] !== shown[field])
    .map((field) => ({ field: NAMES[field], new: texts[field] ?? '', personal: true }));
}

/** How often an event may change while the writer works on it; after that, the queue retries later. */
const DECISIONS_MAX = 3;
/** Delay of the turn that looks at a change that a write ran into. */
const EDIT_LOOK_MS = 500;

export function editUnseen(calendarId: string): DeferredError {
  return new DeferredError('edit-unseen', 'people changed the event just now: that is looked at first', {
    target: `calendar:${calendarId}`,
    retryAfterMs: EDIT_LOOK_MS,
  });
}

/** Most starts without an answer that a link remembers; an event at a forgotten start would look as if people had moved it. */
const TRIED_MAX = 20;
/** Most ids of one appointment that one calendar may use up. */
const GENERATIONS_MAX = 8;

export interface EventWriterParts {
  readonly api: CalendarApi;
  readonly appointmentId: string;
  /** The id of a new event in a calendar. */
  readonly newId: (calendarId: string) => string;
  readonly wanted: WantedEvent;
  /** The appointment's status now. */
  readonly status: string;
  /** The note that the wanted event shows to people. The link remembers it. */
  readonly note: EventNote | undefined;
  /** Says which changes by people are wishes that must not be overwritten. */
  readonly edits: StaffEdits;
  /** Called before people's change to an event is undone. `mark` names that state of the event. */
  readonly beforePutBack: (mark: string) => Promise<void>;
  readonly clock: Clock;
  /** Whether the YAML names this calendar. People who can read an event that this calendar organises may see what the mirrors show. */
  readonly isNamed: (calendarId: string) => boolean;
  /** Links to the event with this id in other calendars. */
  readonly elsewhere: (eventId: string) => readonly CalendarLink[];
  /**
   * True when an event with this id exists elsewhere and one of the two calendars only shows the appointment. If people dragged that event
   * into the other calendar, the two would be indistinguishable. The absence of one would then look like a deletion.
   */
  readonly hasTwin: (eventId: string) => boolean;
  /** Colours that the mapping gives. The mirror can have set no others. */
  readonly colours: () => ReadonlySet<string>;
  /**
   * Rejects when another handler has taken the appointment over. Called before writes that no etag of the link guards. A late handler must
   * not bring back what a newer one deleted, nor overwrite its newer state.
   */
  readonly assertHeld: () => Promise<void>;
  /**
   * An insert or a patch leaves after it; rejects like `assertHeld`. Stores where an event is about to be, or that its content is in doubt.
   * If the answer is lost and the appointment changes before the next attempt, the event is still found and corrected.
   */
  readonly intend: (link: CalendarLink) => Promise<void>;
  /** The event of the appointment in a calendar that it leaves, if it may move here. */
  readonly leaving?: LeavingEvent | undefined;
  /** Withdraws an intention: the event under this id is not, and will not become, the event of this appointment. */
  readonly forgo: (link: CalendarLink) => Promise<void>;
}

/** Brings single events to the wanted state with the smallest write, whatever their state is. Repeating it changes nothing. */
export class EventWriter {
  readonly #parts: EventWriterParts;
  #hasWritten = false;

  constructor(parts: EventWriterParts) {
    this.#parts = parts;
  }

  /** False while every event was already right. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /**
   * A lost answer is harmless: the id is derived, so the repetition finds the event that was made. `former` links to an event that was not
   * found. Its insert may still be on its way, so its id is tried first. People's own event has no successor id.
   */
  async create(calendarId: string, former?: CalendarLink): Promise<CalendarLink> {
    const { api, appointmentId, wanted, intend, forgo, hasTwin, leaving } = this.#parts;
    const isSuccessor = former !== undefined && isEventIdOf(former.eventId, appointmentId);
    const own = leaving?.eventId;
    const isPeoples = own !== undefined && !isEventIdOf(own, appointmentId);
    const from =
      (isPeoples ? undefined : own) ?? (isSuccessor ? former.eventId : this.#parts.newId(calendarId));
    const generation = generationOf(from);
    const before = [...(former === undefined ? [] : [former]), ...(leaving?.links ?? [])];
    const tried = this.#tried(before.flatMap(startsOf));
    const derived = Array.from({ length: GENERATIONS_MAX }, (_, n) => inGeneration(from, generation + n));
    for (const id of isPeoples ? [own, ...derived] : derived) {
      if (hasTwin(id)) {
        // Next to its successor, the former link would look like a second event.
        if (former?.eventId === id) await forgo(former);
        continue;
      }
      const coloured =
        wanted.body.colorId !== undefined || leaving?.links.some((link) => link.coloured) === true;
      const sinceMs = this.#parts.clock.now();
      const found = linkTo({ calendarId, eventId: id }, { coloured, hour: { tried } });
      const intended: CalendarLink = { ...found, event: { ...found.event, is: 'intended', sinceMs } };
      const stored = watched(intend(intended));
      if (id === own) await stored;
      this.#hasWritten = true;
      const arrived = id === own ? await leaving?.bring() : undefined;
      const settled = typeof arrived === 'object' ? await this.#settle(intended, arrived) : undefined;
      if (settled !== undefined) return settled;
      if (arrived === 'gone' && !isPeoples) await this.#leaveDeleted(intended, former);
      if (isPeoples && id === own) {
        // After a lost answer it may have arrived before.
        const seen = await api.get(calendarId, id);
        if (seen !== 'absent' && seen.status !== 'cancelled' && isMarkedFor(seen, appointmentId)) {
          await this.#leaveDragged(calendarId, seen);
          const link = await this.#bring(calendarId, seen, undefined);
          if (link !== 'lost') return link;
        }
        await forgo(intended);
        continue;
      }
      const inserted = await api
        .insert(calendarId, id, this.#marked(calendarId, wanted.body), stored)
        .catch(async (error: unknown) => {
          // A refusal is an answer: no event was made. An event may exist only if no answer came.
          if (!(error instanceof RetryableError)) await forgo(intended);
          throw error;
        });
      if (inserted !== 'taken') return this.#link(calendarId, inserted);
      // The event's author and hour are unknown, so the next turn must not mistake it for an event that people moved.
      if (former === undefined) await intend({ ...intended, event: { ...intended.event, hour: {} } });
      const seen = await api.get(calendarId, id);
      // The id is taken but the event is absent: a hidden tombstone, or an event that appears a little later. The intention stays.
      if (seen === 'absent') continue;
      if (isOurs(seen, appointmentId) && !this.#isOthers(calendarId, seen)) {
        await this.#leaveDragged(calendarId, seen);
        await this.#leaveMoved(calendarId, seen);
        const link = await this.#bring(calendarId, seen, undefined);
        if (link !== 'lost') return link;
      }
      await forgo(intended);
    }
    throw new TerminalError(
      'event-ids-spent',
      'none of the ids of this appointment can be used in the calendar',
      {
        target: `calendar:${calendarId}`,
        advice: 'Empty the bin of the calendar, then retry the appointment.',
      },
    );
  }

  /** Gives an event that was just moved here its content. Undefined if it has changed since: then it is read. */
  async #settle(link: CalendarLink, arrived: CalendarEvent): Promise<CalendarLink | undefined> {
    const { api, edits, intend, clock } = this.#parts;
    // People moved it to another hour at the last moment.
    if (isWish(arrived, startsOf(link), edits)) {
      await intend(opened({ ...link, event: { is: 'found', etag: '', hour: link.event.hour } }, clock.now()));
      throw editUnseen(link.calendarId);
    }
    const body = this.#patchBody(arrived, link);
    if (wasWrittenIn(link.calendarId, arrived) && isSameBody(arrived, body))
      return this.#link(link.calendarId, arrived);
    const patched = await api.patch(link.calendarId, arrived, this.#marked(link.calendarId, body));
    return typeof patched === 'string' ? undefined : this.#link(link.calendarId, patched);
  }

  async update(link: CalendarLink): Promise<CalendarLink> {
    const { calendarId, eventId } = link;
    // An adopted or intended event may not exist, so read it before writing. Also read an event from an older version, which did not check
    // who organises it.
    if (link.event.is === 'written' && link.event.shown !== undefined) {
      const patched = await this.#patchUnread(link);
      if (patched === 'absent') await this.#leaveToTheWayBack(link, patched);
      if (patched === 'absent') return this.#createAnew(link);
      if (patched !== 'changed') return this.#link(calendarId, patched);
    }
    // An event that was just decided about need not be read again, because the patch names its etag.
    // One that was about to leave may be gone since it was read.
    const { api } = this.#parts;
    const seen = await (link.absence === 'leaving'
      ? api.get(calendarId, eventId)
      : api.getIn(calendarId, eventId, link.event.etag));
    // It is about to come here, or to come back: a tombstone here is no reason for another one.
    const isAway = seen === 'absent' || seen.status === 'cancelled';
    const isComing = ['intended', 'found'].includes(link.event.is) || link.absence === 'leaving';
    if (isAway && isComing && this.#parts.leaving?.eventId === eventId) return this.create(calendarId, link);
    if (seen === 'absent') await this.#leaveToTheWayBack(link, seen);
    const brought = seen === 'absent' ? 'lost' : await this.#bring(calendarId, seen, link);
    return brought === 'lost' ? this.#createAnew(link) : brought;
  }

  /** An event that is repeatedly gone for good may be someone else's doing, so every loss counts. */
  async #createAnew(link: CalendarLink): Promise<CalendarLink> {
    const { calendarId, event } = link;
    const { etag } = event;
    if (etag !== '') await this.#parts.beforePutBack(`gone after ${etag}`);
    return this.create(calendarId, link);
  }

  /**
   * While the patch is under way, the link records that the event's content is in doubt. Otherwise a lost answer would mislead the next
   * turn if the appointment changes back. The old hash would look right, and a colour set by the patch would look like a person's choice.
   */
  async #patchUnread(link: CalendarLink): Promise<CalendarEvent | 'absent' | 'changed'> {
    const { api, wanted, intend } = this.#parts;
    const { eventId: id } = link;
    const coloured = link.coloured || wanted.body.colorId !== undefined;
    const stored = watched(intend({ ...this.#inDoubt(link), coloured }));
    this.#hasWritten = true;
    try {
      return await api.patch(
        link.calendarId,
        { id, etag: this.#etagOf(link) },
        this.#marked(link.calendarId, this.#patchBody(undefined, link)),
        stored,
      );
    } catch (error) {
      // The event may be deleted and not revivable. If it still exists, the next patch is refused as well.
      if (codeOf(error) === EVENT_FORBIDDEN) return 'changed';
      // A refusal is an answer: the event is unchanged.
      if (!(error instanceof RetryableError)) await intend(link);
      throw error;
    }
  }

  /** Another event of the series may have changed its version since: the last list shows that, and that its content is the same. */
  #etagOf({ calendarId, eventId, event }: CalendarLink): string {
    const known = event.is === 'written' ? this.#parts.api.knownInSeries(calendarId, eventId) : undefined;
    const isSame = known !== undefined && event.is === 'written' && contentInSeries(known) === event.content;
    return isSame ? known.etag : event.etag;
  }

  /**
   * Brings an event from its actual state to the wanted one. Revives a deleted event, because staff deletes events but the platform cancels
   * appointments. `lost`: the event is gone for good, or may not be revived.
   */
  async #bring(
    calendarId: string,
    found: CalendarEvent,
    link: CalendarLink | undefined,
  ): Promise<CalendarLink | 'lost'> {
    const { api, assertHeld, intend, beforePutBack, hasTwin } = this.#parts;
    let seen = found;
    for (let decisions = 0; decisions < DECISIONS_MAX; decisions++) {
      // Its organizer would read who the customer is. The appointment is shown in an event of the worker's own instead.
      if (this.#isOthers(calendarId, seen)) return 'lost';
      const isDeleted = seen.status === 'cancelled';
      if (isDeleted && hasTwin(seen.id)) return 'lost';
      if (link !== undefined) await this.#leaveToTheWayBack(link, seen);
      const body = this.#patchBody(seen, link);
      const isHere = wasWrittenIn(calendarId, seen);
      if (!isDeleted && isHere && seen.recurrence === undefined && isSameBody(seen, body))
        return this.#link(calendarId, seen);
      if (link !== undefined) await beforePutBack(`${seen.etag} ${seen.updated ?? ''}`);
      // Someone wrote the event in between, possibly a newer handler.
      const stored = watched(link === undefined ? assertHeld() : intend(this.#inDoubt(link)));
      try {
        this.#hasWritten = true;
        const patched = await api.patch(calendarId, seen, this.#marked(calendarId, body), stored);
        if (patched === 'absent') return 'lost';
        if (patched !== 'changed') return this.#link(calendarId, patched);
      } catch (error) {
        if (isDeleted && codeOf(error) === EVENT_FORBIDDEN) return 'lost';
        throw error;
      }
      const again = await api.getIn(calendarId, seen.id, '');
      if (again === 'absent') return 'lost';
      seen = again;
    }
    throw new RetryableError(ETAG_MISMATCH, 'the event keeps changing', { target: `calendar:${calendarId}` });
  }

  /**
   * People changed the event, and no decision was made about that yet. If it may be a wish, it is kept for staff edits and this turn ends.
   * A link whose change was decided has the etag of the decided state.
   */
  async #leaveToTheWayBack(link: CalendarLink, seen: CalendarEvent | 'absent'): Promise<void> {
    const { intend, clock } = this.#parts;
    const isGone = seen === 'absent' || seen.status === 'cancelled';
    // Also where deletions are undone: the event may be in a colleague's calendar, where only its id identifies it.
    const mayHaveMoved = isGone && mayStandElsewhere(link);
    if (!mayHaveMoved && !this.#isUnseenWish(link, seen)) return;
    await intend(opened(link, clock.now()));
    throw editUnseen(link.calendarId);
  }

  /** It is in neither calendar. Tidying one that the YAML does not name asks for nothing, and nobody knows in which it was deleted. */
  async #leaveDeleted(
    { calendarId, eventId }: CalendarLink,
    former: CalendarLink | undefined,
  ): Promise<void> {
    const { api, leaving, isNamed } = this.#parts;
    const left = leaving?.links.filter((link) => link.eventId === eventId) ?? [];
    if (!left.every((link) => isNamed(link.calendarId))) return;
    // After a loss of Redis, nothing may say that it has come here.
    const seen = await api.get(calendarId, eventId);
    if (seen !== 'absent' && seen.status !== 'cancelled') return;
    for (const link of former === undefined ? left : [former, ...left])
      await this.#leaveToTheWayBack(link, 'absent');
  }

  #isUnseenWish(link: CalendarLink, seen: CalendarEvent | 'absent'): boolean {
    const { event, absence, leftAt } = link;
    if (startsOf(link).length === 0 || event.is === 'strayed' || leftAt !== undefined) return false;
    if (seen !== 'absent' && seen.etag === event.etag) return false;
    const isGone = seen === 'absent' || seen.status === 'cancelled';
    // An event with the same id may have been dragged here. If it were overwritten, its absence at home would count as a deletion.
    const others = this.#parts.elsewhere(link.eventId).filter((each) => each.event.is !== 'strayed');
    if (!isGone && event.is === 'written' && others.length > 0) return true;
    // An event that no answer ever confirmed may never have existed.
    if (isGone && (absence !== 'wish' || event.hour.startsAt === undefined)) return false;
    const { edits, wanted } = this.#parts;
    return isWish(seen, [...startsOf(link), wanted.body.start.dateTime], edits);
  }

  /** People dragged an event here, to another hour, before the worker noticed. It is kept for staff edits, and this turn ends. */
  async #leaveDragged(calendarId: string, seen: CalendarEvent): Promise<void> {
    const { api, edits, elsewhere, intend, clock, wanted } = this.#parts;
    const { id: eventId, colorId } = seen;
    const homes = elsewhere(eventId).filter((link) => startsOf(link).length > 0);
    const [home] = homes;
    if (home === undefined || seen.status === 'cancelled') return;
    if (!isWish(seen, [...homes.flatMap(startsOf), wanted.body.start.dateTime], edits)) return;
    for (const each of homes) {
      const there = await api.get(each.calendarId, eventId);
      if (there !== 'absent' && there.status !== 'cancelled') return;
    }
    const { endsAt: _, ...hour } = home.event.hour;
    // Without an etag, because no decision covers this state of the event.
    const found = linkTo({ calendarId, eventId }, { coloured: colorId !== undefined, hour });
    await intend(opened(found, clock.now()));
    throw editUnseen(calendarId);
  }

  /** Another worker wrote it before a failover, Redis forgot that, and people have moved it since: it is kept for staff edits. */
  async #leaveMoved(calendarId: string, seen: CalendarEvent): Promise<void> {
    const { edits, intend, clock, wanted } = this.#parts;
    const written = writtenPlace(seen.extendedProperties?.private ?? {}, [calendarId]);
    if (written === undefined || seen.status === 'cancelled') return;
    if (!isWish(seen, [written.startsAt, wanted.body.start.dateTime], edits)) return;
    const startMs = Date.parse(seen.start?.dateTime ?? '');
    const shown = {
      calendarId,
      eventId: seen.id,
      etag: seen.etag,
      coloured: seen.colorId !== undefined,
      startMs,
    };
    const link = linkAsWritten(shown, written, clock.now());
    if (link === undefined) return;
    await intend(link);
    throw editUnseen(calendarId);
  }

  /** Someone outside received the ownership, or the event is an invitation that an older version mistook for the mirror. */
  #isOthers(calendarId: string, seen: CalendarEvent): boolean {
    const organizer = otherOrganizer(seen, calendarId);
    return organizer !== undefined && !this.#parts.isNamed(organizer);
  }

  /** While a write is under way, the event's content is unknown, but its possible starts are known. */
  #inDoubt(link: CalendarLink): CalendarLink {
    const event = doubted(link.event);
    return { ...link, event: { ...event, hour: { ...event.hour, tried: this.#tried(triedOf(event.hour)) } } };
  }

  #tried(before: readonly string[]): readonly string[] {
    const start = this.#parts.wanted.body.start.dateTime;
    return [...before.filter((each) => each !== start), start].slice(-TRIED_MAX);
  }

  /** Owned fields only. The mirror owns the colour while the mapping gives one, and once more to remove a colour that it had set. */
  #patchBody(seen: CalendarEvent | undefined, link: CalendarLink | undefined): EventPatch {
    const owned = this.#withoutFormerGuests(seen, link);
    const { visibility, colorId, ...rest } = owned;
    const isOwn = ownsVisibility(seen?.id ?? link?.eventId ?? '') && visibility !== undefined;
    const isColoured = !isLabelled(seen) && colorId !== undefined;
    const body: EventPatch = { ...rest, ...(isOwn && { visibility }), ...(isColoured && { colorId }) };
    const times = {
      start: { ...body.start, date: null },
      end: { ...body.end, date: null },
      ...(seen?.recurrence && { recurrence: null }),
    };
    if (body.colorId !== undefined || !this.#isColourOurs(seen, link)) return { ...body, ...times };
    return { ...body, ...times, colorId: null };
  }

  /** A missing mark is no reason for a write: events of earlier versions get it with their next one. */
  #marked<Body extends EventPatch>(calendarId: string, body: Body): Body {
    const mark = writtenMark({ startsAt: body.start.dateTime, calendarId });
    return { ...body, extendedProperties: { private: { ...body.extendedProperties.private, ...mark } } };
  }

  /** Removes names that the mirror wrote, even if the mapping no longer gives a description. */
  #withoutFormerGuests(seen: CalendarEvent | undefined, link: CalendarLink | undefined): EventPatch {
    const { body } = this.#parts.wanted;
    const marks = body.extendedProperties.private;
    const known = seen === undefined ? (link?.namesGuests ? GUEST_MARKS : []) : guestMarksIn(seen);
    const former = known.filter((name) => marks[name] === undefined);
    if (former.length === 0) return body;
    const taken = Object.fromEntries(former.map((name) => [name, null]));
    return { description: '', ...body, extendedProperties: { private: { ...marks, ...taken } } };
  }

  /** A matching etag proves that no person has recoloured the event. An event that was read must show a colour of the mapping. */
  #isColourOurs(seen: CalendarEvent | undefined, link: CalendarLink | undefined): boolean {
    if (seen === undefined) return link?.coloured ?? false;
    if (isLabelled(seen)) return false;
    const isOfMapping = seen.colorId !== undefined && this.#parts.colours().has(seen.colorId);
    return isOfMapping && (link?.coloured ?? true);
  }

  #link(calendarId: string, event: CalendarEvent): CalendarLink {
    const { wanted, status, note } = this.#parts;
    const { body, hash } = wanted;
    const hour = { startsAt: body.start.dateTime, endsAt: body.end.dateTime };
    const shown = hashTexts(shownIn(event, body), note?.text);
    const coloured = body.colorId !== undefined;
    const content = event.recurringEventId === undefined ? undefined : contentInSeries(event);
    return {
      ...{ calendarId, eventId: event.id, coloured, absence: 'wish', edit: { is: 'settled' } },
      event: {
        ...({ is: 'written', etag: event.etag, hour, status, shown, hash } as const),
        ...(content !== undefined && { content }),
      },
      ...(note && { note }),
      ...(GUEST_MARKS.some((name) => name in body.extendedProperties.private) && { namesGuests: true }),
    };
  }
}

/** It may fail before the call that waits for it has begun to. */
function watched(stored: Promise<void>): Promise<void> {
  stored.catch(() => undefined);
  return stored;
}

/** False for an event that was written in another calendar. One of an earlier version says nothing. */
function wasWrittenIn(calendarId: string, { extendedProperties }: CalendarEvent): boolean {
  const marks = extendedProperties?.private ?? {};
  return marks[WRITTEN_MARK] === undefined || writtenPlace(marks, [calendarId]) !== undefined;
}

/** The owned texts, as Google stored them. */
function shownIn(event: CalendarEvent, body: EventBody): EventTexts {
  return {
    summary: event.summary ?? '',
    ...(body.description !== undefined && { description: event.description ?? '' }),
    ...(body.location !== undefined && { location: event.location ?? '' }),
  };
}

/**
 * True for a move that is not reverted anyway, and for a deletion that is not simply undone. Such a deletion may be a drag to another
 * calendar.
 */
export function isWish(seen: CalendarEvent | 'absent', known: readonly string[], edits: StaffEdits): boolean {
  if (seen === 'absent' || seen.status === 'cancelled')
    return edits.deleted !== 'restore' || edits.moved !== 'revert';
  if (edits.moved === 'revert') return false;
  const startMs = Date.parse(seen.start?.dateTime ?? '');
  return !known.some((iso) => Date.parse(iso) === startMs);
}

/** True when a patch with this body would change nothing that matters. Fields that the body leaves out belong to people. */
export function isSameBody(event: CalendarEvent, body: EventPatch): boolean {
  const marks = event.extendedProperties?.private ?? {};
  return (
    isSameText(event.summary, body.summary) &&
    (body.description === undefined || isSameText(event.description, body.description)) &&
    (body.location === undefined || isSameText(event.location, body.location)) &&
    (body.colorId === undefined || isLabelled(event) || (event.colorId ?? null) === body.colorId) &&
    (!ownsVisibility(event.id) ||
      body.visibility === undefined ||
      (event.visibility ?? 'default') === body.visibility) &&
    (body.transparency === undefined || (event.transparency ?? 'opaque') === body.transparency) &&
    event.status === body.status &&
    isSameInstant(event.start, body.start.dateTime) &&
    isSameInstant(event.end, body.end.dateTime) &&
    Object.entries(body.extendedProperties.private).every(([key, value]) => (marks[key] ?? null) === value)
  );
}

/** A person chose a label of the calendar: no colour is written over it. */
function isLabelled(event: Pick<CalendarEvent, 'eventLabelId'> | undefined): boolean {
  return (event?.eventLabelId ?? '') !== '';
}

/** Google applies a stricter visibility of one event to its whole series, so the mirror writes none there. */
function ownsVisibility(eventId: string): boolean {
  return seriesOfInstance(eventId) === undefined;
}

/** Google omits empty texts from its answers. */
function isSameText(shown: string | undefined, wanted: string): boolean {
  return (shown ?? '') === wanted;
}

/** Google shows times in the calendar's zone, so only the instants can be compared. An all-day event has none. */
function isSameInstant(shown: CalendarEvent['start'], wanted: string): boolean {
  return shown?.dateTime !== undefined && Date.parse(shown.dateTime) === Date.parse(wanted);
}

// What an event says, field by field, under the field names that people know. Pure.

type EventFields = Readonly<Partial<Record<EventField, string>>>;

/** Leaves out fields that the body leaves unchanged. */
export function fieldsOfBody(body: EventBody): EventFields {
  const { start, end, summary, description, location, colorId, visibility, transparency } = body;
  return {
    ...{ start: start.dateTime, end: end.dateTime, title: summary },
    ...(description !== undefined && { description }),
    ...(location !== undefined && { location }),
    ...(colorId !== undefined && { color: colorId ?? DEFAULT }),
    ...(visibility !== undefined && { visibility }),
    ...(transparency !== undefined && { busy: busyBy(transparency) }),
  };
}

/** Every field, because Google leaves out empty and default values. */
export function fieldsOfEvent(event: CalendarEvent): Required<EventFields> {
  const { start, end, summary = '', description = '', location = '' } = event;
  return {
    ...{ start: momentOf(start), end: momentOf(end), title: summary, description, location },
    color: event.colorId ?? DEFAULT,
    visibility: event.visibility ?? DEFAULT,
    busy: busyBy(event.transparency),
  };
}

const DEFAULT = 'default';

function busyBy(transparency: string | undefined): string {
  return transparency === 'transparent' ? 'no' : 'yes';
}

/** An all-day event has a date instead of a time. */
function momentOf(moment: CalendarEvent['start']): string {
  return moment?.dateTime ?? moment?.date ?? '';
}
