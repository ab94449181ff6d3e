import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { calendarOrigin } from '../../src/engine/ids.ts';
import { doubted, opened } from '../../src/engine/link.ts';
import { originLink } from '../../src/engine/origin.ts';
import { RecentEvents } from '../../src/google/calendar-event.ts';
import {
  ANNA,
  APPOINTMENT_ID,
  appointment,
  BORIS,
  EVENT,
  mirror,
  openStand,
  ROOM,
  type Stand,
} from './stand.ts';

const TEAM = 'team@group.calendar.example';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
  await stand.mirror(appointment());
});
afterEach(() => stand.close());

const at = { calendarId: ANNA, eventId: EVENT };
const event = () => stand.google.truth.event(ANNA, EVENT);

/** An appointment that people booked in a calendar. */
const booked = (change: Record<string, unknown> = {}) =>
  appointment({ metadata: { slotbridge_origin: calendarOrigin(ANNA, EVENT) }, ...change });

/** Staff edits has looked at the event, and has decided that the mirror puts it right. */
async function decideToPutBack(): Promise<void> {
  const seen = await stand.api.get(ANNA, EVENT);
  if (seen === 'absent') throw new Error('it stands');
  const claim = stand.claim(appointment());
  const calendars = stand.links.calendars(APPOINTMENT_ID, mirror.name);
  const decided = calendars.map((link) => ({
    ...link,
    event: { ...doubted(link.event), etag: seen.etag },
  }));
  await stand.links.write(claim, mirror.name, { calendars: decided });
  stand.google.resetCounts();
}

test('an event that was just looked at is put right without a second look', async () => {
  stand.staff.retitle({ ...at, summary: 'Something else' });
  await decideToPutBack();
  expect(await stand.mirror(appointment())).toBe('updated');
  expect(stand.calls()).toEqual({ 'events.patch': 1 });
  expect(event()).toMatchObject({ summary: 'Haircut, Nina Weber' });
});

test('what people do after that look is not written over', async () => {
  stand.staff.retitle({ ...at, summary: 'Something else' });
  await decideToPutBack();
  stand.staff.recolour({ ...at, colorId: '5' });
  expect(await stand.mirror(appointment())).toBe('updated');
  expect(event()).toMatchObject({ summary: 'Haircut, Nina Weber', colorId: '5' });
  expect(stand.calls()).toEqual({ 'events.patch': 2, 'events.get': 1 });
});

test('a look serves one write: the next one looks again', async () => {
  stand.staff.retitle({ ...at, summary: 'Something else' });
  await decideToPutBack();
  const calendars = stand.links.calendars(APPOINTMENT_ID, mirror.name);
  const fault = { kind: 'status', status: 500 } as const;
  const heal = stand.google.faults.add({ method: 'PATCH', path: /events/, fault });
  await expect(stand.mirror(appointment())).rejects.toThrow();
  heal();
  expect(stand.calls()['events.get']).toBeUndefined();
  await stand.links.write(stand.claim(appointment()), mirror.name, { calendars });
  await stand.mirror(appointment());
  expect(stand.calls()['events.get']).toBe(1);
});

test('recent events are bounded, live, and of one state', () => {
  const recent = new RecentEvents();
  const one = (id: string, more = {}) => ({ id, etag: `"${id}"`, status: 'confirmed', ...more });
  for (let nth = 0; nth < 150; nth += 1) recent.keep(ANNA, one(`e${nth}`));
  expect(recent.take(ANNA, 'e0', '"e0"')).toBeUndefined();
  expect(recent.take(BORIS, 'e149', '"e149"')).toBeUndefined();
  expect(recent.take(ANNA, 'e148', '"another"')).toBeUndefined();
  expect(recent.take(ANNA, 'e149', '"e149"')).toMatchObject({ id: 'e149' });
  expect(recent.take(ANNA, 'e149', '"e149"')).toBeUndefined();
  recent.keep(ANNA, one('e140', { status: 'cancelled' }));
  expect(recent.take(ANNA, 'e140', '"e140"')).toBeUndefined();
});

test('an event that booked is not looked for in the calendar of the room while it stands where it was booked', async () => {
  const shown: Record<string, boolean> = {};
  const target = stand.targetOf(mirror, {
    editsFor: () => undefined,
    async bookedBy(_, calendarId, isShown) {
      shown[calendarId] = isShown(EVENT);
      return undefined;
    },
  });
  await stand.mirror(booked({ resource_ids: ['r-anna', 'r-room'] }), target);
  expect(shown).toEqual({ [ROOM]: true });
  // Given to somebody else: whether it was dragged there has to be found out.
  await stand.mirror(booked({ resource_id: 'r-boris', resource_ids: ['r-boris'] }), target);
  expect(shown).toEqual({ [ROOM]: true, [BORIS]: false });
});

test('an event that people changed, and nobody has decided about, may stand anywhere', async () => {
  const shown: Record<string, boolean> = {};
  const target = stand.targetOf(mirror, {
    editsFor: () => undefined,
    async bookedBy(_, calendarId, isShown) {
      shown[calendarId] = isShown(EVENT);
      return undefined;
    },
  });
  const calendars = stand.links.calendars(APPOINTMENT_ID, mirror.name);
  const open = calendars.map((link) => opened(link, 1));
  await stand.links.write(stand.claim(appointment()), mirror.name, { calendars: open });
  await stand.mirror(booked({ resource_ids: ['r-anna', 'r-room'] }), target);
  expect(shown).toEqual({ [ROOM]: false });
});

test('the origin asks the calendar only for an event that is shown nowhere', async () => {
  const asked: string[] = [];
  const events = {
    async read(calendarId: string) {
      asked.push(calendarId);
      return 'absent' as const;
    },
  };
  const view = { peek: async () => undefined, dueAt: async () => undefined };
  const snapshot = appointment({ metadata: { slotbridge_origin: calendarOrigin(ANNA, 'booked') } });
  const here = { calendarId: ROOM, isShown: (id: string) => id === 'booked' };
  expect(await originLink({ view, events }, snapshot, here)).toBeUndefined();
  expect(asked).toEqual([]);
  await originLink({ view, events }, snapshot, { ...here, isShown: () => false });
  expect(asked).toEqual([ROOM]);
});

test('an event that booked and was dragged into the calendar of a team is not taken for what shows the appointment there', async () => {
  const shown: Record<string, boolean> = {};
  const team = { ...mirror, name: 'team', calendars: [{ all: true as const, calendarId: TEAM }] };
  stand.google.addCalendar(TEAM, { shareWith: [defaultAccount] });
  const target = stand.targetOf(team, {
    editsFor: () => undefined,
    async bookedBy(_, calendarId, isShown) {
      shown[calendarId] = isShown(EVENT);
      return undefined;
    },
  });
  await stand.mirror(booked(), target);
  expect(shown).toEqual({ [TEAM]: true });
});
