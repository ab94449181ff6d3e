// P2, P6, P7: what people added to an event goes along when the platform gives its appointment to somebody else.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({ timeoutMs: 2_000 });
});
afterEach(() => stand.close());

const ADDED = {
  attendees: [{ email: 'colleague@clinic.example' }],
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
  colorId: '7',
  visibility: 'private',
  attachments: [{ fileUrl: 'https://drive.example/file', title: 'X-ray' }],
  conferenceData: { conferenceId: 'abc-defg-hij', conferenceSolution: { key: { type: 'hangoutsMeet' } } },
};
const KEPT = { ...ADDED, attendees: [expect.objectContaining(ADDED.attendees[0])] };
const ofBoris = (more: Record<string, unknown> = {}) =>
  appointment({ resource_id: 'r-boris', resource_ids: ['r-boris'], ...more });
const add = () => stand.staff.edit({ calendarId: ANNA, eventId: EVENT, patch: ADDED });
const lost = () =>
  stand.acts.flatMap(({ code, ids }) => (code === 'fields-lost' ? (ids?.['fields'] ?? '').split(' ') : []));
const links = () => stand.links.calendars(APPOINTMENT_ID, mirror.name);
const live = () => [ANNA, BORIS].map((id) => stand.google.truth.events(id).length);

async function untilDone(snapshot: ReturnType<typeof appointment>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await stand.mirror(snapshot);
      return;
    } catch (error) {
      if (attempt === 6) throw error;
      stand.clock.advance(30_000);
    }
  }
}

test('guests, Meet link, attachments, reminders, colour and privacy arrive with the event, and nobody is mailed', async () => {
  await stand.mirror(appointment());
  add();
  expect(await stand.mirror(ofBoris())).toBe('moved');
  expect(live()).toEqual([0, 1]);
  expect(stand.google.truth.event(BORIS, EVENT)).toMatchObject({ ...KEPT, summary: 'Haircut, Nina Weber' });
  expect(links()).toMatchObject([{ calendarId: BORIS, eventId: EVENT, event: { is: 'written' } }]);
  expect(stand.google.stats().mailsSent).toBe(0);
  expect(stand.calls()['events.delete'] ?? 0).toBe(0);
});

test('they come back with it, and a later change leaves them', async () => {
  await stand.mirror(appointment());
  add();
  await stand.mirror(ofBoris());
  await stand.mirror(appointment());
  expect(live()).toEqual([1, 0]);
  await stand.mirror(appointment({ comment: 'later' }));
  expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({
    ...KEPT,
    description: '+4915112345678\nlater',
  });
});

test('what the appointment says now stands in the event that arrived', async () => {
  await stand.mirror(appointment());
  add();
  await stand.mirror(
    ofBoris({ starts_at: '2026-11-03T12:00:00Z', ends_at: '2026-11-03T13:00:00Z', comment: 'x' }),
  );
  const event = stand.google.truth.event(BORIS, EVENT);
  expect(event).toMatchObject({ ...KEPT, description: '+4915112345678\nx' });
  expect(Date.parse(String((event?.['start'] as { dateTime?: string } | undefined)?.dateTime))).toBe(
    Date.parse('2026-11-03T12:00:00Z'),
  );
});

describe('a lost answer, or a death', () => {
  test.each([
    ['of the move that was made', { method: 'POST', path: /move/ }, { kind: 'commit-then-reset' as const }],
    [
      'of the move that was made, with 503',
      { method: 'POST', path: /move/ },
      { kind: 'commit-then-status' as const, status: 503 },
    ],
    ['of a move that was not made', { method: 'POST', path: /move/ }, { kind: 'reset' as const }],
    ['of the patch afterwards', { method: 'PATCH' }, { kind: 'commit-then-reset' as const }],
    ['of the look beforehand', { method: 'GET' }, { kind: 'reset' as const }],
  ])('%s costs nothing that people added', async (_, which, fault) => {
    await stand.mirror(appointment());
    add();
    stand.google.faults.add({ ...which, times: 1, fault });
    await untilDone(ofBoris({ comment: 'new' }));
    expect(live()).toEqual([0, 1]);
    expect(stand.google.truth.event(BORIS, EVENT)).toMatchObject({
      ...KEPT,
      description: '+4915112345678\nnew',
    });
    expect(links()).toMatchObject([{ calendarId: BORIS, event: { is: 'written' } }]);
  });

  test.each([
    ['was made', { kind: 'commit-then-reset' as const }],
    ['was not made', { kind: 'reset' as const }],
  ])('of a move that %s, and the appointment goes back: one event, with everything', async (_, fault) => {
    await stand.mirror(appointment());
    add();
    stand.google.faults.add({ method: 'POST', path: /move/, times: 1, fault });
    await expect(stand.mirror(ofBoris())).rejects.toMatchObject({ family: 'retryable' });
    await untilDone(appointment());
    expect(live()).toEqual([1, 0]);
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject(KEPT);
    expect(links()).toMatchObject([{ calendarId: ANNA, event: { is: 'written' } }]);
  });

  test.each([
    ['was made', { kind: 'commit-then-reset' as const }],
    ['was not made', { kind: 'reset' as const }],
  ])(
    'of a move that %s, and a third calendar gets the appointment: one event, with everything',
    async (_, fault) => {
      await stand.mirror(appointment());
      add();
      stand.google.faults.add({ method: 'POST', path: /move/, times: 1, fault });
      await expect(stand.mirror(ofBoris())).rejects.toMatchObject({ family: 'retryable' });
      await untilDone(appointment({ resource_id: 'r-room', resource_ids: ['r-room'] }));
      expect([...live(), stand.google.truth.events(ROOM).length]).toEqual([0, 0, 1]);
      expect(stand.google.truth.event(ROOM, EVENT)).toMatchObject(KEPT);
      expect(links()).toMatchObject([{ calendarId: ROOM, event: { is: 'written' } }]);
    },
  );

  test('a move that arrives late takes no event away from where it was written again', async () => {
    await stand.mirror(appointment());
    add();
    stand.google.faults.add({ method: 'POST', path: /move/, times: 1, fault: { kind: 'reset' } });
    await expect(stand.mirror(ofBoris())).rejects.toMatchObject({ family: 'retryable' });
    await expect(stand.mirror(appointment())).rejects.toMatchObject({ code: 'insert-in-doubt' });
    stand.staff.moveToCalendar({ calendarId: ANNA, eventId: EVENT, to: BORIS });
    await untilDone(appointment());
    expect(live()).toEqual([1, 0]);
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject(KEPT);
  });

  test('of a move that was made, and the appointment is cancelled: no event', async () => {
    await stand.mirror(appointment());
    add();
    stand.google.faults.add({ method: 'POST', path: /move/, times: 1, fault: { kind: 'commit-then-reset' } });
    await expect(stand.mirror(ofBoris())).rejects.toMatchObject({ family: 'retryable' });
    await untilDone(appointment({ status: 'cancelled', resource_ids: [], resource_id: null }));
    expect(live()).toEqual([0, 0]);
    expect(links()).toEqual([]);
  });
});

