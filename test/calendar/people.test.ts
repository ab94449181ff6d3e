import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ANNA,
  APPOINTMENT_ID,
  appointment,
  EVENT,
  mirror,
  openStand,
  type Stand,
  startMsOf,
} from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
  await stand.mirror(appointment());
});
afterEach(() => stand.close());

const at = { calendarId: ANNA, eventId: EVENT };
const changed = appointment({
  comment: 'newer',
  starts_at: '2026-11-03T11:00:00Z',
  ends_at: '2026-11-03T12:00:00Z',
});
const event = () => stand.google.truth.event(ANNA, EVENT);
const startMs = () => startMsOf(event());

describe('what people own stays (case 34)', () => {
  test('reminders, guests, colour and place survive a change of the appointment', async () => {
    stand.staff.addReminder({ ...at, minutes: 30 });
    stand.staff.addGuest({ ...at, email: 'colleague@clinic.example' });
    stand.staff.recolour({ ...at, colorId: '5' });
    stand.staff.edit({
      ...at,
      patch: { location: 'Room with a view', extendedProperties: { private: { own: 'kept' } } },
    });
    expect(await stand.mirror(changed)).toBe('updated');
    expect(event()).toMatchObject({
      description: '+4915112345678\nnewer',
      colorId: '5',
      location: 'Room with a view',
      reminders: { overrides: [{ method: 'popup', minutes: 30 }] },
      attendees: [{ email: 'colleague@clinic.example' }],
      extendedProperties: { private: { own: 'kept', slotbridge: '1' } },
    });
  });

  test('an edit of a field that the mirror does not own costs a look, and no loop', async () => {
    stand.staff.recolour({ ...at, colorId: '5' });
    stand.google.resetCounts();
    await stand.mirror(changed);
    expect(stand.calls()).toEqual({ 'events.patch': 2, 'events.get': 1 });
  });

  test('the mirror restores its title when the appointment changes', async () => {
    stand.staff.retitle({ ...at, summary: 'Something else' });
    await stand.mirror(changed);
    expect(event()).toMatchObject({ summary: 'Haircut, Nina Weber' });
  });

  test('an event that was drawn into the all-day row gets its hours back', async () => {
    stand.staff.makeAllDay({ ...at, date: '2026-11-05' });
    await stand.mirror(changed);
    expect(event()?.['start']).not.toHaveProperty('date');
    expect(startMs()).toBe(Date.parse('2026-11-03T11:00:00Z'));
  });

  test('a copy that people made of an event is left alone (case 41)', async () => {
    const copy = stand.staff.duplicate(at);
    await stand.mirror(changed);
    await stand.mirror(appointment({ status: 'cancelled', resource_ids: [] }));
    expect(stand.google.truth.events(ANNA).map((each) => each['id'])).toEqual([copy['id']]);
  });
});

describe('an event that people deleted', () => {
  test('comes back with the next change, as the same event', async () => {
    stand.staff.remove(at);
    expect(await stand.mirror(changed)).toBe('updated');
    expect(stand.google.truth.events(ANNA)).toMatchObject([
      { id: EVENT, description: '+4915112345678\nnewer' },
    ]);
    expect(startMs()).toBe(Date.parse('2026-11-03T11:00:00Z'));
  });

  test('comes back whole although its tombstone holds nothing but the id', async () => {
    stand.google.switches.tombstonesMinimal = true;
    stand.staff.remove(at);
    await stand.mirror(changed);
    expect(event()).toMatchObject({
      status: 'confirmed',
      summary: 'Haircut, Nina Weber',
      extendedProperties: { private: { slotbridge_appointment: APPOINTMENT_ID } },
    });
  });

  test('comes back tentative when the place is only held', async () => {
    stand.staff.remove(at);
    await stand.mirror(appointment({ status: 'pending' }));
    expect(event()).toMatchObject({ status: 'tentative' });
  });

  test('comes back under its id when even the tombstone is gone', async () => {
    stand.staff.remove(at);
    stand.staff.purgeTombstones({ calendarId: ANNA });
    await stand.mirror(changed);
    expect(stand.google.truth.events(ANNA).map((each) => each['id'])).toEqual([EVENT]);
  });

  test.each([false, true])(
    'comes back under the next id when Google does not revive it (If-Match ignored on patch: %s)',
    async (patchIgnoresIfMatch) => {
      Object.assign(stand.google.switches, { reviveAnswers403: true, patchIgnoresIfMatch });
      stand.staff.remove(at);
      await stand.mirror(changed);
      expect(stand.google.truth.events(ANNA).map((each) => each['id'])).toEqual([`${EVENT}g1`]);
      expect(stand.links.calendars(APPOINTMENT_ID, mirror.name)).toMatchObject([{ eventId: `${EVENT}g1` }]);
      expect(stand.problems.codes()).toEqual({});
    },
  );

  test('burns one id after another where Google revives nothing, and is one event each time', async () => {
    stand.google.switches.reviveAnswers403 = true;
    for (const n of [1, 2, 3]) {
      const [live] = stand.google.truth.events(ANNA);
      stand.staff.remove({ calendarId: ANNA, eventId: String(live?.['id']) });
      await stand.mirror(appointment({ comment: `round ${n}` }));
      expect(stand.google.truth.events(ANNA).map((each) => each['id'])).toEqual([`${EVENT}g${n}`]);
    }
  });

  test('has one event if the insert of its next id arrives late, when the first id is free again (P2)', async () => {
    stand.google.switches.reviveAnswers403 = true;
    stand.staff.remove(at);
    stand.google.faults.add({ method: 'POST', skip: 1, times: 1, fault: { kind: 'reset' } });
    await expect(stand.mirror(changed)).rejects.toMatchObject({ family: 'retryable' });
    stand.staff.purgeTombstones({ calendarId: ANNA });
    await stand.mirror(changed);
    const hour = { dateTime: '2026-11-03T09:00:00Z', timeZone: 'Europe/Berlin' };
    const late = { summary: 'Late', start: hour, end: hour, status: 'confirmed' } as const;
    await stand.api.insert(ANNA, `${EVENT}g1`, { ...late, extendedProperties: { private: {} } });
    expect(stand.google.truth.events(ANNA).map((each) => each['id'])).toEqual([`${EVENT}g1`]);
  });

  test('is found under its later id when the links are lost', async () => {
    stand.google.switches.reviveAnswers403 = true;
    stand.staff.remove(at);
    await stand.mirror(changed);
    stand.links.forget();
    await stand.mirror(appointment({ comment: 'again' }));
    expect(stand.google.truth.events(ANNA)).toMatchObject([
      { id: `${EVENT}g1`, description: '+4915112345678\nagain' },
    ]);
  });
});

