import { mayBeUnmarked } from '../../engine/domain/event-rule.ts';
import { APPOINTMENT_MARK, MIRROR_MARK } from '../../engine/domain/event-texts.ts';
import { eventIdInOrigin, isEventIdOf } from '../../engine/domain/ids.ts';
import { type CalendarLink, openEdit } from '../../engine/domain/link.ts';
import type { StaffEdits } from '../../engine/domain/mirror.ts';
import type { Snapshot } from '../../engine/domain/object.ts';
import type { SeenEvent } from '../../engine/domain/outside-booking.ts';
import { type EditedAppointment, editedAppointment } from '../../engine/edits/appointment.ts';
import { originOf } from '../../engine/outside/origin.ts';
import { type HeldClaim, isSameEvent } from './held-claim.ts';

/** The parts of a calendar mirror that matter for people's changes to its events. */
export interface EditedMirror {
  readonly name: string;
  readonly staffEdits: StaffEdits;
  /** Calendar by subject, as the mapping resolves it right now. */
  readonly resolved: () => ReadonlyMap<string, string>;
  /** All calendars that the YAML names, whether or not their resource is known right now. No two mirrors share a calendar. */
  readonly calendars: readonly string[];
  /** Whether the mirror would show this appointment. */
  readonly takes: (snapshot: Snapshot) => boolean;
  /** Whether it keeps showing an appointment that already has an event in it. */
  readonly keeps: (snapshot: Snapshot) => boolean;
  /** Whether it shows all these appointments of a class, and would at another start; epoch milliseconds. */
  readonly showsAll: (members: readonly Snapshot[], startMs: number) => Promise<boolean>;
}

/** A linked event that may have been changed. */
export interface Edit {
  readonly mirror: EditedMirror;
  readonly link: CalendarLink;
  readonly arrived?: ArrivedEvent;
}

/** Where the event of a link is now. */
export interface ArrivedEvent {
  readonly calendarId: string;
  readonly event: SeenEvent;
}

/** Linked events sighted in a state other than the last decided one, and those that wait for a decision. */
export function undecidedEdits(held: HeldClaim, mirrors: readonly EditedMirror[]): readonly Edit[] {
  const { sightings } = held.claim;
  return mirrors.flatMap((mirror) =>
    held.links(mirror.name).flatMap((link) => {
      const sighting = sightings.find((each) => isSameEvent(each, link));
      const isNew = sighting !== undefined && (sighting.etag === '' || sighting.etag !== link.event.etag);
      return (isNew && !hasGone(held, mirrors, link)) || openEdit(link) !== undefined
        ? [{ mirror, link }]
        : [];
    }),
  );
}

/**
 * Whether the event is gone, or about to be removed, from a calendar that no longer shows the appointment. The mirror has yet to forget it.
 * An event that is there in another state may have been brought back.
 */
function hasGone(held: HeldClaim, mirrors: readonly EditedMirror[], link: CalendarLink): boolean {
  const { snapshot } = held.claim;
  const subjects = (snapshot && editedAppointment(snapshot)?.subjects) ?? [];
  return (
    link.absence !== 'wish' &&
    link.event.is !== 'strayed' &&
    subjects.length > 0 &&
    !isCalendarOf(subjects, link.calendarId, mirrors)
  );
}

/**
 * Events of this appointment in calendars where it has no link, or whose linked event is gone, each with the mirror of its calendar.
 * Google's "move to another calendar" keeps the id. A copy has another id, and somebody else's event under this id lacks the mark: neither
 * counts.
 */
export async function straysOf(
  held: HeldClaim,
  mirrors: readonly EditedMirror[],
  {
    read,
    isNamed,
  }: {
    readonly read: (at: { calendarId: string; eventId: string }) => Promise<SeenEvent | 'absent' | undefined>;
    readonly isNamed: (calendarId: string) => boolean;
  },
): Promise<readonly (ArrivedEvent & { readonly mirror: EditedMirror; readonly eventId: string })[]> {
  const { key, sightings } = held.claim;
  const strays = [];
  for (const { calendarId, eventId } of sightings) {
    if (!isIdOfAppointment(held, mirrors, eventId)) continue;
    const at = { calendarId, eventId };
    const isLinked = (link: CalendarLink) => isSameEvent(link, at) && !hasGone(held, mirrors, link);
    if (mirrors.some(({ name }) => held.links(name).some(isLinked))) continue;
    const event = await read(at);
    if (event === undefined || event === 'absent' || !isMarked(event, key.id) || isOthers(event, isNamed))
      continue;
    const mirror =
      mirrorAt(mirrors, calendarId) ?? mirrors.find(({ name }) => name === event.marks[MIRROR_MARK]);
    if (mirror !== undefined) strays.push({ mirror, calendarId, eventId, event });
  }
  return strays;
}

