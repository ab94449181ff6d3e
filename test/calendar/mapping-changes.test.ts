import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { linkTo } from '../../src/engine/link.ts';
import type { CalendarMirror } from '../../src/engine/mirror.ts';
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

const ANNA_NEW = 'anna-new@clinic.example';
const NO_LINK = linkTo({ calendarId: '', eventId: '' });
const DAY_MS = 86_400_000;

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
  stand.google.addCalendar(ANNA_NEW, { shareWith: [defaultAccount] });
});
afterEach(() => stand.close());

const mapped = (calendars: CalendarMirror['calendars']) => stand.targetOf({ ...mirror, calendars });
/** Anna's appointments go to another calendar; the old one is in the mapping no more. */
const annaMoved = () =>
  mapped(
    mirror.calendars.map((each) => (each.calendarId === ANNA ? { ...each, calendarId: ANNA_NEW } : each)),
  );
/** Anna and Boris change places. */
const swapped = () =>
  mapped([
    { resource: 'Anna Petrova', calendarId: BORIS },
    { resource: 'Boris', calendarId: ANNA },
    { resource: 'Room 1', calendarId: ROOM },
  ]);
const places = () =>
  [ANNA, ANNA_NEW, BORIS, ROOM].filter(
    (id) => stand.google.truth.event(id, EVENT)?.['status'] === 'confirmed',
  );
const waitDays = (days: number) => stand.clock.advance(days * DAY_MS);

describe('a resource that is given another calendar', () => {
  test('takes its upcoming appointments along (case 73)', async () => {
    await stand.mirror(appointment());
    expect(await stand.mirror(appointment(), annaMoved())).toBe('moved');
    expect(places()).toEqual([ANNA_NEW]);
    expect(stand.links.calendars(APPOINTMENT_ID, mirror.name).map((link) => link.calendarId)).toEqual([
      ANNA_NEW,
    ]);
    expect(await stand.mirror(appointment(), annaMoved())).toBe('nothing');
  });

  test('leaves behind what is over, and that can still be put right there', async () => {
    await stand.mirror(appointment());
    waitDays(3);
    expect(await stand.mirror(appointment(), annaMoved())).toBe('nothing');
    expect(places()).toEqual([ANNA]);
    expect(await stand.mirror(appointment({ status: 'no_show' }), annaMoved())).toBe('updated');
    expect(places()).toEqual([ANNA]);
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ colorId: '11' });
  });

  test('takes along the event of a past appointment that is moved to a later day', async () => {
    await stand.mirror(appointment());
    waitDays(3);
    await stand.mirror(appointment(), annaMoved());
    const later = { starts_at: '2026-11-20T09:00:00Z', ends_at: '2026-11-20T10:00:00Z' };
    expect(await stand.mirror(appointment(later), annaMoved())).toBe('moved');
    expect(places()).toEqual([ANNA_NEW]);
  });

  test('swaps calendars with another, and no appointment is lost or doubled', async () => {
    await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }));
    expect(await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }), swapped())).toBe('moved');
    expect(places()).toEqual([BORIS, ROOM]);
  });

  test('that changed places leaves behind what is over', async () => {
    await stand.mirror(appointment());
    waitDays(3);
    expect(await stand.mirror(appointment(), swapped())).toBe('nothing');
    expect(places()).toEqual([ANNA]);
    expect(await stand.mirror(appointment({ resource_ids: ['r-boris'] }), swapped())).toBe('nothing');
    expect(places()).toEqual([ANNA]);
  });

  test('removes the event from the old calendar if its appointment is cancelled before the worker has looked', async () => {
    await stand.mirror(appointment());
    expect(await stand.mirror(appointment({ status: 'cancelled', resource_ids: [] }), annaMoved())).toBe(
      'removed',
    );
    expect(places()).toEqual([]);
  });

  test('removes the event from the old calendar later if access to it is refused at first', async () => {
    await stand.mirror(appointment());
    stand.google.revokeAccess(ANNA);
    await expect(stand.mirror(appointment(), swapped())).rejects.toMatchObject({ family: 'deferred' });
    expect(places()).toEqual([ANNA, BORIS]);
    stand.google.grantAccess(ANNA);
    expect(await stand.mirror(appointment(), swapped())).toBe('removed');
    expect(places()).toEqual([BORIS]);
  });

  test('with an event from before links knew their resource: the next look learns it, and the move follows', async () => {
    await stand.mirror(appointment());
    const {
      resourceIds: _,
      sourceHash: __,
      ...old
    } = stand.links.calendars(APPOINTMENT_ID, mirror.name)[0] ?? NO_LINK;
    await stand.links.write(stand.claim(appointment()), mirror.name, { calendars: [old] });
    expect(await stand.mirror(appointment())).toBe('nothing');
    expect(await stand.mirror(appointment(), annaMoved())).toBe('moved');
    expect(places()).toEqual([ANNA_NEW]);
  });
});

