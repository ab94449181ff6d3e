import { assertNever } from '../../engine/domain/errors.ts';
import { mayBeUnmarked } from '../../engine/domain/event-rule.ts';
import {
  type AskedWish,
  type CalendarLink,
  doubted,
  type EventNote,
  type KnownTimes,
  type LinkedEvent,
  linkTo,
  openEdit,
} from '../../engine/domain/link.ts';
import type { SeenEvent } from '../../engine/domain/outside-booking.ts';
import { secondOf } from '../../engine/edits/appointment.ts';

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
  const isGone = seen === 'absent' || !seen.isLive;
  const doubtful = { ...(isGone ? withoutDeletion(rest) : rest), event: doubted(rest.event) };
  return kept === undefined ? doubtful : { ...doubtful, note: kept };
}

/** Both sides now agree on this start: another one is a new wish. */
export function agreedOn(link: CalendarLink, startsAt: string): CalendarLink {
  const { note: _, letBe: __, ...rest } = link;
  return { ...rest, event: { ...doubted(link.event), hour: { startsAt } } };
}

/** A link to the worker's event in its proper place, or with nothing else known of it. */
export function foundLink(
  at: { readonly calendarId: string; readonly eventId: string },
  { etag, isColoured }: SeenEvent,
  hour: KnownTimes = {},
): CalendarLink {
  return linkTo(at, { etag, coloured: isColoured, hour });
}

/** A link to an event that people brought into a calendar. */
export function strayLink(
  at: { readonly calendarId: string; readonly eventId: string },
  seen: SeenEvent,
  hour: KnownTimes = {},
): CalendarLink {
  const found = foundLink(at, seen, hour);
  return { ...found, event: { ...found.event, is: 'strayed' } };
}
