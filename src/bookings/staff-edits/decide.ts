// What people did to one event comes in, what becomes of it comes out. Pure: the same facts always give the same decision, so a
// handler that died after any step decides again from what stands then.
import { assertNever } from '../../domain/errors.ts';
import { areRewritten, isNoteIn } from '../../domain/event-texts.ts';
import { askedWish, type CalendarLink, startsOf, triedOf, writtenAs } from '../../domain/link.ts';
import type { StaffEdits } from '../../domain/mirror.ts';
import type { SeenEvent } from '../../domain/seen-event.ts';
import { type EditedAppointment, isMovable, secondOf } from './appointment.ts';
import { type Gone, type GoneInput, proveGone, RESTORED_WITHIN_MS } from './gone.ts';

export interface EditInput {
  /** In the link's calendar. */
  readonly seen: SeenEvent | 'absent';
  /** The same event, live in another calendar. */
  readonly arrived?: Arrival;
  readonly link: CalendarLink;
  /** Somebody outside organises the event. */
  readonly isOthers: boolean;
  /** The file does not name the link's calendar any more. */
  readonly isFormer: boolean;
  /** The link's calendar is that of the person who is booked, and not of a room or a second person. */
  readonly isMain: boolean;
  /** The calendar is that of a branch, a service or everything, not of a booked resource: its event only shows the appointment. */
  readonly isCopy: boolean;
  /** The platform has given the appointment to somebody else: the mirror takes the event away, whatever people did to it. */
  readonly hasLeft: boolean;
  /** The event shows a class: a change of it is no wish about a single appointment. */
  readonly isClass: boolean;
  /** `where` does not take the appointment (any more): the mirror takes the event away. */
  readonly isUntaken: boolean;
  readonly appointment: EditedAppointment;
  readonly edits: StaffEdits;
  /** What was found out about where a missing event may stand. */
  readonly search: Pick<GoneInput, 'calendars' | 'looks' | 'seenAtMs'>;
  readonly nowMs: number;
}

export interface Arrival {
  readonly event: SeenEvent;
  /** Whose calendar it is; or why the appointment cannot be given to them. */
  readonly to: { readonly resourceId: string } | { readonly hindrance: NoteCode };
}

/** What the note in a restored event says; the platform's refusals have their own codes. */
export type NoteCode =
  | 'past'
  | 'started'
  | 'not-movable'
  | 'all-day'
  | 'series'
  | 'duration'
  | 'not-expressible'
  | 'moved-meanwhile'
  | 'moved-otherwise'
  | 'moved-late'
  | 'other-branch'
  | 'nobodys-calendar'
  | 'second-resource'
  | 'team-calendar'
  | 'only-shown'
  | 'class-shown'
  | 'class-too-many'
  | 'class-hidden';

export type EditDecision =
  /** The worker's own write, or nothing that concerns anybody. */
  | { readonly type: 'nothing' }
  /** People may have it so until the appointment changes. */
  | { readonly type: 'take-over' }
  /** The mirror compares what it owns and writes only what differs. `note: 'keep'`: what the event says stays true. */
  | { readonly type: 'put-back'; readonly why: PutBackReason; readonly note?: NoteCode | 'keep' }
  /** `note`: what cannot be carried along. `overrules`: the appointment had been moved there, and people did not know of that. */
  | {
      readonly type: 'move';
      readonly startMs: number;
      readonly resourceId?: string;
      readonly note?: NoteCode;
      readonly overrules?: number;
    }
  | { readonly type: 'cancel'; readonly proof: Gone & { readonly is: 'gone' } }
  | { readonly type: 'wait'; readonly untilMs: number }
  /** Before anything is cancelled, or restored, these calendars have to be asked for the event. */
  | { readonly type: 'search'; readonly calendars: readonly string[]; readonly before: 'cancel' | 'restore' }
  /** It stays away, or where it is, until the appointment is moved. */
  | { readonly type: 'leave' };

export type PutBackReason =
  | 'retouched'
  | 'resized'
  | 'reshaped'
  | 'moved'
  | 'deleted'
  | 'agreed'
  | 'conflict'
  | 'outsiders'
  | 'unproven';

/** The appointment took place, or nobody came: an empty place in the calendar of the past changes nothing about it. */
const OVER = new Set(['completed', 'no_show']);

export function decideEdit(input: EditInput): EditDecision {
  const decision = decideOne(input);
  return input.isClass ? ofClass(decision, input.edits) : decision;
}

