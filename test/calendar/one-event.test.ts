import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ANNA,
  APPOINTMENT_ID,
  appointment,
  BORIS,
  EVENT,
  mirror,
  NOW_MS,
  openStand,
  ROOM,
  type Stand,
  startMsOf,
} from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

describe('an appointment in one calendar', () => {
  test('becomes one event with a derived id, the zone of the branch, and nobody invited (case 37)', async () => {
    expect(await stand.mirror(appointment())).toBe('created');
    const events = stand.google.truth.events(ANNA);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      id: EVENT,
      summary: 'Haircut, Nina Weber',
      description: '+4915112345678',
      status: 'confirmed',
      extendedProperties: {
        private: {
          slotbridge: '1',
          slotbridge_appointment: APPOINTMENT_ID,
          slotbridge_mirror: 'staff-calendars',
        },
      },
    });
    expect(events[0]?.['start']).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect(startMsOf(events[0])).toBe(Date.parse('2026-11-03T09:00:00Z'));
    expect(events[0]).not.toHaveProperty('attendees');
    expect(events[0]).not.toHaveProperty('colorId');
  });

  test('that is looked at again unchanged costs no call at all', async () => {
    await stand.mirror(appointment());
    stand.google.resetCounts();
    expect(await stand.mirror(appointment({ updated_at: '2026-11-02T09:00:00Z' }))).toBe('nothing');
    expect(stand.google.stats().calls).toBe(0);
  });

  test('that changes is changed with one call', async () => {
    await stand.mirror(appointment());
    stand.google.resetCounts();
    expect(
      await stand.mirror(appointment({ starts_at: '2026-11-03T11:00:00Z', ends_at: '2026-11-03T12:00:00Z' })),
    ).toBe('updated');
    expect(stand.calls()).toEqual({ 'events.patch': 1 });
    const [event] = stand.google.truth.events(ANNA);
    expect(startMsOf(event)).toBe(Date.parse('2026-11-03T11:00:00Z'));
  });

  test('on the waiting list is tentative, and confirmed once the place is confirmed (case 49)', async () => {
    await stand.mirror(appointment({ status: 'pending' }));
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ status: 'tentative' });
    await stand.mirror(appointment({ status: 'confirmed' }));
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ status: 'confirmed' });
  });

  test.each(['arrived', 'completed', 'no_show', 'some_new_status'])(
    'stands as confirmed when it is %s',
    async (status) => {
      const { statuses: _, ...where } = mirror.where;
      await stand.mirror(appointment({ status }), stand.targetOf({ ...mirror, where }));
      expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ status: 'confirmed' });
    },
  );

  test('of a resource outside the mapping has no event', async () => {
    expect(await stand.mirror(appointment({ resource_ids: ['r-other'], resource_id: 'r-other' }))).toBe(
      'nothing',
    );
    expect(stand.google.stats().calls).toBe(0);
  });

  test('without times is a dead letter that names the fields', async () => {
    await expect(stand.mirror(appointment({ starts_at: 'soon' }))).rejects.toMatchObject({
      family: 'terminal',
      code: 'appointment-unreadable',
      message: expect.stringContaining('starts_at'),
    });
  });

  test('whose id is no UUID gets an id that Google takes', async () => {
    const id = 'APPT/Zürich-17';
    await stand.mirror(appointment({ id }));
    await stand.mirror(appointment({ id, comment: 'late' }));
    const events = stand.google.truth.events(ANNA);
    expect(events).toHaveLength(1);
    expect(events[0]?.['id']).toMatch(/^sb[0-9a-f]{40}$/);
  });

  test('nobody is mailed by any of it (case 38)', async () => {
    await stand.mirror(appointment());
    stand.staff.addGuest({ calendarId: ANNA, eventId: EVENT, email: 'guest@other.example' });
    await stand.mirror(appointment({ comment: 'moved' }));
    await stand.mirror(appointment({ status: 'cancelled', resource_ids: [] }));
    expect(stand.google.truth.events(ANNA)).toEqual([]);
    expect(stand.google.stats().mailsSent).toBe(0);
  });

  test('the lag is measured from the oldest change', async () => {
    const claim = stand.claim(appointment());
    await stand.target.reconcile({ ...claim, pendingSinceMs: NOW_MS - 1_500 });
    expect(stand.meter.measured).toEqual([
      { name: 'slotbridge_lag_seconds', seconds: 1.5, labels: { mirror: 'staff-calendars' } },
    ]);
  });

  test('no log line holds a name, a phone or a calendar address', async () => {
    await stand.mirror(appointment());
    await stand.mirror(appointment({ comment: 'x' }));
    const said = JSON.stringify(stand.log.lines);
    expect(stand.log.lines.length).toBeGreaterThan(0);
    expect(said).not.toMatch(/Nina|491511|clinic\.example/);
  });
});

