import { problemFault } from '@slotbridge/sandbox/platform/problem-fault';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { linkTo } from '../../src/engine/link.ts';
import { double } from '../stand/double.ts';
import {
  ANNA,
  BORIS,
  CLARA,
  type EditGround,
  EditStands,
  type EditWorld,
  GRACE_MS,
  OTHER,
  ROOM,
  startOf,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../stand/edits.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DONE = { next: 'done' };

/** What was decided about people's changes, as `explain` tells it. */
const acts = async (world: EditWorld, id: string) =>
  (await world.store.history.of(`appointment/${id}`)).flatMap((entry) =>
    entry.what === 'acted' ? [[entry.code, entry.ids?.['reason']].filter(Boolean).join(' ')] : [],
  );

describe('an event that was moved to another time', () => {
  test('E1: reschedule moves the appointment on the platform, once, and mails nobody (cases 38, 46)', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    world.forgetCalls();
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
    // The event says all of it already.
    expect(world.calls()['events.patch']).toBeUndefined();
    // Its own change comes back from the platform, and from the calendar: nothing is written (case 39).
    await world.hear(id);
    world.forgetCalls();
    expect(await world.sight(id)).toBe('echo');
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.calls()).toEqual({});
  });

  atLength.test('E2: there and back again is two wishes', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    for (const start of [TUESDAY_12, TUESDAY_10, TUESDAY_12]) {
      world.staff.move({ ...world.at(id), start });
      await world.sight(id);
      await world.settle(id);
      expect(world.appointment(id)).toMatchObject({ starts_at: start });
      expect(world.events()).toEqual([`${ANNA} ${start}`]);
    }
  });

  test('E3: a move into a taken hour is put back, says why with free times, and says it once', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    await world.bookWithEvent({ startsAt: TUESDAY_12 });
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.startsAt(id)).toBe(TUESDAY_10);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
    const said = world.description(id);
    expect(said).toContain('this time is already taken');
    expect(said).toContain('Nearest free times:');
    // Whatever comes again changes nothing about it.
    await world.store.dirtyMarks.markDirty([{ kind: 'appointment', id }], { read: true });
    await world.settle(id);
    world.staff.addGuest({ ...world.at(id), email: 'colleague@clinic.example' });
    await world.sight(id);
    await world.settle(id);
    expect(world.description(id)).toBe(said);
    // Until somebody moves it again.
    world.staff.move({ ...world.at(id), start: TUESDAY_14 });
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
    expect(world.description(id)).toBe('+74950001101');
  });

  atLength.test('E4: the note is removed when something happens to the appointment', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    await world.bookWithEvent({ startsAt: TUESDAY_12 });
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    await world.settle(id);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
    await world.hear(id);
    await world.settle(id);
    expect(world.startsAt(id)).toBe(TUESDAY_14);
    expect(world.description(id)).toBe('+74950001101');
  });

  atLength.test('E5: revert puts it back and asks the platform nothing', async () => {
    const world = await stands.start({ moved: 'revert' });
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    await world.settle(id);
    expect(world.startsAt(id)).toBe(TUESDAY_10);
    expect(world.description(id)).toBe('+74950001101');
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  });

  atLength.test('E6: ignore leaves it alone until the appointment changes', async () => {
    const world = await stands.start({ moved: 'ignore' });
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    expect(await world.settle(id)).toEqual(DONE);
    world.staff.recolour({ ...world.at(id), colorId: '5' });
    await world.sight(id);
    await world.settle(id);
    expect(world.startsAt(id)).toBe(TUESDAY_12);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
    await world.hear(id);
    await world.settle(id);
    expect(world.startsAt(id)).toBe(TUESDAY_14);
    expect(world.event(id)).toMatchObject({ colorId: '5' });
  });

  test('E6: a colour that people gave an event that was let be is not taken for the mapping’s', async () => {
    const world = await stands.start({ moved: 'ignore' });
    const id = await world.bookWithEvent();
    world.dashboard.markAppointment(id, 'no_show');
    await world.hear(id);
    await world.settle(id);
    expect(world.event(id)).toMatchObject({ colorId: '11' });
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    world.staff.recolour({ ...world.at(id), colorId: '7' });
    await world.sight(id);
    await world.settle(id);
    world.dashboard.markAppointment(id, 'completed');
    await world.hear(id);
    await world.settle(id);
    expect(world.event(id)).toMatchObject({ colorId: '7' });
  });

  atLength.test('E7: the same instant in another zone is no move (case 44)', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.staff.edit({
      ...world.at(id),
      patch: { start: { dateTime: '2026-03-03T08:00:00+01:00', timeZone: 'Europe/Berlin' } },
    });
    await world.sight(id);
    world.forgetCalls();
    await world.settle(id);
    expect(world.calls()['events.patch']).toBeUndefined();
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  });

  atLength.test.each([
    { name: 'E8: into the past', start: '2026-03-02T08:00:00.000Z', says: 'already passed' },
  ])('$name is put back and says so', async ({ start, says }) => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id), start });
    await world.sight(id);
    await world.settle(id);
    expect(world.startsAt(id)).toBe(TUESDAY_10);
    expect(world.description(id)).toContain(says);
  });

  test.each(rowsOf(['arrived', 'completed', 'no_show'] as const, 3))(
    'E9: the event of an appointment that is %s is restored and says so',
    async (status) => {
      const world = await stands.start({ moved: 'reschedule' });
      const id = await world.bookWithEvent();
      world.dashboard.markAppointment(id, status);
      await world.hear(id);
      await world.settle(id);
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      await world.sight(id);
      await world.settle(id);
      expect(world.startsAt(id)).toBe(TUESDAY_10);
      expect(world.description(id)).toContain('can no longer be moved');
    },
  );

  atLength.test('E10: a place on the waiting list can be moved (case 49)', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const { serviceId, annaId } = world.platform;
    const id = world.dashboard.holdWaitlistPlace({ serviceId, resourceId: annaId, startsAt: TUESDAY_10 });
    await world.hear(id);
    await world.settle(id);
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  });

  atLength.test('E11: drawn into the all-day row it gets its hours back and says why (case 43)', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.staff.makeAllDay({ ...world.at(id), date: '2026-03-05' });
    await world.sight(id);
    await world.settle(id);
    expect(world.startsAt(id)).toBe(TUESDAY_10);
    expect(world.description(id)).toContain('needs a time of day');
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  });

  atLength.test('E12: made into a series it becomes one event again and says why (case 42)', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.staff.edit({ ...world.at(id), patch: { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] } });
    await world.sight(id);
    await world.settle(id);
    expect(world.event(id)).not.toHaveProperty('recurrence');
    expect(world.description(id)).toContain('an appointment happens once');
  });

  test('E13: only drawn longer, it gets its length back and says why, once (case 45)', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    const end = world.event(id)?.['end'];
    world.staff.resize({ ...world.at(id), end: TUESDAY_14 });
    await world.sight(id);
    await world.settle(id);
    expect(world.event(id)?.['end']).toEqual(end);
    expect(world.description(id).match(/length was put back/g)).toHaveLength(1);
  });
});