/**
 * The event of a class moves or cancels no single appointment, whatever the mapping says about other events. Only its hour may be a wish, and only
 * about all of them.
 */
function ofClass(decision: EditDecision, { moved }: StaffEdits): EditDecision {
  const note = 'class-shown';
  const putBack = { type: 'put-back', why: 'moved', note } as const;
  switch (decision.type) {
    case 'move':
      if (moved !== 'reschedule' || decision.resourceId !== undefined) return putBack;
      return { type: 'move', startMs: decision.startMs };
    case 'cancel':
    case 'take-over':
      return putBack;
    case 'put-back': {
      const { why, note: said } = decision;
      if (said === 'not-expressible') return { ...decision, note: 'keep' };
      const isHourAlone =
        why === 'moved' && (said === 'past' || said === 'started' || said === 'not-movable');
      return TOLD.has(why) && !isHourAlone ? { ...decision, note } : decision;
    }
    default:
      return decision;
  }
}
const TOLD: ReadonlySet<PutBackReason> = new Set(['moved', 'resized', 'reshaped', 'deleted']);

function decideOne(input: EditInput): EditDecision {
  const { seen, arrived, link } = input;
  // Whoever organises it may move and delete it in every calendar. The mirror makes an event of its own instead.
  if (input.isOthers) return decideOthers(input);
  if (seen === 'absent' || !seen.isLive) {
    return arrived === undefined ? decideDeleted(input, seen) : decideArrived(input, arrived);
  }
  // A live one here and a live one there: the one there is a stray, and the mirror knows what to do with strays.
  if (seen.etag !== '' && seen.etag === link.event.etag) return { type: 'nothing' };
  if (input.hasLeft && (seen.isAllDay || seen.isRecurring)) return { type: 'put-back', why: 'agreed' };
  if (seen.isAllDay || seen.isRecurring || seen.startMs === undefined) return decideReshaped(input, seen);
  return decideTimed(input, { ...seen, startMs: seen.startMs });
}

function decideOthers({ seen, link }: EditInput): EditDecision {
  const isKnown = seen !== 'absent' && seen.isLive && seen.etag !== '' && seen.etag === link.event.etag;
  return isKnown ? { type: 'nothing' } : { type: 'put-back', why: 'outsiders', note: 'keep' };
}

function decideTimed(
  { link, appointment, edits, nowMs, hasLeft }: EditInput,
  seen: SeenEvent & { readonly startMs: number },
): EditDecision {
  const known = knownStarts(link, appointment);
  // Only a wish that is lost has to be told; everything else goes with the event.
  const isLost = known.length > 0 && !known.includes(seen.startMs) && edits.moved === 'reschedule';
  if (hasLeft && !isLost) return { type: 'put-back', why: 'agreed' };
  // After Redis was lost nobody can say who moved it: the platform is right.
  if (known.length === 0) return { type: 'put-back', why: 'unproven', note: 'keep' };
  if (known.includes(seen.startMs)) {
    if (!isResized(link, appointment, seen))
      return { type: 'put-back', why: 'retouched', ...noteOnTexts({ link, appointment, seen, edits }) };
    // The platform has no way to change how long an appointment lasts (platform API, reschedule).
    return { type: 'put-back', why: 'resized', ...saidIfCarried(edits, 'duration') };
  }
  if (seen.startMs === appointment.startMs) return { type: 'put-back', why: 'agreed' };
  if (edits.moved === 'ignore') return { type: 'take-over' };
  if (edits.moved === 'revert') return { type: 'put-back', why: 'moved' };
  const hasAppointmentMoved = hasLeft || !known.includes(appointment.startMs);
  if (hasAppointmentMoved && !doStaffWin(edits, appointment, seen)) {
    return { type: 'put-back', why: 'conflict', note: 'moved-meanwhile' };
  }
  const hindrance = hindranceOf(appointment, seen.startMs, nowMs);
  if (hindrance !== undefined) return { type: 'put-back', why: 'moved', note: hindrance };
  return {
    type: 'move',
    startMs: seen.startMs,
    ...(isRewritten(link, seen) && { note: 'not-expressible' }),
    ...overruled(known, appointment),
  };
}

function decideReshaped({ edits }: EditInput, seen: SeenEvent): EditDecision {
  if (edits.moved === 'ignore') return { type: 'take-over' };
  return {
    type: 'put-back',
    why: 'reshaped',
    ...saidIfCarried(edits, seen.isRecurring ? 'series' : 'all-day'),
  };
}