describe('an appointment that is over stays where it is, whatever the YAML says next (decision 0017)', () => {
  const both = appointment({ resource_ids: ['r-anna', 'r-room'] });
  const annaTakesRoom = () =>
    mapped([
      { resource: 'Anna Petrova', calendarId: ROOM },
      { resource: 'Boris', calendarId: BORIS },
      { resource: 'Room 1', calendarId: ANNA },
    ]);
  const borisInAnnas = () =>
    mapped([
      { resource: 'Anna Petrova', calendarId: ANNA_NEW },
      { resource: 'Boris', calendarId: ANNA },
      { resource: 'Room 1', calendarId: ROOM },
    ]);
  const withoutAnna = () =>
    mapped([
      { resource: 'Boris', calendarId: ANNA },
      { resource: 'Room 1', calendarId: ROOM },
    ]);
  const annaMovedAndSwapped = () =>
    mapped([
      { resource: 'Anna Petrova', calendarId: ROOM },
      { resource: 'Boris', calendarId: BORIS },
      { resource: 'Room 1', calendarId: ANNA_NEW },
    ]);
  const edits = { annaMoved, swapped, annaTakesRoom, annaMovedAndSwapped, borisInAnnas, withoutAnna };

  test.each([
    ['another calendar, changed places, changed back', ['annaMoved', 'annaMovedAndSwapped', 'annaMoved']],
    ['another calendar, changed places, and back', ['annaMoved', 'annaTakesRoom']],
    ['changed places, another calendar, and back', ['annaTakesRoom', 'annaMoved']],
    ['her calendar went to a colleague, and back', ['borisInAnnas', 'swapped']],
    ['she left, a colleague took her calendar, and she came back', ['withoutAnna', 'annaTakesRoom']],
    ['each of these edits', ['swapped', 'annaMoved', 'withoutAnna', 'annaTakesRoom', 'borisInAnnas']],
  ] as const)('%s', async (_, steps) => {
    await stand.mirror(both);
    waitDays(3);
    stand.google.resetCounts();
    for (const step of steps) {
      expect(await stand.mirror(both, edits[step]())).toBe('nothing');
      expect(places()).toEqual([ANNA, ROOM]);
    }
    expect(await stand.mirror(both)).toBe('nothing');
    expect(places()).toEqual([ANNA, ROOM]);
    expect(stand.calls()).toEqual({});
  });

  test('but a move that was begun before its end is brought to its end', async () => {
    await stand.mirror(appointment());
    stand.google.revokeAccess(ANNA);
    await expect(stand.mirror(appointment(), swapped())).rejects.toMatchObject({ family: 'deferred' });
    expect(places()).toEqual([ANNA, BORIS]);
    waitDays(3);
    stand.google.grantAccess(ANNA);
    expect(await stand.mirror(appointment(), swapped())).toBe('removed');
    expect(places()).toEqual([BORIS]);
  });
});

