import { CLASSES } from '../engine/class-slot.ts';
import { type EditedAppointment, editedAppointment, secondOf } from '../engine/decide-edit.ts';
import { assertNever } from '../engine/errors.ts';
import { mayBeUnmarked } from '../engine/event-rule.ts';
import { APPOINTMENT_MARK, MIRROR_MARK } from '../engine/event-texts.ts';
import type { ClassReader } from '../engine/handler.ts';
import { eventIdInOrigin, isEventIdOf } from '../engine/ids.ts';
import {
  type AskedWish,
  type CalendarLink,
  doubted,
  type EventNote,
  type KnownTimes,
  type LinkedEvent,
  linkTo,
  type MirrorLinks,
  openEdit,
  writtenPlace,
} from '../engine/link.ts';
import { isSameEvent, type LinkStore } from '../engine/link-store.ts';
import type { StaffEdits } from '../engine/mirror.ts';
import { contentHash, type EntityKey, originOf, type Snapshot } from '../engine/object.ts';

import type { SeenEvent } from '../engine/outside-booking.ts';
import type { Claim } from '../engine/work.ts';
import type { WorkStore } from '../engine/work-store.ts';

/** A claim while people's changes are decided. Every decision is stored immediately, under its fence. */
export class HeldClaim {
  readonly #work: Pick<WorkStore, 'refresh' | 'newest'>;
  readonly #links: Pick<LinkStore, 'write'>;
  #claim: Claim;

  constructor(
    parts: { work: Pick<WorkStore, 'refresh' | 'newest'>; links: Pick<LinkStore, 'write'> },
    claim: Claim,
  ) {
    this.#work = parts.work;
    this.#links = parts.links;
    this.#claim = claim;
  }

  get claim(): Claim {
    return this.#claim;
  }

  links(mirror: string): readonly CalendarLink[] {
    return this.#claim.links[mirror]?.calendars ?? [];
  }

  /** Stores all in one write, and skips the write if nothing changes. Rejects with `RetryableError` `fenced`. */
  async put(mirror: string, ...changed: readonly CalendarLink[]): Promise<void> {
    const before = this.links(mirror);
    const others = before.filter((link) => !changed.some((each) => isSameEvent(each, link)));
    if (changed.every((each) => before.some((link) => contentHash(link) === contentHash(each)))) return;
    await this.#store(mirror, { calendars: [...others, ...changed] });
  }

  async drop(mirror: string, gone: CalendarLink): Promise<void> {
    await this.#store(mirror, {
      calendars: this.links(mirror).filter((link) => !isSameEvent(link, gone)),
    });
  }

  /** Takes over the platform's newest answer, unless something newer came in meanwhile. */
  async refresh(found: Snapshot): Promise<void> {
    this.#claim = await this.#work.refresh(this.#claim, { found });
  }

  /** Another object, with the fence of its newest claim. */
  newest(key: EntityKey): Promise<Claim | undefined> {
    return this.#work.newest(key);
  }

  /** Reads the class again from the platform's list. */
  async reread(classes: ClassReader): Promise<void> {
    this.#claim = await classes.read(this.#claim);
  }

  /** Stores what is known of a class besides its events. */
  async putClass(known: MirrorLinks): Promise<void> {
    await this.#store(CLASSES, { ...this.#claim.links[CLASSES], ...known });
  }

  async #store(mirror: string, links: MirrorLinks): Promise<void> {
    await this.#links.write(this.#claim, mirror, links);
    this.#claim = { ...this.#claim, links: { ...this.#claim.links, [mirror]: links } };
  }
}

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
    const known = mirrors.flatMap(({ name }) => held.links(name).filter((link) => isSameEvent(link, at)));
    if (known.some((link) => !hasGone(held, mirrors, link))) continue;
    const event = await read(at);
    if (event === undefined || event === 'absent' || !isMarked(event, key.id) || isOthers(event, isNamed))
      continue;
    // The mirror has yet to remove it, and looks at people's change before that.
    if (known.length > 0 && isWrittenThere({ calendarId, event })) continue;
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

