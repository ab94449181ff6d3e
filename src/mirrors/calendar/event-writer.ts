import { DeferredError, RetryableError, TerminalError } from '../../domain/errors.ts';
import { generationOf, inGeneration, isEventIdOf } from '../../domain/event-id.ts';
import { GUEST_MARKS } from '../../domain/event-marks.ts';
import { type EventTexts, hashTexts } from '../../domain/event-texts.ts';
import {
  type CalendarLink,
  doubted,
  type EventNote,
  linkTo,
  opened,
  startsOf,
  triedOf,
} from '../../domain/link.ts';
import type { StaffEdits } from '../../domain/mirror.ts';
import { mayStandElsewhere } from '../../domain/own-event.ts';
import type { CalendarApi } from '../../google/calendar-api.ts';
import {
  type CalendarEvent,
  type EventBody,
  type EventPatch,
  otherOrganizer,
} from '../../google/calendar-event.ts';
import { ETAG_MISMATCH, EVENT_FORBIDDEN } from '../../google/errors.ts';
import { codeOf } from '../../google/outcome.ts';
import { guestMarksIn } from './guest-list.ts';
import { isOurs } from './marks.ts';
import { isSameBody } from './same-body.ts';
import type { WantedEvent } from './wanted.ts';

/** How often an event may change under the writer's hands before the queue has to try again later. */
const DECISIONS_MAX = 3;
/** How soon a change is looked at that a write ran into. */
const EDIT_LOOK_MS = 500;

export function editUnseen(calendarId: string): DeferredError {
  return new DeferredError('edit-unseen', 'people changed the event just now: that is looked at first', {
    target: `calendar:${calendarId}`,
    retryAfterMs: EDIT_LOOK_MS,
  });
}

/** Starts that are remembered without an answer. An event at a forgotten one would look as if people had moved it. */
const TRIED_MAX = 20;
/** How many ids of one appointment may be burnt in one calendar. */
const GENERATIONS_MAX = 8;

export interface EventWriterParts {
  readonly api: CalendarApi;
  readonly appointmentId: string;
  /** Id of the event in a calendar where it is new. */
  readonly newId: (calendarId: string) => string;
  readonly wanted: WantedEvent;
  /** As the appointment has it now. */
  readonly status: string;
  /** What the wanted event says to people, to be remembered with it. */
  readonly note: EventNote | undefined;
  /** Whether what people do to events is somebody's wish, which must not be written over. */
  readonly edits: StaffEdits;
  /** Asked before an event that people changed is put right. `mark` names that state of it. */
  readonly beforePutBack: (mark: string) => Promise<void>;
  readonly nowMs: () => number;
  /** Whether the file names this calendar: whoever reads an event that it organises may see what the mirrors show. */
  readonly isNamed: (calendarId: string) => boolean;
  /** Links to the event of this id in other calendars. */
  readonly elsewhere: (eventId: string) => readonly CalendarLink[];
  /**
   * An event of this id stands elsewhere, and one of the two only shows the appointment. Dragged into the other's calendar, it would look
   * like that one, and its absence like a deletion.
   */
  readonly hasTwin: (eventId: string) => boolean;
  /** Colours that the mapping gives: only those may have been set by the mirror. */
  readonly colours: ReadonlySet<string>;
  /**
   * Rejects when another handler has taken the appointment over. Asked before writes that no etag of the link guards. A late handler must
   * not bring back what a newer one deleted, nor overwrite its newer state.
   */
  readonly assertHeld: () => Promise<void>;
  /**
   * Asked before an insert or a patch, with the same refusal. Records where an event is about to be, or that its content is in doubt.
   * Should the answer be lost and the appointment change before the next attempt, the event is found and put right all the same.
   */
  readonly intend: (link: CalendarLink) => Promise<void>;
  /** Takes an intention back: what stands under the id is not, and will not be, the event of this appointment. */
  readonly forgo: (link: CalendarLink) => Promise<void>;
}

/** Brings single events to what is wanted, whatever stands there, with the smallest write. Repeating it changes nothing. */
export class EventWriter {
  readonly #parts: EventWriterParts;
  #hasWritten = false;

  constructor(parts: EventWriterParts) {
    this.#parts = parts;
  }