describe('what both sides changed', () => {
  const both = async (conflict: 'platform' | 'staff' | 'latest', staffLast: boolean) => {
    const world = await stands.start({ moved: 'reschedule', conflict });
    const id = await world.bookWithEvent();
    const staff = () => world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    const platform = () => world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
    for (const change of staffLast ? [platform, staff] : [staff, platform]) {
      world.clock.advance(60_000);
      change();
    }
    await world.hear(id);
    await world.sight(id);
    await world.settle(id);
    return { world, id };
  };

  test.each(
    rowsOf(
      [
        { name: 'E14: platform wins', conflict: 'platform' as const, staffLast: true, start: TUESDAY_14 },
        { name: 'E15: staff win', conflict: 'staff' as const, staffLast: false, start: TUESDAY_12 },
        { name: 'E16: the later one wins', conflict: 'latest' as const, staffLast: true, start: TUESDAY_12 },
        {
          name: 'E16: and not the earlier',
          conflict: 'latest' as const,
          staffLast: false,
          start: TUESDAY_14,
        },
      ],
      3,
    ),
  )('$name ($conflict)', async ({ conflict, staffLast, start }) => {
    const { world, id } = await both(conflict, staffLast);
    expect(world.appointment(id)).toMatchObject({ starts_at: start });
    expect(world.events()).toEqual([`${ANNA} ${start}`]);
    expect(world.description(id).includes('in the meantime')).toBe(start === TUESDAY_14);
  });

  test('E17: a move on the platform of which no webhook told is not written over', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
    expect(world.startsAt(id)).toBe(TUESDAY_14);
  });

  atLength.test(
    'E18: a move that the mirror runs into before anybody has sighted it is carried all the same',
    async () => {
      const world = await stands.start({ moved: 'reschedule' });
      const { serviceId, annaId } = world.platform;
      const id = world.dashboard.holdWaitlistPlace({ serviceId, resourceId: annaId, startsAt: TUESDAY_10 });
      await world.hear(id);
      await world.settle(id);
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      world.dashboard.confirmWaitlistPlace(id);
      await world.hear(id);
      expect(await world.settle(id)).toEqual(DONE);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
      expect(world.event(id)).toMatchObject({ status: 'confirmed' });
    },
  );

  atLength.test('E18: a deletion that the mirror runs into is judged like one that was sighted', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const { serviceId, annaId } = world.platform;
    const id = world.dashboard.holdWaitlistPlace({ serviceId, resourceId: annaId, startsAt: TUESDAY_10 });
    await world.hear(id);
    await world.settle(id);
    world.staff.remove(world.at(id));
    world.dashboard.confirmWaitlistPlace(id);
    await world.hear(id);
    expect(await world.settle(id)).toMatchObject({ next: 'defer' });
    expect(world.events()).toEqual([]);
    world.clock.advance(GRACE_MS);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('what people own (P6)', () => {
  test('E19: guests, reminders and colours cost a look and no write (case 46)', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.addGuest({ ...world.at(id), email: 'colleague@clinic.example' });
    world.staff.addReminder({ ...world.at(id), minutes: 30 });
    world.staff.recolour({ ...world.at(id), colorId: '5' });
    await world.sight(id);
    world.forgetCalls();
    expect(await world.settle(id)).toEqual(DONE);
    expect(Object.keys(world.calls())).toEqual(['events.get']);
    expect(world.meter.counts['slotbridge_event_writes_total']).toBe(1);
    expect(await world.sight(id)).toBe('echo');
    expect(world.event(id)).toMatchObject({
      colorId: '5',
      attendees: [{ email: 'colleague@clinic.example' }],
    });
  });

  test('E20: a title and a description that the mirror owns are put back, and the guests stay', async () => {
    const world = await stands.start();
    const id = await world.bookWithEvent();
    world.staff.addGuest({ ...world.at(id), email: 'colleague@clinic.example' });
    world.staff.retitle({ ...world.at(id), summary: 'Lunch' });
    world.staff.describe({ ...world.at(id), description: '' });
    await world.sight(id);
    await world.settle(id);
    expect(world.event(id)).toMatchObject({
      summary: 'Haircut, Vera Orlova',
      description: '+74950001101',
      attendees: [{ email: 'colleague@clinic.example' }],
    });
  });

  atLength.test(
    'E53: with `moved: reschedule` the event says once that its texts cannot be changed here',
    async () => {
      const world = await stands.start({ moved: 'reschedule' });
      const id = await world.bookWithEvent();
      world.staff.retitle({ ...world.at(id), summary: 'Haircut, Olga Petrova' });
      await world.sight(id);
      await world.settle(id);
      const said = world.description(id);
      expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova' });
      expect(said).toMatch(/^\+74950001101\n\n─+\nThe text was put back/);
      expect(await world.sight(id)).toBe('echo');
      // Again: it is put back, and nothing more is said.
      world.staff.describe({ ...world.at(id), description: said.replace('1101', '1102') });
      await world.sight(id);
      await world.settle(id);
      expect(world.description(id)).toBe(said);
      // Who takes the sentence out has read it, and does not get it back.
      world.staff.describe({ ...world.at(id), description: '+74950001101' });
      await world.sight(id);
      await world.settle(id);
      expect(world.description(id)).toBe('+74950001101');
      world.staff.recolour({ ...world.at(id), colorId: '5' });
      await world.sight(id);
      await world.settle(id);
      expect(world.description(id)).toBe('+74950001101');
      expect(await acts(world, id)).toEqual([
        'put-back-retouched not-expressible',
        'put-back-retouched',
        'put-back-retouched',
        'put-back-retouched',
      ]);
    },
  );

  atLength.test(
    'E53: moved and rewritten at once, it is moved, and says that its texts were put back',
    async () => {
      const world = await stands.start({ moved: 'reschedule' });
      const id = await world.bookWithEvent();
      world.staff.retitle({ ...world.at(id), summary: 'Haircut, Olga Petrova' });
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      await world.sight(id);
      await world.settle(id);
      await world.hear(id);
      await world.settle(id);
      expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
      expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova' });
      expect(world.description(id)).toContain('The text was put back');
      expect(await acts(world, id)).toEqual(['moved not-expressible']);
    },
  );

  atLength.test(
    'E53: what Google’s form does to blanks and markup when it saves is nobody’s wish',
    async () => {
      const world = await stands.start({ moved: 'reschedule' });
      const id = await world.bookWithEvent();
      world.staff.describe({ ...world.at(id), description: '<p>+74950001101</p><br>' });
      await world.sight(id);
      await world.settle(id);
      expect(world.description(id)).toBe('+74950001101');
    },
  );

  test('E21: a copy that people made is left alone, moved or deleted as they like (case 41)', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    const copy = world.staff.duplicate(world.at(id));
    const at = { calendarId: ANNA, eventId: String(copy['id']) };
    world.staff.move({ ...at, start: TUESDAY_12 });
    const key = { kind: 'appointment', id } as const;
    const etag = String(world.google.truth.event(ANNA, at.eventId)?.['etag']);
    await world.store.sightings.sight(key, { ...at, etag, seenAtMs: 1 }, { isAlive: true });
    await world.settle(id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ANNA} ${TUESDAY_12}`]);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
  });
});

describe('an event that was deleted', () => {
  test('E22: cancel cancels the appointment when the grace is over, not before (case 47)', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    expect(await world.settle(id)).toEqual({ next: 'defer', afterMs: GRACE_MS });
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([]);
    world.clock.advance(GRACE_MS);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
    expect(world.events()).toEqual([]);
    await world.hear(id);
    expect(await world.settle(id)).toEqual(DONE);
    expect(await world.isDirty(id)).toBe(false);
  });

  test('E67: an event that was copied to a colleague and then deleted was moved by its people: it returns and asks', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    const copy = world.staff.copyToCalendar({ ...world.at(id), to: BORIS });
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(GRACE_MS);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${BORIS} ${TUESDAY_10}`]);
    expect(world.description(id)).toContain('a copy of this event still stands in a calendar');
    world.staff.remove({ calendarId: BORIS, eventId: String(copy['id']) });
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(GRACE_MS);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
    expect(world.events()).toEqual([]);
  });

  test('a copy that people moved to another hour is a note of their own: deleting the original cancels', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const id = await world.bookWithEvent();
    const copy = String(world.staff.duplicate(world.at(id))['id']);
    world.staff.move({ calendarId: ANNA, eventId: copy, start: TUESDAY_12 });
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(GRACE_MS);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  });

  atLength.test('E23: brought back within the grace it is no deletion', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.staff.restore(world.at(id));
    await world.sight(id);
    world.clock.advance(GRACE_MS);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  });

  test('E24: restore brings it back', async () => {
    const world = await stands.start({ deleted: 'restore' });
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  });

  atLength.test('E25: ignore leaves it deleted until the appointment is moved', async () => {
    const world = await stands.start({ deleted: 'ignore' });
    const id = await world.bookWithEvent();
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.dashboard.markAppointment(id, 'no_show');
    world.dashboard.markAppointment(id, 'arrived');
    await world.hear(id);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.events()).toEqual([]);
    const other = await world.bookWithEvent({ startsAt: TUESDAY_12 });
    world.staff.remove(world.at(other));
    await world.sight(other);
    await world.settle(other);
    world.dashboard.reschedule(other, { startsAt: TUESDAY_14 });
    await world.hear(other);
    await world.settle(other);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
  });

  atLength.test('E26: cancels nothing when its appointment has begun (case 48)', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.clock.advance(Date.parse(TUESDAY_10) - world.clock.now() + 60_000);
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(GRACE_MS);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  });

  test('E27: comes back when its appointment can no longer be cancelled (case 48)', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.dashboard.markAppointment(id, 'arrived');
    await world.hear(id);
    await world.settle(id);
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'arrived' });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  });

  atLength.test(
    'E27: comes back and says why when the platform does not cancel its appointment',
    async () => {
      const world = await stands.start({ deleted: 'cancel' });
      const id = await world.bookWithEvent();
      world.staff.remove(world.at(id));
      await world.sight(id);
      await world.settle(id);
      world.clock.advance(GRACE_MS);
      const fault = problemFault('appointment-not-cancellable');
      world.platform.sandbox.faults.add({ method: 'POST', path: /cancel/, fault });
      expect(await world.settle(id)).toEqual(DONE);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(world.description(id)).toContain('can no longer be cancelled');
    },
  );

  test.each(rowsOf([404, 401, 403, 429, 503], 3))(
    'E28: nothing is proved by an answer of %i, and nothing is cancelled (case 35)',
    async (status) => {
      const world = await stands.start({ deleted: 'cancel' });
      const id = await world.bookWithEvent();
      world.staff.remove(world.at(id));
      await world.sight(id);
      await world.settle(id);
      world.clock.advance(GRACE_MS);
      world.google.faults.add({ path: /events/, fault: { kind: 'status', status } });
      await world.turn(id);
      await world.turn(id);
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect((await world.isDirty(id)) || (await world.letters()).length > 0).toBe(true);
    },
  );

  /** Eight appointments of the week after next, all deleted at once and noticed. */
  const emptied = async (world: EditWorld): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let hour = 0; hour < 8; hour += 1) {
      const startsAt = new Date(Date.parse(TUESDAY_10) + (14 * 24 + hour) * 3_600_000).toISOString();
      ids.push(await world.bookWithEvent({ startsAt }));
    }
    world.staff.clear({ calendarId: ANNA });
    for (const id of ids) {
      await world.sight(id);
      await world.settle(id);
    }
    return ids;
  };

  test('E29: a calendar that was emptied cancels nobody, until a person has approved it (case 50)', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const ids = await emptied(world);
    world.clock.advance(GRACE_MS);
    for (const id of ids) await world.settle(id);
    expect(ids.map((id) => world.appointment(id)?.['status'])).toEqual(ids.map(() => 'confirmed'));
    expect(await world.letters()).toEqual(ids.map(() => 'mass-deletion'));
    // Approved, and the dead letters retried.
    await world.store.memory.set(`approved-deletions:${ANNA}`, String(world.clock.now() + 3_600_000));
    await world.store.dirtyMarks.markDirty(
      ids.map((id) => ({ kind: 'appointment', id })),
      { read: true },
    );
    for (const id of ids) await world.settle(id);
    expect(ids.map((id) => world.appointment(id)?.['status'])).toEqual(ids.map(() => 'cancelled'));
  });

  test.each(
    rowsOf(
      [
        {
          name: 'has a grace as long as the hour in which deletions are counted',
          graceMs: 3_600_000,
          awayMs: 0,
        },
        { name: 'is looked at only after the worker was away', graceMs: GRACE_MS, awayMs: 5_400_000 },
      ],
      2,
    ),
  )('E29: a calendar that was emptied and $name cancels nobody (case 50)', async ({ graceMs, awayMs }) => {
    const world = await stands.start({ deleted: 'cancel', graceMs });
    const ids = await emptied(world);
    world.clock.advance(Math.max(graceMs, awayMs) + 1_000);
    for (const id of ids) await world.settle(id);
    expect(ids.map((id) => world.appointment(id)?.['status'])).toEqual(ids.map(() => 'confirmed'));
    expect(await world.letters()).toEqual(ids.map(() => 'mass-deletion'));
  });

  atLength.test(
    'E29: deletions that wait for a person keep waiting, whatever else happens to their appointments (case 50)',
    async () => {
      const world = await stands.start({ deleted: 'cancel' });
      const ids = await emptied(world);
      for (const laterMs of [GRACE_MS, 3 * 3_600_000, 2 * 86_400_000]) {
        world.clock.advance(laterMs);
        await world.store.dirtyMarks.markDirty(
          ids.map((id) => ({ kind: 'appointment', id })),
          { read: true },
        );
        for (const id of ids) await world.settle(id);
        expect(ids.map((id) => world.appointment(id)?.['status'])).toEqual(ids.map(() => 'confirmed'));
      }
      // Put back by hand they wait no more, and the next single deletion is one.
      for (const id of ids.slice(1)) {
        world.staff.restore(world.at(id));
        await world.sight(id);
        await world.settle(id);
      }
      await world.store.dirtyMarks.markDirty([{ kind: 'appointment', id: ids[0] ?? '' }], { read: true });
      await world.settle(ids[0] ?? '');
      expect(world.appointment(ids[0] ?? '')).toMatchObject({ status: 'cancelled' });
    },
  );

  atLength.test('E30: a few deletions among many appointments are carried', async () => {
    const world = await stands.start({ deleted: 'cancel' });
    const ids: string[] = [];
    for (let hour = 0; hour < 5; hour += 1) {
      ids.push(
        await world.bookWithEvent({
          startsAt: new Date(Date.parse(TUESDAY_10) + hour * 3_600_000).toISOString(),
        }),
      );
    }
    for (const id of ids) {
      world.staff.remove(world.at(id));
      await world.sight(id);
      await world.settle(id);
    }
    world.clock.advance(GRACE_MS);
    for (const id of ids) await world.settle(id);
    expect(ids.map((id) => world.appointment(id)?.['status'])).toEqual(ids.map(() => 'cancelled'));
  });
});

