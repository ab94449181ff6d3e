import { expect, test } from 'vitest';
import { watchOutsideEvents } from '../../../src/calendar/outside-events.ts';
import { noteIdOf } from '../../../src/engine/ids.ts';
import type { Snapshot } from '../../../src/engine/object.ts';
import type { CalendarBookings } from '../../../src/engine/outside-booking.ts';
import type { CalendarEvent } from '../../../src/google/calendar-event.ts';
import { HandClock } from '../../doubles/hand-clock.ts';

const ANNA = 'anna@clinic.example';
const AT = { askedAtMs: 0, lease: { name: 'calendar', proof: 'p' } };

function stand(when: CalendarBookings['when']) {
  const observed: string[] = [];
  const snapshots: Snapshot[] = [];
  const mapping: CalendarBookings = {
    ...{ kind: 'calendar', name: 'walk-ins', calendars: [{ calendarId: ANNA, mirror: 'staff' }], when },
    ...{ service: 'Haircut', customer: { create: true }, notifyCustomer: false, language: 'en' },
    ...{ stillForMs: 0, staffEdits: {} },
  };
  const listen = watchOutsideEvents({
    mappings: [mapping],
    intake: {
      observe: async ({ key, seen }) => {
        observed.push(key.id);
        if (seen?.as === 'snapshot') snapshots.push(seen.snapshot);
        return 'observed' as never;
      },
    },
    view: { peek: async () => undefined },
    cursors: { read: async () => ({ pings: 0 }) as never },
    memory: { get: async () => undefined, setUnder: async () => true },
    clock: new HandClock(0),
  });
  return { observed, snapshots, listen };
}

/** Whoever looks at what it says is counted. */
function counted(id: number, reads: { n: number }, more: Partial<CalendarEvent>): CalendarEvent {
  const event = { id: `e${id}`, etag: '', status: 'confirmed', ...more };
  return Object.defineProperty(event, 'description', {
    get: () => {
      reads.n += 1;
      return '\n'.repeat(8_000);
    },
  }) as CalendarEvent;
}

const many = (reads: { n: number }, more: Partial<CalendarEvent>) =>
  Array.from({ length: 60 }, (_, id) => counted(id, reads, more));

test.each<[string, Partial<CalendarEvent>]>([
  ['plain invitations', { summary: 'Hello', organizer: { email: 'somebody@elsewhere.example' } }],
  [
    'invitations of strangers with the title of a booking',
    { summary: '#book Vera', organizer: { email: 'somebody@elsewhere.example' }, guestsCanModify: true },
  ],
  ['events of the calendar’s own that no rule takes', { summary: 'Lunch', organizer: { self: true } }],
])('of sixty %s nothing is read but what the rules look at', async (_, more) => {
  const { listen, observed } = stand({ title: '#book *', organizers: ['@agency.example'] });
  const reads = { n: 0 };
  await listen(ANNA, many(reads, more), AT);
  expect(reads.n).toBe(0);
  expect(observed).toEqual([]);
});

test('what a rule takes is read, and others have their turn between twenty of them', async () => {
  const { listen, observed } = stand({ title: '#book *', organizers: ['@agency.example'] });
  const reads = { n: 0 };
  let turns = 0;
  let isDone = false;
  const tick = () => {
    turns += 1;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  const organizer = { email: 'Desk@Agency.example' };
  await listen(ANNA, many(reads, { summary: '#Book Vera', organizer, guestsCanModify: true }), AT);
  isDone = true;
  expect(observed).toHaveLength(60);
  expect(reads.n).toBe(60);
  expect(turns).toBeGreaterThanOrEqual(3);
});

test.each([
  ['desk@agency.example', ['@agency.example'], true],
  ['desk@sub.agency.example', ['@agency.example'], false],
  ['desk@notagency.example', ['@agency.example'], false],
  ['desk@agency.example', ['boss@agency.example'], false],
  ['DESK@agency.example', [' Desk@Agency.example '], true],
])('an organizer %s where %j are named: %s', async (email, organizers, isTaken) => {
  const { listen, observed } = stand({ title: '#book *', organizers });
  await listen(ANNA, [counted(1, { n: 0 }, { summary: '#book Vera', organizer: { email } })], AT);
  expect(observed).toHaveLength(isTaken ? 1 : 0);
});

test('the note that a calendar is behind is nobody’s booking, though a rule takes every event', async () => {
  const { listen, observed } = stand({});
  const id = noteIdOf({ installation: 'slotbridge', calendarId: ANNA, date: '2026-11-24', turn: 0 });
  const day = { start: { date: '2026-11-24' }, end: { date: '2026-11-25' } };
  await listen(ANNA, [{ id, etag: '', status: 'confirmed', ...day }], AT);
  expect(observed).toEqual([]);
  await listen(ANNA, [{ id: `${id}x`, etag: '', status: 'confirmed', ...day }], AT);
  expect(observed).toHaveLength(1);
});

test('of a text that is longer than any of Google’s only the head is kept, up to the end of a line', async () => {
  const { listen, snapshots } = stand({});
  const long = `${'x'.repeat(15_000)}\n`.repeat(100);
  const texts = { summary: long, location: long, description: long };
  await listen(ANNA, [{ id: 'e1', etag: '', status: 'confirmed', ...texts }], AT);
  const kept = 'x'.repeat(15_000);
  expect(snapshots).toMatchObject([{ title: kept, location: kept, description: kept }]);
});

test('character references in a title are read, also by the rules', async () => {
  const { listen, snapshots } = stand({ title: '#book Vera & *' });
  const event = {
    id: 'e1',
    etag: '',
    status: 'confirmed',
    summary: '#book Vera &amp; O&#39;Brien',
    location: 'Caf&eacute;',
  };
  await listen(ANNA, [event], AT);
  expect(snapshots).toMatchObject([{ title: "#book Vera & O'Brien", location: 'Café' }]);
});

test.each<[string, Partial<CalendarEvent>]>([
  ['a room', { attendees: [{ email: 'c_1887@resource.calendar.google.com', resource: true }] }],
  ['a room whose flag is missing', { attendees: [{ email: 'c_1887@Resource.calendar.google.com' }] }],
  ['a group calendar', { attendees: [{ email: 'abc@group.calendar.google.com' }] }],
  ['the calendar itself', { attendees: [{ email: 'anna@clinic.example', self: true }] }],
  ['the calendar itself without its flag', { attendees: [{ email: 'Anna@Clinic.example' }] }],
  ['the organizer', { attendees: [{ email: 'boss@clinic.example', organizer: true }] }],
  [
    'the organizer without his flag',
    {
      organizer: { email: 'Boss@clinic.example', self: true },
      attendees: [{ email: 'boss@clinic.example' }],
    },
  ],
])('%s is no guest: the customer behind it in the list is', async (_, { organizer, attendees = [] }) => {
  const { listen, snapshots } = stand({});
  const event = { id: 'e1', etag: '', status: 'confirmed', summary: 'x', ...(organizer && { organizer }) };
  await listen(ANNA, [{ ...event, attendees: [...attendees, { email: 'vera@mail.example' }] }], AT);
  expect(snapshots).toMatchObject([{ attendees: ['vera@mail.example'] }]);
  await listen(ANNA, [{ ...event, id: 'e2', attendees }], AT);
  expect(snapshots[1]).not.toHaveProperty('attendees');
});
