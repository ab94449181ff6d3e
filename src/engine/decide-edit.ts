// Decides what becomes of what people did to one event. Pure: the same facts always give the same decision, so a handler that died after
// any step decides again from the current state.

import { assertNever } from './errors.ts';
import { mayBeUnmarked } from './event-rule.ts';
import { areRewritten, isNoteIn } from './event-texts.ts';
import {
  askedWish,
  type CalendarLink,
  openEdit,
  startsOf,
  triedOf,
  writtenAs,
  writtenPlace,
} from './link.ts';
import { isMovableStatus, type StaffEdits } from './mirror.ts';
import { canHaveBeen, type ForgottenTime } from './moments.ts';
import { placementOf, resourcesOf, type Snapshot, subjectsOf, visibleState } from './object.ts';
import type { SeenEvent } from './outside-booking.ts';

/** The parts of an appointment by which people's changes to its events are judged. */
export interface EditedAppointment {
  readonly id: string;
  /** As the platform names it. */
  readonly status: string;
  /** Epoch milliseconds in whole seconds: Google keeps nothing finer. */
  readonly startMs: number;
  readonly endMs: number;
  readonly updatedMs: number | undefined;
  readonly branchId: string | undefined;
  /** The resource that a reschedule would change. */
  readonly resourceId: string | undefined;
  readonly resourceIds: readonly string[];
  /** Every subject whose calendar shows it: its resources, branch and service, and everything. */
  readonly subjects: readonly string[];
  readonly placement: string;
  readonly standing: string;
}

/** Undefined when its times are unreadable, because changes then cannot be judged. */
export function editedAppointment(snapshot: Snapshot): EditedAppointment | undefined {
  const startMs = secondOf(snapshot['starts_at']);
  const endMs = secondOf(snapshot['ends_at']);
  if (startMs === undefined || endMs === undefined) return undefined;
  return {
    id: snapshot.id,
    status: String(snapshot['status']),
    startMs,
    endMs,
    updatedMs: instantOf(snapshot['updated_at']),
    branchId: nonEmptyText(snapshot['branch_id']),
    resourceId: nonEmptyText(snapshot['resource_id']),
    resourceIds: resourcesOf(snapshot),
    subjects: subjectsOf(snapshot),
    placement: placementOf(snapshot),
    standing: visibleState(snapshot),
  };
}

export function isMovable({ status }: Pick<EditedAppointment, 'status'>): boolean {
  return isMovableStatus(status);
}

/** Rounds down to the whole second, as events are written. */
export function secondOf(iso: unknown): number | undefined {
  const atMs = instantOf(iso);
  return atMs === undefined ? undefined : Math.floor(atMs / 1000) * 1000;
}