describe('an event that was moved to another calendar (case 47)', () => {
  test('E31: gives the appointment to the colleague in the branch who owns that calendar', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.sight(id);
    await world.sight(id, BORIS);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({
      starts_at: TUESDAY_10,
      resource_id: world.platform.borisId,
    });
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(await world.isDirty(id)).toBe(false);
  });

  atLength.test(
    'E31: also when only the deletion was sighted, and when the deletion comes first',
    async () => {
      const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
      const id = await world.bookWithEvent();
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      await world.sight(id);
      expect(await world.settle(id)).toMatchObject({ next: 'defer' });
      world.clock.advance(GRACE_MS);
      expect(await world.settle(id)).toEqual(DONE);
      expect(world.appointment(id)).toMatchObject({
        status: 'confirmed',
        resource_id: world.platform.borisId,
      });
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    },
  );

  atLength.test.each([{ name: 'E32: of another branch', to: CLARA, says: 'another branch' }])(
    '$name puts it back and says why',
    async ({ to, says }) => {
      const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
      const id = await world.bookWithEvent();
      world.staff.moveToCalendar({ ...world.at(id), to });
      await world.sight(id, to);
      await world.sight(id);
      await world.settle(id);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(world.description(id)).toContain(says);
      expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.annaId });
    },
  );

  test('E33: that is nobody’s puts it back and says why', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: OTHER });
    await world.sight(id, OTHER);
    await world.settle(id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.description(id)).toContain('not kept in that calendar');
  });

  atLength.test('E34: where the colleague is not free it comes back', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    await world.bookWithEvent({ resourceId: world.platform.borisId });
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.sight(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${BORIS} ${TUESDAY_10}`]);
    expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.annaId });
    expect(world.description(id)).toContain('already taken');
  });

  test('E35: revert brings it back', async () => {
    const world = await stands.start({ moved: 'revert', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.sight(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  });

  atLength.test('E36: ignore leaves it there until the appointment is moved', async () => {
    const world = await stands.start({ moved: 'ignore', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.sight(id);
    await world.sight(id, BORIS);
    expect(await world.settle(id)).toEqual(DONE);
    world.clock.advance(GRACE_MS);
    await world.settle(id);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_12 });
    await world.hear(id);
    await world.settle(id);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  });

  atLength.test.each(['cancel', 'restore', 'ignore'] as const)(
    'E36: listed anew, the calendar it left does not tell of a deletion (deleted: %s)',
    async (deleted) => {
      const world = await stands.start({ moved: 'ignore', deleted });
      const id = await world.bookWithEvent();
      world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
      await world.sight(id);
      await world.sight(id, BORIS);
      await world.settle(id);
      world.staff.purgeTombstones({ calendarId: ANNA });
      for (let looks = 0; looks < 3; looks += 1) {
        await world.sight(id);
        await world.settle(id);
        world.clock.advance(GRACE_MS);
      }
      expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    },
  );

  atLength.test('E37: and back again by hand, it is where it was', async () => {
    const world = await stands.start({ moved: 'ignore', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
    await world.sight(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    world.staff.moveToCalendar({ ...world.at(id, BORIS), to: ANNA });
    await world.sight(id);
    await world.sight(id, BORIS);
    await world.settle(id);
    world.clock.advance(GRACE_MS);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({
      status: 'confirmed',
      resource_id: world.platform.annaId,
    });
    expect(world.google.truth.events(ANNA).map(startOf)).toEqual([TUESDAY_10]);
    expect(world.google.truth.events(BORIS)).toEqual([]);
  });
});

atLength.describe('an event that stands in two calendars', () => {
  const doubled = async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent();
    const { summary, start, end, extendedProperties } = world.event(id) ?? {};
    const event = { summary, start, end, extendedProperties } as Parameters<
      typeof world.staff.add
    >[0]['event'];
    world.staff.add({ calendarId: BORIS, id: world.at(id).eventId, event });
    await world.sight(id, BORIS);
    expect(await world.settle(id)).toEqual({ next: 'defer', afterMs: GRACE_MS });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${BORIS} ${TUESDAY_10}`]);
    return { world, id };
  };

  test('E44: was moved, when the calendar that lost it says so only later', async () => {
    const { world, id } = await doubled();
    world.staff.remove(world.at(id));
    await world.sight(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({
      status: 'confirmed',
      resource_id: world.platform.borisId,
    });
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  });

  test('E45: stands once again when the grace is over', async () => {
    const { world, id } = await doubled();
    world.clock.advance(GRACE_MS);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.annaId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  });
});

