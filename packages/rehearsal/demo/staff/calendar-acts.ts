// What staff do in their calendars on an ordinary day, without regard to the worker.
import { type Wire, wireText } from '../judge/company.ts';
import { pictureOf } from '../judge/event-picture.ts';
import { type StaffCast, someEvent } from './cast.ts';

/** The mapping sets the remaining colours itself (banana, sage, graphite, tomato). */
const OWN_COLOURS = ['1', '3', '4', '6', '7', '9', '10'] as const;
const QUARTER_MS = 15 * 60_000;
const MOVABLE = ['confirmed', 'pending'] as const;

/**
 * Moves an event by some quarter hours. Most moves fit; some clash with another appointment or with closing time.
 */
export function drag(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE);
  if (picked === undefined) return;
  const quarters = (cast.random.below(2) === 0 ? 1 : -1) * (1 + cast.random.below(12));
  const start = new Date(startOf(picked.event) + quarters * QUARTER_MS).toISOString();
  cast.google.staff.calendar.move({ ...at(picked), start });
  cast.ledger.moved(at(picked), wireText(picked.appointment['id']));
}

export function dragToColleague(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE);
  const others = cast.calendars.filter((id) => id !== picked?.calendarId);
  if (picked === undefined || others.length === 0) return;
  const to = cast.random.pick(others);
  // An appointment with several resources may already have its event there.
  if (cast.google.truth.event(to, picked.eventId) !== undefined) return;
  cast.google.staff.calendar.moveToCalendar({ ...at(picked), to });
  cast.ledger.moved(at(picked), wireText(picked.appointment['id']));
}

export function remove(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE, 'arrived');
  if (picked === undefined) return;
  cast.google.staff.calendar.remove(at(picked));
  cast.ledger.deleted(at(picked));
}

export function resize(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE);
  // An all-day event has no end time to drag.
  if (picked === undefined || isAllDay(picked.event)) return;
  const end = new Date(startOf(picked.event) + (1 + cast.random.below(8)) * QUARTER_MS).toISOString();
  cast.google.staff.calendar.resize({ ...at(picked), end });
}

export function retitle(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE, 'arrived');
  if (picked !== undefined) cast.google.staff.calendar.retitle({ ...at(picked), summary: 'Lunch?' });
}

/**
 * Sets a colour of people's own, where the mapping sets no colour for the status. Skips an event that still shows
 * a mapped colour, because the worker will reset it.
 */
export function recolour(cast: StaffCast): void {
  const picked = someEvent(cast, 'confirmed');
  if (picked === undefined || pictureOf(picked.event).colour !== '') return;
  const colorId = cast.random.pick(OWN_COLOURS);
  cast.google.staff.calendar.recolour({ ...at(picked), colorId });
  cast.ledger.own(picked, { colour: colorId });
}

export function addReminder(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE, 'arrived');
  // Google allows five at most.
  if (picked === undefined || remindersOf(picked.event) >= REMINDERS_MAX) return;
  const minutes = 5 + cast.random.below(120);
  cast.google.staff.calendar.addReminder({ ...at(picked), minutes });
  cast.ledger.own(picked, { reminder: minutes });
}

export function showAsFree(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE);
  if (picked === undefined) return;
  cast.google.staff.calendar.showAs({ ...at(picked), transparency: 'transparent' });
  cast.ledger.own(picked, { transparency: 'transparent' });
}

export function makeAllDay(cast: StaffCast): void {
  const picked = someEvent(cast, 'confirmed');
  if (picked === undefined) return;
  const date = new Date(startOf(picked.event)).toISOString().slice(0, 10);
  cast.google.staff.calendar.makeAllDay({ ...at(picked), date });
}

/** A copy carries the worker's mark but is not the worker's event. */
export function duplicate(cast: StaffCast): void {
  const picked = someEvent(cast, ...MOVABLE);
  if (picked === undefined) return;
  const copy = cast.google.staff.calendar.duplicate(at(picked)) as Wire;
  const place = { calendarId: picked.calendarId, eventId: wireText(copy['id']) };
  cast.ledger.copied(place, wireText(copy['summary']));
}

const REMINDERS_MAX = 5;

function at({ calendarId, eventId }: { readonly calendarId: string; readonly eventId: string }) {
  return { calendarId, eventId };
}

function isAllDay(event: Wire): boolean {
  return ((event['start'] ?? {}) as Wire)['date'] !== undefined;
}

/** An all-day event has no start time, so its day's start counts. */
function startOf(event: Wire): number {
  const start = (event['start'] ?? {}) as Wire;
  return Date.parse(wireText(start['dateTime']) || `${wireText(start['date'])}T00:00:00Z`);
}

function remindersOf(event: Wire): number {
  const { overrides } = (event['reminders'] ?? {}) as { readonly overrides?: unknown };
  return Array.isArray(overrides) ? overrides.length : 0;
}
