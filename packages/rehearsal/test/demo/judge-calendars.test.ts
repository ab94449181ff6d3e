import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { texts, wireText } from '../../demo/judge/company.ts';
import { type Mirrored, mirrorByHand } from './mirrored.ts';

describe('the judge of calendars', () => {
  let mirrored: Mirrored;
  beforeEach(async () => {
    mirrored = await mirrorByHand();
  });
  afterEach(() => mirrored.close());

  const kinds = () => mirrored.differences().map(({ kind, id }) => `${kind} ${id}`);

  it('finds nothing where everything is right', () => {
    expect(mirrored.differences()).toEqual([]);
  });

  it('misses an event that was deleted', () => {
    const { appointment, calendarId, eventId } = mirrored.someEvent();
    mirrored.google.staff.calendar.remove({ calendarId, eventId });
    expect(kinds()).toEqual([`missing ${appointment['id']}`]);
  });

  it('sees the second event of one appointment', () => {
    const { appointment, calendarId, eventId } = mirrored.someEvent();
    mirrored.google.staff.calendar.duplicate({ calendarId, eventId });
    expect(kinds()).toEqual([`doubled ${appointment['id']}`]);
  });

  it('sees an event that belongs to no appointment', () => {
    const { calendarId } = mirrored.someEvent();
    const start = { dateTime: '2030-01-01T10:00:00Z' };
    const event = { summary: 'Whose?', start, end: { dateTime: '2030-01-01T11:00:00Z' } };
    mirrored.google.staff.calendar.add({ calendarId, event, id: 'stranger1' });
    expect(kinds()).toEqual(['doubled event stranger1']);
  });

  it('sees an event that stayed behind when its appointment was cancelled', () => {
    const id = wireText(mirrored.someEvent().appointment['id']);
    const before = mirrored.platform.truth.appointment(id);
    mirrored.platform.dashboard.markAppointment(id, 'no_show');
    mirrored.platform.dashboard.cancel(id);
    const places = texts(before?.['resource_ids']).length;
    const found = mirrored.differences().filter(({ place }) => place.startsWith('calendar'));
    expect(found).toHaveLength(places);
    expect(new Set(found.map(({ kind, id }) => `${kind} ${id}`))).toEqual(new Set([`stale ${id}`]));
  });

  it('sees an appointment that moved to a colleague: missing there, stale here', () => {
    const { platform, company } = mirrored;
    const moving = platform.truth
      .appointments()
      .find(({ status, resource_ids }) => status === 'confirmed' && texts(resource_ids).length === 1);
    const id = wireText(moving?.['id']);
    const colleague = platform.truth
      .resources()
      .find(
        (one) =>
          one['branch_id'] === moving?.['branch_id'] &&
          one['id'] !== moving?.['resource_id'] &&
          company.personIds.includes(wireText(one['id'])),
      );
    const startsAt = Date.parse(wireText(moving?.['starts_at'])) + 60 * 86_400_000;
    platform.dashboard.reschedule(id, { startsAt, resourceId: wireText(colleague?.['id']) });
    const calendars = mirrored.differences().filter(({ place }) => place.startsWith('calendar'));
    expect(calendars.map(({ kind, place }) => `${kind} ${place}`).sort()).toEqual([
      `missing calendar ${mirrored.calendars.get(wireText(colleague?.['id']))}`,
      `stale calendar ${mirrored.calendars.get(wireText(moving?.['resource_id']))}`,
    ]);
  });

  const edits = {
    title: { summary: 'Something else' },
    place: { location: 'Somewhere else' },
    colour: { colorId: '4' },
    state: { status: 'tentative' },
    guests: { attendees: [{ email: 'guest@example.com' }] },
  };
  for (const [what, patch] of Object.entries(edits)) {
    it(`sees that the ${what} differs`, () => {
      const { appointment, calendarId, eventId } = mirrored.someEvent();
      mirrored.google.staff.calendar.edit({ calendarId, eventId, patch });
      expect(mirrored.differences()).toEqual([
        { kind: 'stale', place: `calendar ${calendarId}`, id: appointment['id'], what: `differs in ${what}` },
      ]);
    });
  }

  it('sees one letter in the description', () => {
    const { appointment, calendarId, eventId } = mirrored.someEvent();
    const event = mirrored.google.truth.event(calendarId, eventId);
    const description = wireText(event?.['description']).replace('Phone', 'phone');
    mirrored.google.staff.calendar.describe({ calendarId, eventId, description });
    expect(mirrored.differences()).toMatchObject([
      { kind: 'stale', id: appointment['id'], what: 'differs in description' },
    ]);
  });

  it('sees one minute', () => {
    const { appointment, calendarId, eventId } = mirrored.someEvent();
    const end = new Date(Date.parse(wireText(appointment['ends_at'])) + 60_000).toISOString();
    mirrored.google.staff.calendar.resize({ calendarId, eventId, end });
    expect(mirrored.differences()).toMatchObject([{ kind: 'stale', what: 'differs in end' }]);
  });

  it('takes the same instant in another notation for the same', () => {
    const { appointment, calendarId, eventId } = mirrored.someEvent();
    const instant = new Date(Date.parse(wireText(appointment['starts_at'])) + 3 * 3_600_000).toISOString();
    const dateTime = instant.replace('.000Z', '+03:00');
    mirrored.google.staff.calendar.edit({ calendarId, eventId, patch: { start: { dateTime } } });
    expect(mirrored.differences()).toEqual([]);
  });
});