describe('admission', () => {
  const old = { starts_at: '2026-10-01T09:00:00Z', ends_at: '2026-10-01T10:00:00Z' };

  test('appointments from before `since` are not mirrored (case 59)', async () => {
    expect(await stand.mirror(appointment(old))).toBe('nothing');
    expect(stand.google.truth.events(ANNA)).toEqual([]);
  });

  test('a mirrored appointment stays up to date however old it gets (case 59)', async () => {
    await stand.mirror(appointment());
    expect(await stand.mirror(appointment({ ...old, status: 'completed', comment: 'paid' }))).toBe('updated');
    expect(stand.google.truth.event(ANNA, EVENT)).toMatchObject({ description: '+4915112345678\npaid' });
  });

  test('a status that the mapping does not list takes the event away', async () => {
    const target = stand.targetOf({ ...mirror, where: { ...mirror.where, statuses: ['confirmed'] } });
    await stand.mirror(appointment(), target);
    expect(await stand.mirror(appointment({ status: 'no_show' }), target)).toBe('removed');
    expect(stand.google.truth.events(ANNA)).toEqual([]);
    expect(stand.links.calendars(APPOINTMENT_ID, mirror.name)).toEqual([]);
  });

  test('a filter on another branch or project, edited in later, deletes nothing (case 73)', async () => {
    await stand.mirror(appointment());
    for (const where of [{ branches: ['South'] }, { projects: ['p-2'] }]) {
      const target = stand.targetOf({ ...mirror, where: { ...mirror.where, ...where } });
      expect(await stand.mirror(appointment({ comment: 'x' }), target)).toBe('nothing');
      expect(await stand.mirror(appointment({ status: 'no_show' }), target)).toBe('nothing');
    }
    expect(stand.titles(ANNA)).toEqual(['Haircut, Nina Weber']);
  });

  test('branches are named by name or id', async () => {
    for (const branches of [['Centre'], ['b-1']]) {
      const target = stand.targetOf({ ...mirror, where: { ...mirror.where, branches } });
      expect(await stand.mirror(appointment({ comment: branches[0] }), target)).not.toBe('nothing');
    }
  });

  test('while the resources of the mapping are not known, the object waits instead of passing as done', async () => {
    const target = stand.targetOf({ ...mirror, calendars: [{ resource: 'Nobody', calendarId: ANNA }] });
    await expect(stand.mirror(appointment(), target)).rejects.toMatchObject({
      family: 'deferred',
      code: 'mapping-unresolved',
    });
  });
});

describe('a cancelled appointment', () => {
  const cancelled = appointment({ status: 'cancelled', resource_id: null, resource_ids: [] });

  test('goes from every calendar although it names no resource any more (case 19)', async () => {
    await stand.mirror(appointment({ resource_ids: ['r-anna', 'r-room'] }));
    expect(await stand.mirror(cancelled)).toBe('removed');
    expect(stand.google.truth.events(ANNA)).toEqual([]);
    expect(stand.google.truth.events(ROOM)).toEqual([]);
    expect(stand.links.calendars(APPOINTMENT_ID, mirror.name)).toEqual([]);
  });

  test('that was never mirrored makes no event and no call', async () => {
    expect(await stand.mirror(cancelled)).toBe('nothing');
    expect(stand.google.stats().calls).toBe(0);
  });

  test('is done with when staff has deleted the event already', async () => {
    await stand.mirror(appointment());
    stand.staff.remove({ calendarId: ANNA, eventId: EVENT });
    expect(await stand.mirror(cancelled)).toBe('removed');
  });

  test('is done with when the tombstone has disappeared as well', async () => {
    await stand.mirror(appointment());
    stand.staff.remove({ calendarId: ANNA, eventId: EVENT });
    stand.staff.purgeTombstones({ calendarId: ANNA });
    expect(await stand.mirror(cancelled)).toBe('removed');
    expect(stand.links.calendars(APPOINTMENT_ID, mirror.name)).toEqual([]);
  });

  test('stays with its new text where the mapping keeps cancelled ones', async () => {
    const event = { ...mirror.event, title: '{{ status }}: {{ service_name }}', cancelled: 'keep' as const };
    const target = stand.targetOf({ ...mirror, event });
    await stand.mirror(appointment(), target);
    expect(await stand.mirror(cancelled, target)).toBe('updated');
    expect(stand.titles(ANNA)).toEqual(['cancelled: Haircut']);
    expect(await stand.mirror(cancelled, target)).toBe('nothing');
  });

  test('goes even when its resource is no longer listed by the platform', async () => {
    await stand.mirror(appointment({ resource_ids: ['r-boris'] }));
    const left = {
      ...mirror,
      calendars: mirror.calendars.map((each) =>
        each.calendarId === BORIS ? { ...each, resource: 'Left us' } : each,
      ),
    };
    expect(await stand.mirror(cancelled, stand.targetOf(left))).toBe('removed');
    expect(stand.google.truth.events(BORIS)).toEqual([]);
  });

  test('that the platform has deleted goes like a cancelled one', async () => {
    await stand.mirror(appointment());
    const claim = stand.links.claim({
      key: { kind: 'appointment', id: APPOINTMENT_ID },
      snapshot: undefined,
      deleted: true,
    });
    expect(await stand.target.reconcile(claim)).toBe('removed');
    expect(stand.google.truth.events(ANNA)).toEqual([]);
  });
});
