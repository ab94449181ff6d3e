import { isEventIdOf } from '../../domain/event-id.ts';
import { APPOINTMENT_MARK, MIRROR_MARK } from '../../domain/event-marks.ts';
import type { CalendarLink } from '../../domain/link.ts';
import type { StaffEdits } from '../../domain/mirror.ts';
import { mayBeUnmarked } from '../../domain/own-event.ts';
import type { SeenEvent } from '../../domain/seen-event.ts';
import type { CalendarEvents } from '../../ports/calendar-events.ts';
import { type HeldClaim, isSameEvent } from './held-claim.ts';

/** Calendars in which a deleted event is looked for before its visit is cancelled. */
const LOOKS_MAX = 100;

/** A calendar mirror, as far as people's changes to its events are concerned. */
export interface EditedMirror {
  readonly name: string;
  readonly staffEdits: StaffEdits;
  /** Resource id to calendar, as the mapping is understood right now. */
  readonly resources: () => ReadonlyMap<string, string>;
}

/** A linked event that may have been changed. */
export interface Edit {
  readonly mirror: EditedMirror;
  readonly link: CalendarLink;
  readonly arrived?: ArrivedEvent;
}

/** Where the event of a link stands now instead. */
export interface ArrivedEvent {
  readonly calendarId: string;
  readonly event: SeenEvent;
}

/** Linked events that were sighted in another state than the one that was last decided about, and those that wait for a decision. */
export function editsOf(held: HeldClaim, mirrors: readonly EditedMirror[]): readonly Edit[] {
  const { sightings } = held.claim;
  return mirrors.flatMap((mirror) =>
    held.links(mirror.name).flatMap((link) => {
      const sighting = sightings.find((each) => isSameEvent(each, link));
      const isNew = sighting !== undefined && (sighting.etag === '' || sighting.etag !== link.etag);
      return isNew || link.editSeenAtMs !== undefined ? [{ mirror, link }] : [];
    }),
  );
}

/**
 * Events of this visit in calendars where it is not linked: Google's "move to another calendar" keeps the id. A copy has another id,
 * and an event of somebody else who has taken the id does not carry the mark; neither is acted upon.
 */
export async function straysOf(
  held: HeldClaim,
  mirrors: readonly EditedMirror[],
  events: CalendarEvents,
): Promise<readonly (ArrivedEvent & { readonly mirror: EditedMirror; readonly eventId: string })[]> {
  const { key, sightings } = held.claim;
  const strays = [];
  for (const { calendarId, eventId } of sightings) {
    if (!isEventIdOf(eventId, key.id)) continue;
    const at = { calendarId, eventId };
    if (mirrors.some(({ name }) => held.links(name).some((link) => isSameEvent(link, at)))) continue;
    const event = await events.read(calendarId, eventId);
    if (event === 'absent' || !isMarked(event, key.id)) continue;
    const mirror = mirrors.find(({ name }) => name === event.marks[MIRROR_MARK]);
    if (mirror !== undefined) strays.push({ mirror, calendarId, eventId, event });
  }
  return strays;
}

/** Looks for a deleted event in the other calendars of its mirror: perhaps it was moved, and nobody has told of it yet (case 47). */
export async function findElsewhere(
  held: HeldClaim,
  { mirror, link }: Edit,
  events: CalendarEvents,
): Promise<ArrivedEvent | undefined> {
  const taken = new Set(held.links(mirror.name).map((each) => each.calendarId));
  const others = [...new Set(mirror.resources().values())].filter((id) => !taken.has(id));
  for (const calendarId of others.slice(0, LOOKS_MAX)) {
    const event = await events.read(calendarId, link.eventId);
    if (event === 'absent') continue;
    if (isMarked(event, held.claim.key.id) || isUnmarkedOwn(link, event)) return { calendarId, event };
  }
  return undefined;
}

function isUnmarkedOwn(link: CalendarLink, event: SeenEvent): boolean {
  const isUnmarked = event.marks[APPOINTMENT_MARK] === undefined;
  return mayBeUnmarked(link) && event.isLive && !event.isGuestCopy && isUnmarked;
}

function isMarked(event: SeenEvent, appointmentId: string): boolean {
  return event.isLive && event.marks[APPOINTMENT_MARK] === appointmentId;
}