function decideArrived(
  { appointment, edits, nowMs, link, hasLeft }: EditInput,
  { event, to }: Arrival,
): EditDecision {
  const known = knownStarts(link, appointment);
  // Handing an event over without touching its hour is no wish for an hour: one that was carried meanwhile stays.
  const isHourTouched = event.startMs === undefined || !known.includes(event.startMs);
  const startMs = isHourTouched ? event.startMs : appointment.startMs;
  // The platform has it so already: the answer was lost, or the appointment was given to them there as well.
  const isTheirs = 'resourceId' in to && to.resourceId === appointment.resourceId;
  if (isTheirs && startMs === appointment.startMs) return { type: 'put-back', why: 'agreed' };
  if (edits.moved === 'ignore') return { type: 'leave' };
  if (edits.moved === 'revert') return { type: 'put-back', why: 'moved' };
  if (event.isRecurring) return { type: 'put-back', why: 'moved', note: 'series' };
  if (event.isAllDay || startMs === undefined) return { type: 'put-back', why: 'moved', note: 'all-day' };
  // Given to them by both sides, only its hour can be in dispute.
  const hasAppointmentMoved = (hasLeft && !isTheirs) || !known.includes(appointment.startMs);
  if (hasAppointmentMoved && !doStaffWin(edits, appointment, event)) {
    return { type: 'put-back', why: 'conflict', note: 'moved-meanwhile' };
  }
  const hindrance = hindranceOf(appointment, startMs, nowMs);
  if (hindrance !== undefined) return { type: 'put-back', why: 'moved', note: hindrance };
  if ('hindrance' in to) return { type: 'put-back', why: 'moved', note: to.hindrance };
  return {
    type: 'move',
    startMs,
    resourceId: to.resourceId,
    ...(isHourTouched && overruled(known, appointment)),
  };
}

function decideDeleted(
  { link, isMain, isCopy, isFormer, hasLeft, isUntaken, appointment, edits, search, nowMs }: EditInput,
  tombstone: SeenEvent | 'absent',
): EditDecision {
  // Both sides want it gone; the mapping's `cancelled` says what remains of it.
  if (appointment.status === 'cancelled') return { type: 'leave' };
  // This deletion was accepted before, and the appointment has not moved since. A full list of the calendar reports it once more.
  if (link.leftAt === appointment.placement) return { type: 'leave' };
  // The calendar left the YAML: whoever tidies it asks nothing of the platform.
  if (isFormer) return { type: 'leave' };
  const known = knownStarts(link, appointment);
  // The worker took it away itself, perhaps elsewhere, or was never told that it stood: nobody can say that people deleted it.
  if (link.absence !== 'wish' || link.event.hour.startsAt === undefined)
    return { type: 'put-back', why: 'unproven', note: 'keep' };
  // It was to go from here anyway: its deletion cancels nothing, and may have been the worker's.
  if (hasLeft || isUntaken) return { type: 'put-back', why: 'agreed' };
  if (edits.deleted === 'ignore') {
    // The deletion was accepted at the former hour only: at the new one the event has to show.
    const hasAppointmentMoved = !known.includes(appointment.startMs);
    return hasAppointmentMoved ? { type: 'put-back', why: 'agreed' } : { type: 'leave' };
  }
  if (edits.deleted === 'restore') return decideRestored({ edits, search, nowMs, note: 'keep' });
  if (OVER.has(appointment.status) || appointment.startMs <= nowMs) return { type: 'leave' };
  if (!isMovable(appointment)) return { type: 'put-back', why: 'deleted' };
  // The appointment stands in the calendar of whoever is booked, whether a mirror shows that one or not: there it is cancelled.
  if (isCopy) return decideRestored({ edits, search, nowMs, note: 'only-shown' });
  // Who gives a room back has not cancelled the appointment.
  if (!isMain) return { type: 'put-back', why: 'deleted', note: 'second-resource' };
  const seen = tombstone === 'absent' ? undefined : tombstone;
  if (!known.includes(appointment.startMs) && !doStaffWin(edits, appointment, seen)) {
    return { type: 'put-back', why: 'conflict', note: 'moved-meanwhile' };
  }
  const proof = proveGone({ ...search, graceMs: edits.graceMs, nowMs });
  switch (proof.is) {
    case 'waiting':
      return { type: 'wait', untilMs: proof.untilMs };
    case 'live':
      return { type: 'put-back', why: 'unproven', note: 'keep' };
    case 'unread':
      return { type: 'search', calendars: proof.calendars, before: 'cancel' };
    case 'gone':
      return { type: 'cancel', proof };
    default:
      return assertNever(proof, 'proof of a deletion');
  }
}