describe('Google does not move it', () => {
  const refuse = (status: number, reason: string) =>
    stand.google.faults.add({
      method: 'POST',
      path: /move/,
      fault: {
        kind: 'status',
        status,
        body: JSON.stringify({ error: { code: status, message: 'No.', errors: [{ reason }] } }),
        contentType: 'application/json',
      },
    });

  test.each([
    [400, 'eventTypeRestriction'],
    [403, 'forbidden'],
    [409, 'duplicate'],
  ])(
    '(%i %s): the appointment stands in the other calendar all the same, once, and no problem is raised',
    async (status, reason) => {
      await stand.mirror(appointment());
      add();
      refuse(status, reason);
      await untilDone(ofBoris());
      expect(live()).toEqual([0, 1]);
      expect(stand.problems.codes()).toEqual({});
    },
  );

  test('then it copies what Google lets it copy, and the history names what was lost', async () => {
    await stand.mirror(appointment());
    add();
    refuse(400, 'invalid');
    await untilDone(ofBoris());
    // A service account without delegation cannot invite.
    const { attendees: _, ...others } = ADDED;
    expect(stand.google.truth.event(BORIS, EVENT)).toMatchObject(others);
    expect(lost()).toEqual(['attendees']);
    expect(stand.problems.codes()).toEqual({});
    await stand.mirror(ofBoris({ comment: 'later' }));
    expect(stand.google.truth.event(BORIS, EVENT)).toMatchObject(others);
    expect(stand.google.stats().mailsSent).toBe(0);
  });

  test('and a lost answer of the copying costs nothing', async () => {
    await stand.mirror(appointment());
    add();
    refuse(400, 'invalid');
    stand.google.faults.add({ method: 'PATCH', times: 1, fault: { kind: 'reset' } });
    await untilDone(ofBoris());
    const { attendees: _, ...others } = ADDED;
    expect(stand.google.truth.event(BORIS, EVENT)).toMatchObject(others);
    expect(live()).toEqual([0, 1]);
  });

  test('because the id is taken there already: that event counts', async () => {
    await stand.mirror(appointment());
    add();
    await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-boris'] }));
    expect(await stand.mirror(ofBoris())).toBe('removed');
    expect(live()).toEqual([0, 1]);
  });
});

test('an event to which nobody added anything is made anew, as before', async () => {
  await stand.mirror(appointment());
  expect(await stand.mirror(ofBoris())).toBe('moved');
  expect(stand.calls()['events.move'] ?? 0).toBe(0);
  expect(live()).toEqual([0, 1]);
});

test('an instance of a series that people made of the event is made anew', async () => {
  await stand.mirror(appointment());
  add();
  stand.staff.edit({ calendarId: ANNA, eventId: EVENT, patch: { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] } });
  await untilDone(ofBoris());
  expect(live()[1]).toBe(1);
  expect(stand.calls()['events.move'] ?? 0).toBe(0);
});

test('a calendar that shows only that time is taken gets a new event without what people added', async () => {
  const calendars = mirror.calendars.map((each) =>
    each.calendarId === BORIS ? { ...each, busyTitle: 'Busy' } : each,
  );
  const target = stand.targetOf({ ...mirror, calendars });
  await stand.mirror(appointment(), target);
  add();
  await stand.mirror(ofBoris(), target);
  expect(live()).toEqual([0, 1]);
  const event = stand.google.truth.event(BORIS, EVENT);
  expect(event).toMatchObject({ summary: 'Busy' });
  for (const name of ['attendees', 'attachments', 'conferenceData']) expect(event).not.toHaveProperty(name);
});