describe('a calendar that the YAML names no more and that Google does not show to the worker', () => {
  const expected = async () => {
    const claim = stand.claim(appointment());
    return (await annaMoved().expected(claim)).map(({ place, rule }) => `${rule} ${place}`);
  };

  test.each<[string, () => void]>([
    ['unshared or deleted', () => stand.google.revokeAccess(ANNA)],
    ['open for reading only', () => stand.google.grantAccess(ANNA, undefined, 'reader')],
  ])('is waited for by nobody (%s): the appointment stands in the new one', async (_, close) => {
    await stand.mirror(appointment());
    close();
    expect(await stand.mirror(appointment(), annaMoved())).toBe('created');
    expect(places()).toEqual([ANNA, ANNA_NEW]);
    const moved = { starts_at: '2026-11-05T09:00:00Z', ends_at: '2026-11-05T10:00:00Z' };
    expect(await stand.mirror(appointment(moved), annaMoved())).toBe('updated');
    // Should it come back, an audit finds what stands there, and the next turn takes it away.
    expect(await expected()).toEqual([`must calendar:${ANNA_NEW}`, `must-not calendar:${ANNA}`]);
    stand.google.grantAccess(ANNA, undefined, 'writer');
    expect(await stand.mirror(appointment(moved), annaMoved())).toBe('removed');
    expect(places()).toEqual([ANNA_NEW]);
  });

  test('does not hold up what is over, and changes all the same', async () => {
    await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }));
    waitDays(3);
    stand.google.revokeAccess(ANNA);
    const noShow = appointment({ resource_ids: ['r-anna', 'r-room'], status: 'no_show' });
    expect(await stand.mirror(noShow, annaMoved())).toBe('updated');
    expect(stand.google.truth.event(ROOM, EVENT)).toMatchObject({ colorId: '11' });
    expect(places()).toEqual([ANNA, ROOM]);
    stand.google.grantAccess(ANNA);
    expect(await stand.mirror(noShow, annaMoved())).toBe('updated');
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ colorId: '11' });
  });

  test.each([401, 429, 503])(
    'is waited for as long as Google answers %i: that says nothing of the calendar',
    async (status) => {
      await stand.mirror(appointment());
      stand.google.faults.add({ method: 'DELETE', fault: { kind: 'status', status } });
      await expect(stand.mirror(appointment(), annaMoved())).rejects.toThrow();
      stand.google.faults.clear();
      await stand.problems.clear('google');
      stand.clock.advance(60_000);
      expect(await stand.mirror(appointment(), annaMoved())).toBe('removed');
      expect(places()).toEqual([ANNA_NEW]);
    },
  );
});

test('a resource that left the mapping leaves its events behind, also where a colleague has its calendar now', async () => {
  await stand.mirror(appointment());
  const borisInAnnas = mapped([{ resource: 'Boris', calendarId: ANNA }]);
  expect(await stand.mirror(appointment(), borisInAnnas)).toBe('nothing');
  expect(places()).toEqual([ANNA]);
  // The platform has given it to somebody else: now it is to go.
  expect(
    await stand.mirror(appointment({ resource_id: 'r-room', resource_ids: ['r-room'] }), borisInAnnas),
  ).toBe('removed');
  expect(places()).toEqual([]);
});

test('a resource that left the mapping leaves its events behind (case 73)', async () => {
  await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }));
  const without = mapped(mirror.calendars.filter((each) => each.calendarId !== ANNA));
  expect(await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }), without)).toBe('nothing');
  expect(places()).toEqual([ANNA, ROOM]);
});

describe('an edit of the YAML that changes what events say', () => {
  const retitled = () =>
    stand.targetOf({ ...mirror, event: { ...mirror.event, title: 'New: {{ service_name }}' } });
  const title = () => stand.google.truth.event(ANNA, EVENT)?.['summary'];

  test('rewrites upcoming appointments and those of the last days (since: 7d)', async () => {
    await stand.mirror(appointment());
    waitDays(3);
    expect(await stand.mirror(appointment(), retitled())).toBe('updated');
    expect(title()).toBe('New: Haircut');
  });

  test('leaves appointments that ended longer ago alone, however often it looks', async () => {
    await stand.mirror(appointment());
    waitDays(30);
    stand.google.resetCounts();
    expect(await stand.mirror(appointment(), retitled())).toBe('nothing');
    expect(await stand.mirror(appointment({ updated_at: '2026-12-01T00:00:00Z' }), retitled())).toBe(
      'nothing',
    );
    expect(title()).toBe('Haircut, Nina Weber');
    expect(stand.calls()).toEqual({});
  });

  test('rewrites such an appointment with its next own change', async () => {
    await stand.mirror(appointment());
    waitDays(30);
    expect(await stand.mirror(appointment({ status: 'no_show' }), retitled())).toBe('updated');
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ summary: 'New: Haircut', colorId: '11' });
  });

  test('does not hide a change of the appointment that the event did not show', async () => {
    await stand.mirror(appointment());
    // The price is in no template yet: nothing is written, and the mirror knows all the same that it has seen it.
    expect(await stand.mirror(appointment({ price_amount: 5_000 }))).toBe('nothing');
    waitDays(30);
    expect(await stand.mirror(appointment({ price_amount: 5_000 }), retitled())).toBe('nothing');
  });
});
