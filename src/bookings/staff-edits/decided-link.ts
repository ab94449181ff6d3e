import { assertNever } from '../../domain/errors.ts';
import {
  type AskedWish,
  type CalendarLink,
  doubted,
  type EventNote,
  type KnownHour,
  linkTo,
  openEdit,
} from '../../domain/link.ts';
import { mayBeUnmarked } from '../../domain/own-event.ts';
import type { SeenEvent } from '../../domain/seen-event.ts';
import { secondOf } from './appointment.ts';

/** A link without an open decision; the next change of the event is compared with this state. */
export function decided(link: CalendarLink, seen: SeenEvent | 'absent'): CalendarLink {
  const { leftAt: _, ...rest } = link;
  const etag = seen === 'absent' || seen.etag === '' ? link.event.etag : seen.etag;
  return { ...rest, event: { ...link.event, etag }, edit: { is: 'settled' } };
}

/** People's change stays. What the event shows now is not known, so it is read before the next write. */
export function letBe(link: CalendarLink, seen: SeenEvent | 'absent'): CalendarLink {
  const settled = decided(link, seen);
  if (settled.event.is !== 'written') return settled;
  const { shown: _, ...event } = settled.event;
  return { ...settled, event };
}

/** What is asked of the platform for it, before the request leaves. */
export function asked(link: CalendarLink, wish: AskedWish, nowMs: number): CalendarLink {
  const { sinceMs, missedSinceMs, looks } = openEdit(link) ?? {
    sinceMs: nowMs,
    missedSinceMs: {},
    looks: {},
  };
  return { ...link, edit: { is: 'asked', sinceMs, missedSinceMs, looks, wish } };
}

/** What was asked of the platform has its verdict. */
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

/** Nobody knows what became of the event, and the question is closed. */
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
 * Its absence counts as nobody's deletion: the worker may remove it elsewhere, or is to restore it. For people's own event this is decided
 * after a search in every calendar, which need not be repeated.
 */
export function notMissed(link: CalendarLink): CalendarLink {
  return link.absence === 'leaving' && !mayBeUnmarked(link) ? link : { ...link, absence: 'doubled' };
}

/**
 * Whether people chose this event's hour and lost to another event of the appointment. Both were moved at once, and neither author knew of
 * the other.
 */
export function hasLost({ event, leftAt }: CalendarLink, wish: AskedWish): boolean {
  if (wish.overrules === undefined || event.is === 'strayed' || leftAt !== undefined) return false;
  const startMs = secondOf(event.hour.startsAt);
  return startMs !== undefined && startMs === secondOf(wish.overrules) && startMs !== secondOf(wish.for);
}

/** The mirror reads the event, and writes what it owns where that differs. That it is gone has been decided about. */
export function toPutBack(
  link: CalendarLink,
  seen: SeenEvent | 'absent',
  note: EventNote | 'keep' | undefined,
): CalendarLink {
  const { note: said, ...rest } = decided(link, seen);
  const kept = note === 'keep' ? said : note;
  const isGone = seen === 'absent' || !seen.isLive;
  const doubtful = { ...(isGone ? notMissed(rest) : rest), event: doubted(rest.event) };
  return kept === undefined ? doubtful : { ...doubtful, note: kept };
}

/** Both sides agree on this start now: another one is a new wish. */
export function agreedOn(link: CalendarLink, startsAt: string): CalendarLink {
  const { note: _, ...rest } = link;
  return { ...rest, event: { ...doubted(link.event), hour: { startsAt } } };
}

/** The worker's event where it belongs, or without anything else known of it. */
export function foundLink(
  at: { readonly calendarId: string; readonly eventId: string },
  { etag, isColoured }: SeenEvent,
  hour: KnownHour = {},
): CalendarLink {
  return linkTo(at, { etag, coloured: isColoured, hour });
}

/** An event that people brought into a calendar. */
export function strayLink(
  at: { readonly calendarId: string; readonly eventId: string },
  seen: SeenEvent,
  hour: KnownHour = {},
): CalendarLink {
  const found = foundLink(at, seen, hour);
  return { ...found, event: { ...found.event, is: 'strayed' } };
}