describe('two programs that undo each other', () => {
  test('E38: are stopped after some rounds, and a person is told', async () => {
    const world = await stands.start({ moved: 'revert' });
    const id = await world.bookWithEvent();
    let rounds = 0;
    for (; rounds < 30 && (await world.letters()).length === 0; rounds += 1) {
      world.clock.advance(1_000);
      world.staff.retitle({ ...world.at(id), summary: `robot ${rounds}` });
      await world.sight(id);
      await world.settle(id);
    }
    expect(await world.letters()).toEqual(['edit-loop']);
    expect(rounds).toBeLessThan(15);
  });
});

describe('customers', () => {
  atLength.test('E38: are stopped also when a program deletes for good what comes back', async () => {
    const world = await stands.start({ deleted: 'restore' });
    const id = await world.bookWithEvent();
    world.forgetCalls();
    for (let round = 0; round < 15; round += 1) {
      if (world.events().length > 0) world.staff.remove(world.at(id));
      world.staff.purgeTombstones({ calendarId: ANNA });
      await world.sight(id);
      await world.settle(id);
      world.clock.advance(5_000);
    }
    expect(world.calls()['events.insert']).toBe(10);
    expect(await world.letters()).toEqual(['edit-loop']);
  });

  test('E39: are told only where the mapping says so, and never in a storm', async () => {
    const world = await stands.start({ moved: 'reschedule', notifyCustomer: true });
    const id = await world.bookWithEvent();
    for (let n = 0; n < 21; n += 1) await world.store.tally.count('mailed', `other ${n}`, 600_000);
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    await world.settle(id);
    expect(await world.letters()).toEqual(['mail-storm']);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
    // Nothing is written over what staff did, until somebody has decided.
    expect(world.startsAt(id)).toBe(TUESDAY_12);
    await world.store.memory.set('approved-mails', String(world.clock.now() + 60_000));
    await world.store.dirtyMarks.markDirty([{ kind: 'appointment', id }], { read: true });
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  });
});

