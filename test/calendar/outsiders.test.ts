// Whoever organises an event reads what is written into it, and its guests' copies do as it does (P7, P9).

import { afterEach, beforeEach, expect, test } from 'vitest';
import { markedEvents } from '../../src/calendar/wanted.ts';
import { toLink } from '../../src/engine/link.ts';
import { ANNA, APPOINTMENT_ID, appointment, BORIS, EVENT, openStand, type Stand } from './stand.ts';

const STRANGER = 'stranger@elsewhere.example';
const at = { calendarId: ANNA, eventId: EVENT };
const isNamed = (id: string) => id === ANNA || id === BORIS;
const renamed = appointment({ customer_name: 'Olga Petrenko', customer_phone: '+4930111111' });

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

/** Its guests may change it, so Google would refuse no write of the worker's. */
function giveAway(to: string): void {
  stand.staff.edit({ ...at, patch: { guestsCanModify: true } });
  stand.staff.giveAway({ ...at, to });
}

const text = (eventId: string) => JSON.stringify(stand.google.truth.event(ANNA, eventId));
const linked = () => stand.links.calendars(APPOINTMENT_ID, 'staff-calendars');

function expectBesides(strange: string, own: string): void {
  expect(text(strange)).not.toContain('Olga');
  expect(text(strange)).not.toContain('+4930111111');
  expect(text(own)).toContain('Olga');
  expect(linked()).toMatchObject([
    { calendarId: ANNA, eventId: own, event: { is: 'written', shown: expect.anything() } },
  ]);
}

test('an event that was given to an outside owner is no longer written to, and the appointment gets a second event', async () => {
  await stand.mirror(appointment());
  giveAway(STRANGER);
  expect(await stand.mirror(renamed)).toBe('updated');
  expectBesides(EVENT, `${EVENT}g1`);
  const before = stand.google.truth.event(ANNA, EVENT);
  await stand.mirror(
    appointment({
      customer_name: 'Olga P.',
      starts_at: '2026-11-03T11:00:00Z',
      ends_at: '2026-11-03T12:00:00Z',
    }),
  );
  expect(stand.google.truth.event(ANNA, EVENT)).toEqual(before);
});

test('so does an invitation that an older version took for the mirror and knows by its etag', async () => {
  const event = {
    summary: 'Meet',
    guestsCanModify: true,
    start: { dateTime: '2026-11-03T09:00:00Z' },
    end: { dateTime: '2026-11-03T10:00:00Z' },
  };
  const shown = stand.staff.add({
    calendarId: ANNA,
    id: 'invitation1',
    event,
    organizer: { email: STRANGER },
  });
  const link = toLink({
    calendarId: ANNA,
    eventId: 'invitation1',
    etag: String(shown['etag']),
    hash: 'h',
    coloured: false,
    startsAt: '2026-11-03T09:00:00Z',
  });
  const claim = stand.claim(appointment());
  await stand.links.write(claim, 'staff-calendars', { calendars: [link] });
  await stand.mirror(renamed);
  expectBesides('invitation1', EVENT);
});

test('and an event under the derived id that is found again after Redis was lost', async () => {
  await stand.mirror(appointment());
  giveAway(STRANGER);
  stand.links.forget();
  const adopted = [];
  for await (const { link } of markedEvents(stand.api, isNamed).in(ANNA)) adopted.push(link.eventId);
  expect(adopted).toEqual([]);
  await stand.mirror(renamed);
  expectBesides(EVENT, `${EVENT}g1`);
});

test("a deleted event of somebody outside is not brought back with the customer's name", async () => {
  await stand.mirror(appointment());
  giveAway(STRANGER);
  stand.staff.remove(at);
  await stand.mirror(renamed);
  expectBesides(EVENT, `${EVENT}g1`);
});

test('what a colleague of the mapping organises is written as before', async () => {
  await stand.mirror(appointment());
  giveAway(BORIS);
  await stand.mirror(renamed);
  expect(text(EVENT)).toContain('Olga');
  expect(linked()).toMatchObject([{ eventId: EVENT }]);
});

test('an event that was never given away is written without being read', async () => {
  await stand.mirror(appointment());
  stand.google.resetCounts();
  await stand.mirror(renamed);
  expect(stand.calls()).toEqual({ 'events.patch': 1 });
});