/** An outsider organizes the event: a change of it is no wish of people who may write to the YAML's calendars. */
export function isOthers({ organizer }: SeenEvent, isNamed: (calendarId: string) => boolean): boolean {
  return organizer !== undefined && !isNamed(organizer);
}

/** An id that the worker gave, or that of the event by which people booked. */
function isIdOfAppointment(held: HeldClaim, mirrors: readonly EditedMirror[], eventId: string): boolean {
  const { key, snapshot } = held.claim;
  if (isEventIdOf(eventId, key.id)) return true;
  if (mirrors.some(({ name }) => held.links(name).some((link) => link.eventId === eventId))) return true;
  return snapshot !== undefined && eventIdInOrigin(originOf(snapshot)) === eventId;
}

export function mirrorAt(mirrors: readonly EditedMirror[], calendarId: string): EditedMirror | undefined {
  return mirrors.find(({ calendars }) => calendars.includes(calendarId));
}

/** Returns every mirror's links to events with this id that are not known to be gone and were not brought there by people. */
export function homesOf(held: HeldClaim, mirrors: readonly EditedMirror[], eventId: string): readonly Edit[] {
  return mirrors.flatMap((mirror) =>
    held
      .links(mirror.name)
      .filter(
        (link) => link.eventId === eventId && link.event.is !== 'strayed' && !hasGone(held, mirrors, link),
      )
      .map((link) => ({ mirror, link })),
  );
}

/** By the current mapping, or by the one when the event was written: an edit of the YAML gives nothing to anybody. */
export function standsFor(
  subject: string,
  { mirror, link }: { readonly mirror: EditedMirror; readonly link: CalendarLink },
): boolean {
  return mirror.resolved().get(subject) === link.calendarId || link.resourceIds?.includes(subject) === true;
}

/** Whether any mirror shows one of these subjects in the calendar. */
export function isCalendarOf(
  subjects: readonly string[],
  calendarId: string,
  mirrors: readonly EditedMirror[],
): boolean {
  return mirrors.some((mirror) => {
    const resolved = mirror.resolved();
    return subjects.some((subject) => resolved.get(subject) === calendarId);
  });
}

/** Every calendar where a missing event may be: those of all mirrors, even where the appointment is linked, and its own. */
export function calendarsToSearch(
  mirrors: readonly EditedMirror[],
  { calendarId }: Pick<CalendarLink, 'calendarId'>,
): readonly string[] {
  return [...new Set([...mirrors.flatMap(({ calendars }) => calendars), calendarId])];
}

/**
 * The other events that the worker wrote for the appointment under the same id, for others of its subjects. Each counts only until somebody
 * touches it: people may have deleted it, and dragged this one into its place.
 */
export function twinsOf(
  held: HeldClaim,
  mirrors: readonly EditedMirror[],
  { link, appointment }: { readonly link: CalendarLink; readonly appointment: EditedAppointment },
): readonly Edit[] {
  return homesOf(held, mirrors, link.eventId).filter(
    (each) =>
      !isSameEvent(each.link, link) &&
      each.link.event.hour.startsAt !== undefined &&
      appointment.subjects.some((subject) => standsFor(subject, each)),
  );
}

/**
 * What a live event with the missing one's id in another calendar means. `doubt`: a guest's copy, or an event not proven to be the
 * appointment's. It proves that the event exists, but no wish.
 */
export function foundAs(
  event: SeenEvent,
  { appointmentId, link }: { readonly appointmentId: string; readonly link: CalendarLink },
): 'arrived' | 'doubt' {
  if (isMarked(event, appointmentId)) return 'arrived';
  const isUnmarked = event.marks[APPOINTMENT_MARK] === undefined;
  return mayBeUnmarked(link) && !event.isGuestCopy && isUnmarked ? 'arrived' : 'doubt';
}

function isMarked(event: SeenEvent, appointmentId: string): boolean {
  return event.isLive && event.marks[APPOINTMENT_MARK] === appointmentId;
}