describe('answers that are lost', () => {
  test('E40: an own write of which no answer came is nobody’s wish', async () => {
    const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
    const id = await world.bookWithEvent();
    world.dashboard.reschedule(id, { startsAt: TUESDAY_12 });
    await world.hear(id);
    world.google.faults.add({ method: 'PATCH', times: 1, fault: { kind: 'commit-then-reset' } });
    await world.turn(id);
    expect(world.startsAt(id)).toBe(TUESDAY_12);
    await world.sight(id);
    world.clock.advance(1_000);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
    await world.hear(id);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
  });

  test.each(rowsOf(['commit-then-reset', 'reset'] as const, 2))(
    'E41: there and back is two wishes, also when the first ended in %s',
    async (kind) => {
      const world = await stands.start({ moved: 'reschedule' });
      const id = await world.bookWithEvent();
      world.staff.move({ ...world.at(id), start: TUESDAY_12 });
      await world.sight(id);
      world.platform.sandbox.faults.add({ method: 'POST', path: /reschedule/, times: 1, fault: { kind } });
      expect(await world.turn(id)).toMatchObject({ next: 'retry' });
      world.staff.move({ ...world.at(id), start: TUESDAY_10 });
      await world.sight(id);
      await world.settle(id);
      expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    },
  );

  test('E41: a platform that is away loses no wish, and nothing is written over it', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    world.platform.sandbox.faults.add({
      path: /appointments/,
      times: 3,
      fault: { kind: 'status', status: 503 },
    });
    expect(await world.turn(id)).not.toEqual(DONE);
    expect(world.startsAt(id)).toBe(TUESDAY_12);
    world.clock.advance(60_000);
    await vi.waitFor(
      async () => {
        world.clock.advance(30_000);
        expect(await world.settle(id)).toEqual(DONE);
      },
      { timeout: PATIENCE_MS },
    );
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  });
});