/** The event may have been dragged to another calendar: restored in haste, it would stand twice and the wish would be lost. */
function decideRestored({
  edits,
  search,
  nowMs,
  note,
}: Pick<EditInput, 'edits' | 'search' | 'nowMs'> & { readonly note: 'keep' | 'only-shown' }): EditDecision {
  const restored = { type: 'put-back', why: 'deleted', note } as const;
  // A drag would be undone as well.
  if (edits.moved === 'revert') return restored;
  const proof = proveGone({ ...search, graceMs: 0, nowMs });
  if (proof.is === 'waiting') return { type: 'wait', untilMs: proof.untilMs };
  // A calendar that does not answer delays this and cannot prevent it.
  if (proof.is !== 'unread' || nowMs >= search.seenAtMs + RESTORED_WITHIN_MS) return restored;
  return { type: 'search', calendars: proof.calendars, before: 'restore' };
}

/** Starts that the worker has written, or has tried to: an event at one of them was moved by nobody. */
function knownStarts(link: CalendarLink, appointment: EditedAppointment): readonly number[] {
  const askedMs = secondOf(askedWish(link)?.for);
  // The request was carried out, and nobody recorded it: the next change counts from there.
  if (askedMs !== undefined && askedMs === appointment.startMs) return [askedMs];
  return startsOf(link)
    .map(secondOf)
    .filter((atMs) => atMs !== undefined);
}

function overruled(
  known: readonly number[],
  { startMs }: EditedAppointment,
): { readonly overrules?: number } {
  return known.includes(startMs) ? {} : { overrules: startMs };
}

function isResized(link: CalendarLink, appointment: EditedAppointment, seen: SeenEvent): boolean {
  const { hour } = link.event;
  if (triedOf(hour).length > 0 || hour.endsAt === undefined) return false;
  return seen.endMs !== secondOf(hour.endsAt) && seen.endMs !== appointment.endMs;
}

/**
 * The platform changes neither customer nor comment of an appointment (platform API, reschedule). The note says so once: when people remove
 * it from the event, they have read it.
 */
function noteOnTexts({
  link,
  appointment,
  seen,
  edits,
}: {
  readonly link: CalendarLink;
  readonly appointment: EditedAppointment;
  readonly seen: SeenEvent;
  readonly edits: StaffEdits;
}): { readonly note?: NoteCode | 'keep' } {
  const said = link.note?.of === appointment.standing ? link.note : undefined;
  const isSaidStill = said !== undefined && isNoteIn(seen.texts, said.text);
  if (!isRewritten(link, seen)) return said === undefined || isSaidStill ? { note: 'keep' } : {};
  if (said?.code === 'not-expressible') return isSaidStill ? { note: 'keep' } : {};
  return edits.moved === 'reschedule' ? { note: 'not-expressible' } : { note: 'keep' };
}

function isRewritten(link: CalendarLink, seen: SeenEvent): boolean {
  // While a write is in doubt nobody knows what the worker has written last.
  const shown = writtenAs(link)?.shown;
  if (shown === undefined || triedOf(link.event.hour).length > 0) return false;
  return areRewritten(shown, seen.texts, link.note?.text);
}

/** Both sides moved the appointment since they last agreed. Without both times nobody can tell which was later. */
function doStaffWin(edits: StaffEdits, appointment: EditedAppointment, seen: SeenEvent | undefined): boolean {
  if (edits.conflict !== 'latest') return edits.conflict === 'staff';
  if (seen?.updatedMs === undefined || appointment.updatedMs === undefined) return false;
  return seen.updatedMs > appointment.updatedMs;
}

/** Why the appointment cannot be moved there, as far as that shows without asking the platform. */
export function hindranceOf(
  appointment: EditedAppointment,
  startMs: number,
  nowMs: number,
): 'not-movable' | 'started' | 'past' | undefined {
  if (!isMovable(appointment)) return 'not-movable';
  if (appointment.startMs <= nowMs) return 'started';
  return startMs <= nowMs ? 'past' : undefined;
}

/** Where moves are not carried anyway, everybody knows that the calendar only shows. */
function saidIfCarried(edits: StaffEdits, note: NoteCode): { readonly note?: NoteCode } {
  return edits.moved === 'reschedule' ? { note } : {};
}