describe('somebody else who has the id', () => {
  test('keeps the event, and the appointment takes the next id', async () => {
    const id = 'sb11111111111141118111111111111111';
    stand.staff.add({
      calendarId: ANNA,
      id,
      event: {
        summary: 'Not ours',
        start: { dateTime: '2026-11-03T12:00:00Z' },
        end: { dateTime: '2026-11-03T13:00:00Z' },
      },
    });
    await stand.mirror(appointment({ id: '11111111-1111-4111-8111-111111111111' }));
    expect(stand.google.truth.event(ANNA, id)).toMatchObject({ summary: 'Not ours' });
    expect(stand.google.truth.event(ANNA, `${id}g1`)).toMatchObject({ summary: 'Haircut, Nina Weber' });
  });
});

describe('colours', () => {
  test('of the mapping are set, and taken away when the status has none', async () => {
    await stand.mirror(appointment({ status: 'no_show' }));
    expect(event()).toMatchObject({ colorId: '11' });
    await stand.mirror(appointment({ status: 'completed' }));
    expect(event()).not.toHaveProperty('colorId');
  });

  test('that people chose afterwards are not taken away', async () => {
    await stand.mirror(appointment({ status: 'no_show' }));
    stand.staff.recolour({ ...at, colorId: '2' });
    await stand.mirror(appointment({ status: 'completed' }));
    expect(event()).toMatchObject({ colorId: '2' });
  });

  test('of the mapping are still known as such after the links were lost', async () => {
    await stand.mirror(appointment({ status: 'no_show' }));
    stand.links.forget();
    await stand.mirror(appointment({ status: 'completed' }));
    expect(event()).not.toHaveProperty('colorId');
  });

  test('of the mapping are not written over a label that people chose, and not taken away with it (P6)', async () => {
    const eventLabelId = '5f0c1d7e-0000-4000-8000-000000000001';
    stand.staff.edit({ ...at, patch: { eventLabelId } });
    await stand.mirror(appointment({ status: 'no_show' }));
    expect(event()).toMatchObject({ eventLabelId, summary: 'Haircut, Nina Weber' });
    expect(event()).not.toHaveProperty('colorId');
    stand.staff.edit({ ...at, patch: { colorId: '11' } });
    await stand.mirror(appointment({ status: 'completed' }));
    expect(event()).toMatchObject({ eventLabelId, colorId: '11' });
    stand.staff.edit({ ...at, patch: { eventLabelId: null } });
    await stand.mirror(appointment({ status: 'no_show', comment: 'late' }));
    expect(event()).toMatchObject({ colorId: '11' });
  });

  test('a labelled event is not read and written again and again', async () => {
    stand.staff.edit({ ...at, patch: { eventLabelId: '5f0c1d7e-0000-4000-8000-000000000001' } });
    await stand.mirror(appointment({ status: 'no_show' }));
    stand.google.resetCounts();
    await stand.mirror(appointment({ status: 'no_show' }));
    expect(stand.calls()).toEqual({});
  });
});