describe('an event that the worker itself took away', () => {
  const settled = async (world: EditWorld, id: string): Promise<void> => {
    await world.sight(id);
    await world.sight(id, BORIS);
    for (let round = 0; round < 4; round += 1) {
      await world.settle(id);
      world.clock.advance(GRACE_MS);
    }
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  };

  atLength.test.each(['cancel', 'ignore', 'restore'] as const)(
    'E47: does not count as deleted when no answer came and the appointment comes back (%s; cases 39, 50)',
    async (deleted) => {
      const world = await stands.start({ moved: 'reschedule', deleted });
      const { annaId, borisId } = world.platform;
      const id = await world.bookWithEvent();
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: borisId });
      await world.hear(id);
      world.google.faults.add({ method: 'DELETE', times: 1, fault: { kind: 'commit-then-reset' } });
      expect(await world.turn(id)).toMatchObject({ next: 'retry' });
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: annaId });
      await world.hear(id);
      await settled(world, id);
    },
  );

  test.each(rowsOf(['cancel', 'ignore'] as const, 2))(
    'E48: and cannot bring back at once was deleted by nobody either (%s)',
    async (deleted) => {
      const world = await stands.start({ moved: 'reschedule', deleted });
      const { annaId, borisId } = world.platform;
      const id = await world.bookWithEvent();
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: borisId });
      await world.hear(id);
      await world.settle(id);
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: annaId });
      await world.hear(id);
      world.google.faults.add({ method: 'PATCH', times: 1, fault: { kind: 'status', status: 503 } });
      expect(await world.turn(id)).toMatchObject({ next: 'retry' });
      await settled(world, id);
    },
  );
});