/** Those of the subjects that a mirror shows in the calendar. */
export function subjectsIn(
  calendarId: string,
  subjects: readonly string[],
  mirrors: readonly EditedMirror[],
): readonly string[] {
  const all = mirrors.map((mirror) => mirror.resolved());
  return subjects.filter((subject) => all.some((resolved) => resolved.get(subject) === calendarId));
}

/** Whether any mirror shows one of these subjects in the calendar. */
export function isCalendarOf(
  subjects: readonly string[],
  calendarId: string,
  mirrors: readonly EditedMirror[],
): boolean {
  return subjectsIn(calendarId, subjects, mirrors).length > 0;
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
      appointment.subjects.some(
        (subject) => standsFor(subject, each) && link.resourceIds?.includes(subject) !== true,
      ),
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

/**
 * Nobody dragged the event there: the worker wrote it there itself, and Redis lost that, or the worker has yet to remove it. A link whose
 * event is `written` says that the event had the mark of the link's calendar. An `intended` event may never have been there, as long as
 * links say that it is where it was. A drag does not change the mark.
 */
export function isOwnMove(
  { claim }: HeldClaim,
  { eventId, event: { is } }: CalendarLink,
  there: ArrivedEvent,
): boolean {
  const links = Object.values(claim.links).flatMap(({ calendars = [] }) => calendars);
  const isLinkedThere = links.some((link) => isSameEvent(link, { calendarId: there.calendarId, eventId }));
  return (is === 'written' || (is === 'intended' && isLinkedThere)) && isWrittenThere(there);
}

/** The event says that it was last written where it stands. */
export function isWrittenThere({ calendarId, event }: ArrivedEvent): boolean {
  return writtenPlace(event.marks, [calendarId]) !== undefined;
}

export function isGone(seen: SeenEvent | 'absent'): boolean {
  return seen === 'absent' || !seen.isLive;
}

function isMarked(event: SeenEvent, appointmentId: string): boolean {
  return event.isLive && event.marks[APPOINTMENT_MARK] === appointmentId;
}

/** A link without an open decision; the next change of the event is compared with this state. */
export function decided(link: CalendarLink, seen: SeenEvent | 'absent'): CalendarLink {
  const { leftAt: _, ...rest } = link;
  return { ...rest, event: withSeen(link.event, seen), edit: { is: 'settled' } };
}

function withSeen(event: LinkedEvent, seen: SeenEvent | 'absent'): LinkedEvent {
  const etag = seen === 'absent' || seen.etag === '' ? event.etag : seen.etag;
  if (event.is !== 'written') return { ...event, etag };
  const { content: _, ...rest } = event;
  const content = seen === 'absent' ? undefined : seen.content;
  return { ...rest, etag, ...(content !== undefined && { content }) };
}

/** Leaves people's change in place. What the event shows now is unknown, so it is read before the next write. */
export function keepPeoplesChange(link: CalendarLink, seen: SeenEvent | 'absent'): CalendarLink {
  const { letBe: _, ...rest } = decided(link, seen);
  const settled = { ...rest, ...letBeAt(seen) };
  if (settled.event.is !== 'written') return settled;
  const { shown: __, ...event } = settled.event;
  return { ...settled, event };
}

/** The start at which a live event was let be. */
export function letBeAt(seen: SeenEvent | 'absent'): Pick<CalendarLink, 'letBe'> {
  if (seen === 'absent' || !seen.isLive || seen.startMs === undefined) return {};
  return { letBe: new Date(seen.startMs).toISOString() };
}

/** Stores the request to the platform before it leaves. */
export function asked(link: CalendarLink, wish: AskedWish, nowMs: number): CalendarLink {
  const { sinceMs, missedSinceMs, looks } = openEdit(link) ?? {
    sinceMs: nowMs,
    missedSinceMs: {},
    looks: {},
  };
  return { ...link, edit: { is: 'asked', sinceMs, missedSinceMs, looks, wish } };
}

/** Removes the request, which has its verdict. */
export function answeredLink(link: CalendarLink): CalendarLink {
  const { edit } = link;
  switch (edit.is) {
    case 'settled':
    case 'open':
      return link;
    case 'dropped':
      return { ...link, edit: { is: 'settled' } };
    case 'asked': {
      const { wish: _, ...open } = edit;
      return { ...link, edit: { ...open, is: 'open' } };
    }
    default:
      return assertNever(edit, 'state of an edit');
  }
}

/** Closes the question, although the event's fate is unknown. */
export function dropped(link: CalendarLink): CalendarLink {
  const { edit } = link;
  switch (edit.is) {
    case 'settled':
    case 'dropped':
      return link;
    case 'open':
      return { ...link, edit: { is: 'settled' } };
    case 'asked':
      return { ...link, edit: { is: 'dropped', wish: edit.wish } };
    default:
      return assertNever(edit, 'state of an edit');
  }
}

/**
 * The event's absence no longer counts as a deletion by people: the worker may remove it elsewhere, or must restore it. For people's own
 * event this is decided after a search in every calendar, which need not be repeated.
 */
export function withoutDeletion(link: CalendarLink): CalendarLink {
  return link.absence === 'leaving' && !mayBeUnmarked(link) ? link : { ...link, absence: 'doubled' };
}

/**
 * Whether people chose this event's hour and lost to another event of the appointment. Both were moved at the same time, without knowledge
 * of each other.
 */
export function hasLost({ event, leftAt }: CalendarLink, wish: AskedWish): boolean {
  if (wish.overrules === undefined || event.is === 'strayed' || leftAt !== undefined) return false;
  const startMs = secondOf(event.hour.startsAt);
  return startMs !== undefined && startMs === secondOf(wish.overrules) && startMs !== secondOf(wish.for);
}

/** The mirror reads the event, and writes the owned fields that differ. If the event is gone, that is already decided. */
export function toPutBack(
  link: CalendarLink,
  seen: SeenEvent | 'absent',
  note: EventNote | 'keep' | undefined,
): CalendarLink {
  const { note: said, letBe: _, ...rest } = decided(link, seen);
  const kept = note === 'keep' ? said : note;
  const doubtful = { ...(isGone(seen) ? withoutDeletion(rest) : rest), event: doubted(rest.event) };
  return kept === undefined ? doubtful : { ...doubtful, note: kept };
}

/** Both sides now agree on this start: another one is a new wish. */
export function agreedOn(link: CalendarLink, startsAt: string): CalendarLink {
  const { note: _, letBe: __, ...rest } = link;
  return { ...rest, event: { ...doubted(link.event), hour: { startsAt } } };
}

/**
 * A link to the worker's event in its proper place, or with nothing else known of it. `owners`: for whom it is there. If one gets another
 * calendar before the mirror writes the event, it follows.
 */
export function foundLink(
  at: { readonly calendarId: string; readonly eventId: string },
  { etag, isColoured }: SeenEvent,
  { hour = {}, owners = [] }: { readonly hour?: KnownTimes; readonly owners?: readonly string[] } = {},
): CalendarLink {
  const found = linkTo(at, { etag, coloured: isColoured, hour });
  return owners.length === 0 ? found : { ...found, resourceIds: owners };
}

/** A link to an event that people brought into a calendar. */
export function strayLink(
  at: { readonly calendarId: string; readonly eventId: string },
  seen: SeenEvent,
  hour: KnownTimes = {},
): CalendarLink {
  const found = foundLink(at, seen, { hour });
  return { ...found, event: { ...found.event, is: 'strayed' } };
}