function instantOf(iso: unknown): number | undefined {
  const atMs = Date.parse(String(iso));
  return Number.isNaN(atMs) ? undefined : atMs;
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export interface EditInput {
  /** In the link's calendar. */
  readonly seen: SeenEvent | 'absent';
  /** The same event, live in another calendar. */
  readonly arrived?: Arrival;
  readonly link: CalendarLink;
  /** An outsider organizes the event. */
  readonly isOthers: boolean;
  /** The YAML no longer names the link's calendar. */
  readonly isFormer: boolean;
  /** The link's calendar belongs to the person who is booked, not to a room or a second person. */
  readonly isMain: boolean;
  /** The calendar belongs to a branch, a service or everything, not to a booked resource: its event only shows the appointment. */
  readonly isCopy: boolean;
  /** The platform gave the appointment to somebody else: the mirror removes the event, whatever people did to it. */
  readonly hasLeft: boolean;
  /** The event shows a class: a change of it is no wish about a single appointment. */
  readonly isClass: boolean;
  /** `where` does not take the appointment, or no longer does: the mirror removes the event. */
  readonly isUntaken: boolean;
  readonly appointment: EditedAppointment;
  readonly edits: StaffEdits;
  /** What is known about where a missing event may be. */
  readonly search: Pick<GoneInput, 'calendars' | 'looks' | 'seenAtMs'>;
  /** What the worker did in this time, Redis may have forgotten. */
  readonly forgotten?: ForgottenTime | undefined;
  readonly nowMs: number;
}

export interface Arrival {
  readonly event: SeenEvent;
  /** The resource of that calendar, or why it cannot get the appointment. */
  readonly to: { readonly resourceId: string } | { readonly hindrance: NoteCode };
}

/** What the note in a restored event says. The platform's refusals have their own codes. */
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
  | 'copy-stands'
  | 'second-resource'
  | 'team-calendar'
  | 'only-shown'
  | 'class-shown'
  | 'class-too-many'
  | 'class-hidden';

export type EditDecision =
  /** The worker's own write, or a change without consequence. */
  | { readonly type: 'nothing' }
  /** People's change stays until the appointment changes. */
  | { readonly type: 'take-over' }
  /** The mirror compares what it owns and writes only what differs. `note: 'keep'`: the event's note stays true. */
  | { readonly type: 'put-back'; readonly why: PutBackReason; readonly note?: NoteCode | 'keep' }
  /**
   * `note`: what cannot be carried along. `overrules`: the start to which the platform had moved the appointment, unknown to the people who
   * moved the event.
   */
  | {
      readonly type: 'move';
      readonly startMs: number;
      readonly resourceId?: string;
      readonly note?: NoteCode;
      readonly overrules?: number;
    }
  | { readonly type: 'cancel'; readonly proof: Gone & { readonly is: 'gone' } }
  | { readonly type: 'wait'; readonly untilMs: number }
  /** Ask these calendars for the event before anything is cancelled or restored. */
  | { readonly type: 'search'; readonly calendars: readonly string[]; readonly before: 'cancel' | 'restore' }
  /** The event stays away, or where it is, until the appointment moves. */
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

/** The appointment took place, or the customer did not show up: deleting its past event changes nothing. */
const OVER = new Set(['completed', 'no_show']);

export function decideEdit(input: EditInput): EditDecision {
  const decision = decideOne(input);
  return input.isClass ? ofClass(decision) : decision;
}

/**
 * A class event moves or cancels no single appointment, whatever the mapping says about other events. Only its hour may be a wish, and only
 * for all of them.
 */
function ofClass(decision: EditDecision): EditDecision {
  const note = 'class-shown';
  const putBack = { type: 'put-back', why: 'moved', note } as const;
  switch (decision.type) {
    case 'move':
      return decision.resourceId === undefined ? { type: 'move', startMs: decision.startMs } : putBack;
    case 'cancel':
    case 'take-over':
      return putBack;
    case 'put-back': {
      const { why, note: said } = decision;
      if (said === 'not-expressible') return { ...decision, note: 'keep' };
      const isHourAlone = said === 'past' || said === 'started' || said === 'not-movable';
      return TOLD.has(why) && !isHourAlone ? { ...decision, note } : decision;
    }
    default:
      return decision;
  }
}
const TOLD: ReadonlySet<PutBackReason> = new Set(['moved', 'resized', 'reshaped', 'deleted']);

function decideOne(input: EditInput): EditDecision {
  const { seen, arrived, link } = input;
  // An outside organizer may move and delete the event in every calendar. The mirror creates its own event instead.
  if (input.isOthers) return decideOthers(input);
  if (seen === 'absent' || !seen.isLive) {
    return arrived === undefined ? decideDeleted(input, seen) : decideArrived(input, arrived);
  }
  // If the event is live both here and elsewhere, the other one is a stray, which the mirror handles.
  if (seen.etag !== '' && seen.etag === link.event.etag) return { type: 'nothing' };
  if (input.hasLeft && (seen.isAllDay || seen.isRecurring)) return { type: 'put-back', why: 'agreed' };
  if (seen.isAllDay || seen.isRecurring || seen.startMs === undefined) return decideReshaped(input, seen);
  return decideTimed(input, { ...seen, startMs: seen.startMs });
}

function decideOthers({ seen, link }: EditInput): EditDecision {
  const isKnown = seen !== 'absent' && seen.isLive && seen.etag !== '' && seen.etag === link.event.etag;
  return isKnown ? { type: 'nothing' } : { type: 'put-back', why: 'outsiders', note: 'keep' };
}

function decideTimed(input: EditInput, seen: SeenEvent & { readonly startMs: number }): EditDecision {
  const { link, appointment, edits, nowMs, hasLeft, forgotten } = input;
  const known = knownStarts(input, seen);
  // Only a lost wish needs a note. Any other change disappears with the event.
  const isLost = known.length > 0 && !known.includes(seen.startMs) && edits.moved === 'reschedule';
  if (hasLeft && !isLost) return { type: 'put-back', why: 'agreed' };
  // After a loss of Redis, nothing says who moved the event: the platform is right.
  if (known.length === 0) return { type: 'put-back', why: 'unproven', note: 'keep' };
  if (known.includes(seen.startMs)) {
    // The worker may have written it so itself: nobody is told that something was put back.
    if (isIn(forgotten, seen.updatedMs)) return { type: 'put-back', why: 'unproven', note: 'keep' };
    if (!isResized(link, appointment, seen))
      return { type: 'put-back', why: 'retouched', ...noteOnTexts({ link, appointment, seen, edits }) };
    // The platform cannot change how long an appointment lasts (platform API, reschedule).
    return { type: 'put-back', why: 'resized', ...saidIfCarried(edits, 'duration') };
  }
  if (seen.startMs === appointment.startMs) return { type: 'put-back', why: 'agreed' };
  // It was let be at this hour before, perhaps under another mapping: another colour is no wish for it.
  const wasLetBe = seen.startMs === secondOf(link.letBe);
  if (edits.moved === 'ignore' || wasLetBe) return { type: 'take-over' };
  if (edits.moved === 'revert') return { type: 'put-back', why: 'moved' };
  const hasAppointmentMoved =
    hasLeft || !(known.includes(appointment.startMs) || wasWrittenAt(appointment.startMs, link, seen));
  if (hasAppointmentMoved && !staffWins(edits, appointment, seen)) {
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

function decideArrived(input: EditInput, { event, to }: Arrival): EditDecision {
  const { appointment, edits, nowMs, hasLeft } = input;
  const known = knownStarts(input, event);
  // Handing an event over without touching its hour is no wish for an hour. An hour that was carried meanwhile stays.
  const isHourTouched = event.startMs === undefined || !known.includes(event.startMs);
  const startMs = isHourTouched ? event.startMs : appointment.startMs;
  // The platform already has it so: the answer was lost, or somebody gave them the appointment there as well.
  const isTheirs = 'resourceId' in to && to.resourceId === appointment.resourceId;
  if (isTheirs && startMs === appointment.startMs) return { type: 'put-back', why: 'agreed' };
  if (edits.moved === 'ignore') return { type: 'leave' };
  if (edits.moved === 'revert') return { type: 'put-back', why: 'moved' };
  if (event.isRecurring) return { type: 'put-back', why: 'moved', note: 'series' };
  if (event.isAllDay || startMs === undefined) return { type: 'put-back', why: 'moved', note: 'all-day' };
  // If both sides gave it to the same resource, only its hour can be in dispute.
  const hasAppointmentMoved = (hasLeft && !isTheirs) || !known.includes(appointment.startMs);
  if (hasAppointmentMoved && !staffWins(edits, appointment, event)) {
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

function decideDeleted(input: EditInput, tombstone: SeenEvent | 'absent'): EditDecision {
  const { link, isMain, isCopy, isFormer, hasLeft, isUntaken, appointment, edits, search, nowMs } = input;
  // Both sides want it gone; the mapping's `cancelled` says what remains of it.
  if (appointment.status === 'cancelled') return { type: 'leave' };
  // This deletion was accepted before, and the appointment has not moved since. A full list of the calendar reports it again.
  if (link.leftAt === appointment.placement) return { type: 'leave' };
  // The YAML no longer names the calendar: tidying it requests nothing of the platform. Once it is named again, the event returns.
  if (isFormer) return { type: 'put-back', why: 'unproven', note: 'keep' };
  // On its way here: before the mirror writes it, it looks whether the event still stands where it was.
  if (isAwaited(link)) return { type: 'nothing' };
  const known = knownStarts(input, tombstone);
  // The worker removed the event itself, perhaps elsewhere, or never saw it confirmed: this proves no deletion by people.
  if (link.absence !== 'wish' || link.event.hour.startsAt === undefined)
    return { type: 'put-back', why: 'unproven', note: 'keep' };
  // The event was to leave this calendar anyway: its deletion cancels nothing, and may be the worker's.
  if (isUntaken) return { type: 'put-back', why: 'agreed' };
  if (hasLeft) {
    // Only a lost wish needs a note, which the event in the new calendar shows.
    const isLost = edits.deleted === 'cancel' && isMovable(appointment) && appointment.startMs > nowMs;
    return isLost
      ? { type: 'put-back', why: 'conflict', note: 'moved-meanwhile' }
      : { type: 'put-back', why: 'agreed' };
  }
  if (edits.deleted === 'ignore') {
    // The deletion was accepted at the former hour only: at the new one the event has to show.
    const hasAppointmentMoved = !known.includes(appointment.startMs) || mayBeOwnRemoval(input, tombstone);
    return hasAppointmentMoved ? { type: 'put-back', why: 'agreed' } : { type: 'leave' };
  }
  if (edits.deleted === 'restore') return decideRestored({ edits, search, nowMs, note: 'keep' });
  if (OVER.has(appointment.status) || appointment.startMs <= nowMs) return { type: 'leave' };
  if (!isMovable(appointment)) return { type: 'put-back', why: 'deleted' };
  // The appointment is also in the calendar of its booked resource, whether or not a mirror shows that one. Only there can people cancel
  // it.
  if (isCopy) return decideRestored({ edits, search, nowMs, note: 'only-shown' });
  // Giving back a room does not cancel the appointment.
  if (!isMain) return { type: 'put-back', why: 'deleted', note: 'second-resource' };
  const seen = tombstone === 'absent' ? undefined : tombstone;
  const hasAppointmentMoved = !known.includes(appointment.startMs) && !staffWins(edits, appointment, seen);
  if (hasAppointmentMoved || mayBeOwnRemoval(input, tombstone)) {
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

function isAwaited(link: CalendarLink): boolean {
  return link.event.is === 'intended' && openEdit(link) === undefined && !mayBeUnmarked(link);
}

/** The event may have been dragged to another calendar: restoring it too soon would double it and lose the wish. */
function decideRestored({
  edits,
  search,
  nowMs,
  note,
}: Pick<EditInput, 'edits' | 'search' | 'nowMs'> & { readonly note: 'keep' | 'only-shown' }): EditDecision {
  const restored = { type: 'put-back', why: 'deleted', note } as const;
  // A drag would be undone as well, so no search is needed.
  if (edits.moved === 'revert') return restored;
  const proof = proveGone({ ...search, graceMs: 0, nowMs });
  if (proof.is === 'waiting') return { type: 'wait', untilMs: proof.untilMs };
  // A calendar that does not answer delays this, but cannot prevent it.
  if (proof.is !== 'unread' || nowMs >= search.seenAtMs + RESTORED_WITHIN_MS) return restored;
  return { type: 'search', calendars: proof.calendars, before: 'restore' };
}

/** Clocks of Google, the platform and the worker's hosts differ by no more. */
const CLOCKS_APART_MS = 10_000;
/** A worker removes an event by what it knew this long ago at most. */
const BEHIND_MS = 60_000;
/** If a calendar gives its deletions no time, one found this soon after a loss of Redis may be of the lost time. */
const FOUND_WITHIN_MS = 3_600_000;

function isIn(forgotten: ForgottenTime | undefined, atMs: number | undefined): boolean {
  if (forgotten === undefined || atMs === undefined) return false;
  return atMs >= forgotten.fromMs - CLOCKS_APART_MS && atMs <= forgotten.untilMs + CLOCKS_APART_MS;
}

/**
 * Redis may have forgotten that the worker removed the event while the appointment was not to be shown there. Then the appointment has
 * changed since. If it has not, people deleted the event.
 */
function mayBeOwnRemoval(
  { forgotten, appointment: { updatedMs }, search }: EditInput,
  tombstone: SeenEvent | 'absent',
): boolean {
  if (forgotten === undefined) return false;
  const goneAtMs = tombstone === 'absent' ? undefined : tombstone.updatedMs;
  if (goneAtMs !== undefined)
    return isIn(forgotten, goneAtMs) && (updatedMs === undefined || updatedMs > goneAtMs - BEHIND_MS);
  const isFoundSoon = search.seenAtMs <= forgotten.untilMs + FOUND_WITHIN_MS;
  return isFoundSoon && (updatedMs === undefined || isIn(forgotten, updatedMs));
}

/** The start that the event's mark names, if the worker may have written it in a time that Redis forgot. */
function forgottenStart(
  { forgotten, link, appointment: { updatedMs } }: EditInput,
  seen: SeenEvent | 'absent',
): number | undefined {
  if (forgotten === undefined || seen === 'absent' || !isIn(forgotten, seen.updatedMs)) return undefined;
  // The worker had no reason to write an appointment that has not changed since.
  if (updatedMs !== undefined && updatedMs < forgotten.fromMs - CLOCKS_APART_MS) return undefined;
  return secondOf(writtenPlace(seen.marks, [link.calendarId])?.startsAt);
}

/** Starts that the worker wrote or tried to write: people have not moved an event at one of them. */
function knownStarts(input: EditInput, seen: SeenEvent | 'absent'): readonly number[] {
  const { link, appointment } = input;
  const askedMs = secondOf(askedWish(link)?.for);
  // The request was carried out but not recorded: the next change counts from there.
  if (askedMs === appointment.startMs) return [askedMs];
  const known = startsOf(link)
    .map(secondOf)
    .filter((atMs) => atMs !== undefined);
  const forgottenMs = forgottenStart(input, seen);
  if (forgottenMs === undefined) return known;
  // A link that knows the appointment's start is newer than the mark: a drag that was carried leaves the mark as it was.
  const isWhole = known.includes(appointment.startMs) && seen !== 'absent' && seen.startMs !== forgottenMs;
  return isWhole ? known : [forgottenMs];
}

/** The event itself says that it was written with this start, which Redis may have forgotten in a failover. */
function wasWrittenAt(startMs: number, { calendarId }: CalendarLink, { marks }: SeenEvent): boolean {
  const written = writtenPlace(marks, [calendarId]);
  return written !== undefined && Date.parse(written.startsAt) === startMs;
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
 * The platform changes neither customer nor comment of an appointment (platform API, reschedule). The note says so once: people who remove
 * it from the event have read it.
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
  // While a write is in doubt, the worker's last texts are unknown.
  const shown = writtenAs(link)?.shown;
  if (shown === undefined || triedOf(link.event.hour).length > 0) return false;
  return areRewritten(shown, seen.texts, link.note?.text);
}

/**
 * Decides when both sides moved the appointment since they last agreed. Without both times nothing says which was later, and the platform
 * wins.
 */
function staffWins(edits: StaffEdits, appointment: EditedAppointment, seen: SeenEvent | undefined): boolean {
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

/** No note where moves are never carried: people know that such a calendar only shows. */
function saidIfCarried(edits: StaffEdits, note: NoteCode): { readonly note?: NoteCode } {
  return edits.moved === 'reschedule' ? { note } : {};
}

// The only rule by which a deleted event may cancel an appointment. Pure. The same rule distinguishes a deleted event from a dragged one
// before it is restored.

/** Shortest wait, however short the grace: one calendar may show a move some seconds later than the other. */
export const SETTLED_MS = 5_000;
/** Age after which a calendar is asked again: the event may have arrived there since. */
export const LOOKS_FRESH_MS = 15 * 60_000;
/** How long calendars that do not answer can delay the restoring of a deleted event. */
export const RESTORED_WITHIN_MS = 2 * 60_000;

/** A calendar's answer when asked for the event by its id. No answer is no look. */
export interface Look {
  /** When it was asked; epoch milliseconds. */
  readonly atMs: number;
  readonly shows: 'nothing' | 'live';
}

export interface GoneInput {
  /** All calendars of every mirror that the worker writes to, and the one from which the event is gone. */
  readonly calendars: readonly string[];
  readonly looks: Readonly<Record<string, Look>>;
  /** When the event was first found missing; epoch milliseconds, on the clock of `nowMs`. */
  readonly seenAtMs: number;
  readonly graceMs: number;
  readonly nowMs: number;
}

type Gone =
  | { readonly is: 'waiting'; readonly untilMs: number }
  /** The event is there, so it was not deleted. */
  | { readonly is: 'live'; readonly calendarId: string }
  | { readonly is: 'unread'; readonly calendars: readonly string[] }
  | { readonly is: 'gone' };

/** An event is gone when every calendar was asked for it after the grace and none shows it. */
export function proveGone({ calendars, looks, seenAtMs, graceMs, nowMs }: GoneInput): Gone {
  const live = calendars.find((calendarId) => looks[calendarId]?.shows === 'live');
  if (live !== undefined) return { is: 'live', calendarId: live };
  const untilMs = seenAtMs + Math.max(graceMs, SETTLED_MS);
  if (nowMs < untilMs) return { is: 'waiting', untilMs };
  const counts = (look: Look | undefined) =>
    look !== undefined &&
    look.atMs >= untilMs &&
    look.atMs > nowMs - LOOKS_FRESH_MS &&
    canHaveBeen(look.atMs, nowMs);
  const unread = calendars.filter((calendarId) => !counts(looks[calendarId]));
  return unread.length > 0 ? { is: 'unread', calendars: unread } : { is: 'gone' };
}