describe('an event that staff move while the platform gives its appointment to a colleague', () => {
  atLength.test.each(['is noticed before', 'is noticed after'])(
    'E49: leaves the appointment with the colleague, and its event there reports the refused move (the move %s)',
    async (when) => {
      const world = await stands.start({ moved: 'reschedule' });
      const id = await world.bookWithEvent();
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: world.platform.borisId });
      world.staff.move({ ...world.at(id), start: TUESDAY_14 });
      await world.hear(id);
      if (when === 'is noticed before') await world.sight(id);
      await world.settle(id);
      world.clock.advance(1_000);
      await world.settle(id);
      expect(world.appointment(id)).toMatchObject({
        starts_at: TUESDAY_10,
        resource_id: world.platform.borisId,
      });
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      const said = world.description(id, BORIS);
      expect(said.match(/moved in the booking system in the meantime/g)).toHaveLength(1);
      expect(await acts(world, id)).toEqual(['put-back-conflict moved-meanwhile']);
      // Nothing is said again, and it goes when something happens to the appointment.
      await world.sight(id, BORIS);
      await world.settle(id);
      expect(world.description(id, BORIS)).toBe(said);
      world.dashboard.reschedule(id, { startsAt: TUESDAY_12 });
      await world.hear(id);
      await world.settle(id);
      expect(world.description(id, BORIS)).toBe('+74950001101');
    },
  );

  atLength.test(
    'E50: with `conflict: staff` it is moved to the hour of staff, and stays with the colleague',
    async () => {
      const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
      const id = await world.bookWithEvent();
      world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: world.platform.borisId });
      world.staff.move({ ...world.at(id), start: TUESDAY_14 });
      await world.hear(id);
      await world.sight(id);
      await world.settle(id);
      expect(world.appointment(id)).toMatchObject({
        starts_at: TUESDAY_14,
        resource_id: world.platform.borisId,
      });
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_14}`]);
      expect(world.description(id, BORIS)).toBe('+74950001101');
    },
  );

  atLength.test('E51: deleted there meanwhile, nothing is cancelled', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel', conflict: 'staff' });
    const id = await world.bookWithEvent();
    world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: world.platform.borisId });
    world.staff.remove(world.at(id));
    await world.hear(id);
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.description(id, BORIS)).toContain('in the meantime');
  });

  test('E52: if dragged to a third calendar meanwhile, moves to where the platform has the appointment and says so', async () => {
    const world = await stands.start({ moved: 'reschedule' });
    const id = await world.bookWithEvent();
    world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: world.platform.borisId });
    world.staff.moveToCalendar({ ...world.at(id), to: ROOM });
    await world.hear(id);
    await world.sight(id);
    await world.sight(id, ROOM);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.borisId });
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.description(id, BORIS)).toContain('in the meantime');
  });
});

test('E46: after Redis was lost nobody knows who moved an event, and the platform is right', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel', conflict: 'staff' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.store.redis.flushall();
  await world.hear(id);
  const link = linkTo(world.at(id), { etag: '"1"' });
  await world.store.links.adopt(`appointment/${id}`, 'staff', link);
  await world.sight(id);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_10 });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});

describe('an appointment that takes a person and a room', () => {
  test('E42: is not cancelled by who deletes the event of the room', async () => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
    const id = await world.bookWithEvent({ serviceId: world.massageId });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
    world.staff.remove(world.at(id, ROOM));
    await world.sight(id, ROOM);
    await world.settle(id);
    world.clock.advance(GRACE_MS);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
    expect(world.description(id, ROOM)).toContain('only the calendar of the person');
  });

  atLength.test(
    'E43: moves as a whole when either event is moved, and one event stands in each calendar',
    async () => {
      const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
      const id = await world.bookWithEvent({ serviceId: world.massageId });
      world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_12 });
      await world.sight(id, ROOM);
      await world.settle(id);
      expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`, `${ROOM} ${TUESDAY_12}`]);
    },
  );

  atLength.test.each(['platform', 'staff', 'latest'] as const)(
    'E58: both events are moved to different hours at once: one counts (conflict: %s), and the other says so',
    async (conflict) => {
      const world = await stands.start({ moved: 'reschedule', conflict });
      const id = await world.bookWithEvent({ serviceId: world.massageId });
      world.staff.move({ ...world.at(id, ANNA), start: TUESDAY_12 });
      world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
      await world.sight(id, ANNA);
      await world.sight(id, ROOM);
      await world.settle(id);
      expect(both(world, id)).toMatch(/^(anna|room) counts, the other says why$/);
      const said = [ANNA, ROOM].map((calendarId) => world.description(id, calendarId));
      await world.store.dirtyMarks.markDirty([{ kind: 'appointment', id }], { read: true });
      await world.settle(id);
      expect([ANNA, ROOM].map((calendarId) => world.description(id, calendarId))).toEqual(said);
    },
  );

  atLength.test(
    'E58: also when the other move is noticed only after the first was carried and written',
    async () => {
      const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
      const id = await world.bookWithEvent({ serviceId: world.massageId });
      world.staff.move({ ...world.at(id, ANNA), start: TUESDAY_12 });
      await world.sight(id, ANNA);
      world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
      await world.settle(id);
      await world.settle(id);
      expect(both(world, id)).toBe('room counts, the other says why');
    },
  );

  test.each([1, 2])(
    'E58: also when the worker dies with the answer to the second move, in write %i after it',
    async (nth) => {
      const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
      const id = await world.bookWithEvent({ serviceId: world.massageId });
      world.staff.move({ ...world.at(id, ANNA), start: TUESDAY_12 });
      world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
      await world.sight(id, ANNA);
      await world.sight(id, ROOM);
      let [moves, left] = [0, Number.POSITIVE_INFINITY];
      const dies = () => {
        left -= 1;
        if (left < 0) throw new Error('killed');
      };
      const doomed: EditGround = {
        ...world.ground,
        submitter: double({
          ...world.submitter,
          async submit(...wished) {
            const verdict = await world.submitter.submit(...wished);
            moves += 1;
            if (moves === 2) left = nth - 1;
            return verdict;
          },
          finish: (from) => world.submitter.finish(from),
        }),
        work: fatal(world.ground.work, 'refresh', dies),
        links: fatal(world.ground.links, 'write', dies),
      };
      await world.turn(id, doomed);
      expect(left).toBeLessThan(0);
      await world.settle(id);
      expect(both(world, id)).toBe('room counts, the other says why');
    },
  );
});