  /** False as long as everything stood there already. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /**
   * A lost answer is covered: the id is derived, so the repetition finds the event that was made. `former`: a link to an event that was not
   * found. Its insert may still be on its way, so its id is tried first. People's own event has no successor of its id.
   */
  async create(calendarId: string, former?: CalendarLink): Promise<CalendarLink> {
    const { api, appointmentId, wanted, intend, forgo, hasTwin } = this.#parts;
    const isSuccessor = former !== undefined && isEventIdOf(former.eventId, appointmentId);
    const from = isSuccessor ? former.eventId : this.#parts.newId(calendarId);
    const generation = generationOf(from);
    const tried = this.#tried(former === undefined ? [] : startsOf(former));
    for (let n = generation; n < generation + GENERATIONS_MAX; n++) {
      const id = inGeneration(from, n);
      if (hasTwin(id)) {
        // Beside its successor, it would look like a second event.
        if (former?.eventId === id) await forgo(former);
        continue;
      }
      const coloured = wanted.body.colorId !== undefined;
      const sinceMs = this.#parts.nowMs();
      const found = linkTo({ calendarId, eventId: id }, { coloured, hour: { tried } });
      const intended: CalendarLink = { ...found, event: { ...found.event, is: 'intended', sinceMs } };
      await intend(intended);
      this.#hasWritten = true;
      const inserted = await api.insert(calendarId, id, wanted.body).catch(async (error: unknown) => {
        // A refusal is an answer: nothing was made. Only where no answer came may an event stand.
        if (!(error instanceof RetryableError)) await forgo(intended);
        throw error;
      });
      if (inserted !== 'taken') return this.#link(calendarId, inserted);
      // Its author and its hour are unknown: the next turn must not take it for people's.
      if (former === undefined) await intend({ ...intended, event: { ...intended.event, hour: {} } });
      const seen = await api.get(calendarId, id);
      // Taken and yet not there: a tombstone that is hidden, or an event that will show a little later. The intention stays.
      if (seen === 'absent') continue;
      if (isOurs(seen, appointmentId) && !this.#isOthers(calendarId, seen)) {
        await this.#leaveDragged(calendarId, seen);
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

  async update(link: CalendarLink): Promise<CalendarLink> {
    const { calendarId, eventId } = link;
    // An adopted or intended event may not even exist: read it before writing. Likewise one that an older version wrote, which did not
    // check who organises it.
    if (link.event.is === 'written' && link.event.shown !== undefined) {
      const patched = await this.#patchUnread(link);
      if (patched === 'absent') await this.#leaveToTheWayBack(link, patched);
      if (patched === 'absent') return this.#createAnew(link);
      if (patched !== 'changed') return this.#link(calendarId, patched);
    }
    // What was just decided about need not be looked at again: the patch names its etag.
    const seen = await this.#parts.api.getIn(calendarId, eventId, link.event.etag);
    const brought = seen === 'absent' ? 'lost' : await this.#bring(calendarId, seen, link);
    return brought === 'lost' ? this.#createAnew(link) : brought;
  }

  /** An event that is gone for good, and not for the first time, may be somebody else's doing: every one of them counts. */
  async #createAnew(link: CalendarLink): Promise<CalendarLink> {
    const { calendarId, event } = link;
    const { etag } = event;
    if (etag !== '') await this.#parts.beforePutBack(`gone after ${etag}`);
    return this.create(calendarId, link);
  }

  /**
   * While the patch is under way, the link records that the event's content is in doubt. If the answer is lost and the appointment changes
   * back, the old hash would seem right. A colour that was set would seem a person's choice.
   */
  async #patchUnread(link: CalendarLink): Promise<CalendarEvent | 'absent' | 'changed'> {
    const { api, wanted, intend } = this.#parts;
    const { eventId: id, event } = link;
    await intend({ ...this.#inDoubt(link), coloured: link.coloured || wanted.body.colorId !== undefined });
    this.#hasWritten = true;
    try {
      return await api.patch(link.calendarId, { id, etag: event.etag }, this.#patchBody(undefined, link));
    } catch (error) {
      // Perhaps it was deleted and may not be revived; an event that stands will refuse the next patch as well.
      if (codeOf(error) === EVENT_FORBIDDEN) return 'changed';
      // A refusal is an answer: the event is as it was.
      if (!(error instanceof RetryableError)) await intend(link);
      throw error;
    }
  }

  /**
   * From an event as it stands to the wanted one. A deleted one is revived: staff deletes events, the platform cancels
   * appointments. `lost`: it is gone for good, or may not be revived.
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
      if (!isDeleted && seen.recurrence === undefined && isSameBody(seen, body))
        return this.#link(calendarId, seen);
      if (link !== undefined) await beforePutBack(`${seen.etag} ${seen.updated ?? ''}`);
      // Somebody has written in between: it may have been a newer handler.
      if (link === undefined) await assertHeld();
      else await intend(this.#inDoubt(link));
      try {
        this.#hasWritten = true;
        const patched = await api.patch(calendarId, seen, body);
        if (patched === 'absent') return 'lost';
        if (patched !== 'changed') return this.#link(calendarId, patched);
      } catch (error) {
        if (isDeleted && codeOf(error) === EVENT_FORBIDDEN) return 'lost';
        throw error;
      }
      const again = await api.get(calendarId, seen.id);
      if (again === 'absent') return 'lost';
      seen = again;
    }
    throw new RetryableError(ETAG_MISMATCH, 'the event keeps changing', { target: `calendar:${calendarId}` });
  }

  /**
   * People changed the event, and nobody has looked at that. If it may be a wish, it is kept for staff edits, and this turn ends. A link
   * that was decided about has the etag of what was decided.
   */
  async #leaveToTheWayBack(link: CalendarLink, seen: CalendarEvent | 'absent'): Promise<void> {
    const { intend, nowMs } = this.#parts;
    const isGone = seen === 'absent' || seen.status === 'cancelled';
    // Where deletions are undone, too: it may stand in a colleague's calendar, where nothing but its id tells it.
    const mayHaveMoved = isGone && mayStandElsewhere(link);
    if (!mayHaveMoved && !this.#isUnseenWish(link, seen)) return;
    await intend(opened(link, nowMs()));
    throw editUnseen(link.calendarId);
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

  /** An event that people dragged here, to another hour, before anybody noticed: it is kept for staff edits, and this turn ends. */
  async #leaveDragged(calendarId: string, seen: CalendarEvent): Promise<void> {
    const { api, edits, elsewhere, intend, nowMs, wanted } = this.#parts;
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
    // Without an etag: nothing was decided about this state of it.
    const found = linkTo({ calendarId, eventId }, { coloured: colorId !== undefined, hour });
    await intend(opened(found, nowMs()));
    throw editUnseen(calendarId);
  }

  /** Ownership was given to somebody outside, or the event is an invitation that an older version took for the mirror. */
  #isOthers(calendarId: string, seen: CalendarEvent): boolean {
    const organizer = otherOrganizer(seen, calendarId);
    return organizer !== undefined && !this.#parts.isNamed(organizer);
  }

  /** What the event says is not known while a write is under way, but where it may stand is. */
  #inDoubt(link: CalendarLink): CalendarLink {
    const event = doubted(link.event);
    return { ...link, event: { ...event, hour: { ...event.hour, tried: this.#tried(triedOf(event.hour)) } } };
  }

  #tried(before: readonly string[]): readonly string[] {
    const start = this.#parts.wanted.body.start.dateTime;
    return [...before.filter((each) => each !== start), start].slice(-TRIED_MAX);
  }

  /** Owned fields only. The colour is owned while the mapping gives one, and once more to take away what the mirror had set. */
  #patchBody(seen: CalendarEvent | undefined, link: CalendarLink | undefined): EventPatch {
    const body = this.#withoutFormerGuests(seen, link);
    const times = {
      start: { ...body.start, date: null },
      end: { ...body.end, date: null },
      ...(seen?.recurrence && { recurrence: null }),
    };
    if (body.colorId !== undefined || !this.#isColourOurs(seen, link)) return { ...body, ...times };
    return { ...body, ...times, colorId: null };
  }

  /** Names that the mirror had written do not stay for want of a description. */
  #withoutFormerGuests(seen: CalendarEvent | undefined, link: CalendarLink | undefined): EventPatch {
    const { body } = this.#parts.wanted;
    const marks = body.extendedProperties.private;
    const known = seen === undefined ? (link?.namesGuests ? GUEST_MARKS : []) : guestMarksIn(seen);
    const former = known.filter((name) => marks[name] === undefined);
    if (former.length === 0) return body;
    const taken = Object.fromEntries(former.map((name) => [name, null]));
    return { description: '', ...body, extendedProperties: { private: { ...marks, ...taken } } };
  }

  /** An etag that still fits proves that nobody has recoloured the event; one that was read has to show a colour of the mapping. */
  #isColourOurs(seen: CalendarEvent | undefined, link: CalendarLink | undefined): boolean {
    if (seen === undefined) return link?.coloured ?? false;
    const isOfMapping = seen.colorId !== undefined && this.#parts.colours.has(seen.colorId);
    return isOfMapping && (link?.coloured ?? true);
  }

  #link(calendarId: string, event: CalendarEvent): CalendarLink {
    const { wanted, status, note } = this.#parts;
    const { body, hash } = wanted;
    const hour = { startsAt: body.start.dateTime, endsAt: body.end.dateTime };
    const shown = hashTexts(shownIn(event, body), note?.text);
    const coloured = body.colorId !== undefined;
    return {
      ...{ calendarId, eventId: event.id, coloured, absence: 'wish', edit: { is: 'settled' } },
      event: { is: 'written', etag: event.etag, hour, status, shown, hash },
      ...(note && { note }),
      ...(GUEST_MARKS.some((name) => name in body.extendedProperties.private) && { namesGuests: true }),
    };
  }
}

/** As Google has taken them; only those that the mirror owns. */
function shownIn(event: CalendarEvent, body: EventBody): EventTexts {
  return {
    summary: event.summary ?? '',
    ...(body.description !== undefined && { description: event.description ?? '' }),
    ...(body.location !== undefined && { location: event.location ?? '' }),
  };
}

/** A move that is not reverted anyway, or a deletion that is not simply undone: it may be a drag to another calendar. */
export function isWish(seen: CalendarEvent | 'absent', known: readonly string[], edits: StaffEdits): boolean {
  if (seen === 'absent' || seen.status === 'cancelled')
    return edits.deleted !== 'restore' || edits.moved !== 'revert';
  if (edits.moved === 'revert') return false;
  const startMs = Date.parse(seen.start?.dateTime ?? '');
  return !known.some((iso) => Date.parse(iso) === startMs);
}