/** The same, but that the process may die before a call of this name. */
function fatal<T extends object>(of: T, name: keyof T, dies: () => void): T {
  return new Proxy(of, {
    get(target, each) {
      const method = Reflect.get(target, each) as (...args: unknown[]) => unknown;
      if (each !== name) return method.bind(target);
      return async (...args: unknown[]) => {
        dies();
        return method.apply(target, args);
      };
    },
  });
}

/** Whose hour both events show, if only the other one says so below its text. */
function both(world: EditWorld, id: string): string {
  const [anna, room] = [ANNA, ROOM].map((calendarId) => world.startsAt(id, calendarId));
  const [annaSays, roomSays] = [ANNA, ROOM].map((calendarId) =>
    world.description(id, calendarId).includes('in another calendar'),
  );
  const counts = anna === TUESDAY_12 ? 'anna' : 'room';
  const isRight = anna === room && annaSays === (counts === 'room') && roomSays === (counts === 'anna');
  return isRight
    ? `${counts} counts, the other says why`
    : JSON.stringify({ anna, room, annaSays, roomSays });
}

test('P7: an approval given while the clock was hours ahead is invalid once the clock was set back', async () => {
  const world = await stands.start({ moved: 'reschedule', notifyCustomer: true });
  const id = await world.bookWithEvent();
  for (let n = 0; n < 21; n += 1) await world.store.tally.count('mailed', `other ${n}`, 600_000);
  await world.store.memory.set('approved-mails', String(world.clock.now() + 5 * 3_600_000));
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await world.settle(id);
  expect(await world.letters()).toEqual(['mail-storm']);
});
