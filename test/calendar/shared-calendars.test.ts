import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { doubted } from '../../src/engine/link.ts';
import type { CalendarMirror, EventTemplate } from '../../src/engine/mirror.ts';
import { ANNA, APPOINTMENT_ID, appointment, EVENT, mirror, openStand, ROOM, type Stand } from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

const event = (calendarId: string) => stand.google.truth.event(calendarId, EVENT);
const both = (change: Record<string, unknown> = {}) =>
  appointment({ resource_ids: ['r-anna', 'r-room'], comment: 'Allergic to <nuts>', ...change });

/** The room's calendar is open to everybody. */
const shared = (busyTitle = 'Busy'): CalendarMirror => ({
  ...mirror,
  event: { ...mirror.event, location: '{{ branch_name }}', link: 'https://app.example/{{ id }}' },
  calendars: mirror.calendars.map((each) => (each.calendarId === ROOM ? { ...each, busyTitle } : each)),
});

describe('a calendar that shows busy (case 26)', () => {
  test('holds nothing of the customer, while the others hold everything', async () => {
    expect(await stand.mirror(both({ status: 'no_show' }), stand.targetOf(shared()))).toBe('created');
    expect(event(ANNA)).toMatchObject({ summary: 'Haircut, Nina Weber', location: 'Centre', colorId: '11' });
    const room = event(ROOM);
    expect(room).toMatchObject({ summary: 'Busy' });
    for (const field of ['description', 'location', 'colorId', 'source'])
      expect(room).not.toHaveProperty(field);
    expect(JSON.stringify(room)).not.toMatch(/Nina|\+49|nuts|Centre|Haircut/);
  });

  test('loses what it showed before it was shared', async () => {
    await stand.mirror(both({ status: 'no_show' }));
    expect(event(ROOM)).toMatchObject({ summary: 'Haircut, Nina Weber', colorId: '11' });
    expect(await stand.mirror(both({ status: 'no_show' }), stand.targetOf(shared()))).toBe('updated');
    const room = event(ROOM);
    expect(room).toMatchObject({ summary: 'Busy' });
    for (const field of ['description', 'location', 'colorId']) expect(room).not.toHaveProperty(field);
  });

  test('has a title of its own, from the fields of the appointment', async () => {
    await stand.mirror(both(), stand.targetOf(shared('{{ service_name }}')));
    expect(event(ROOM)).toMatchObject({ summary: 'Haircut' });
  });

  test('is not written to when only the details change', async () => {
    const target = stand.targetOf(shared());
    await stand.mirror(both(), target);
    stand.google.resetCounts();
    expect(await stand.mirror(both({ comment: 'Other' }), target)).toBe('updated');
    expect(stand.calls()).toEqual({ 'events.patch': 1 });
    expect(await stand.mirror(both({ comment: 'Other' }), target)).toBe('nothing');
    expect(stand.calls()).toEqual({ 'events.patch': 1 });
  });
});

const through = (given: Partial<EventTemplate>) =>
  stand.targetOf({ ...mirror, event: { ...mirror.event, ...given } });

describe('who sees an event, and whether it takes time', () => {
  test('is people’s own choice where the mapping says nothing', async () => {
    await stand.mirror(appointment());
    const at = { calendarId: ANNA, eventId: EVENT };
    stand.staff.edit({ ...at, patch: { visibility: 'private', transparency: 'transparent' } });
    await stand.mirror(appointment({ comment: 'newer' }));
    expect(event(ANNA)).toMatchObject({ visibility: 'private', transparency: 'transparent' });
  });

  test('a private event is private, and back to the calendar’s own rule when the mapping says so', async () => {
    await stand.mirror(appointment(), through({ visibility: 'private' }));
    expect(event(ANNA)).toMatchObject({ visibility: 'private' });
    expect(await stand.mirror(appointment(), through({ visibility: 'default' }))).toBe('updated');
    expect(event(ANNA)?.['visibility'] ?? 'default').toBe('default');
  });

  test('a no-show frees its time, and takes it again when that was a mistake', async () => {
    const target = through({ busy: { no_show: false } });
    await stand.mirror(appointment(), target);
    expect(event(ANNA)?.['transparency'] ?? 'opaque').toBe('opaque');
    await stand.mirror(appointment({ status: 'no_show' }), target);
    expect(event(ANNA)).toMatchObject({ transparency: 'transparent' });
    await stand.mirror(appointment({ status: 'arrived' }), target);
    expect(event(ANNA)?.['transparency'] ?? 'opaque').toBe('opaque');
  });

  test('the next change of the appointment restores what somebody changed of it', async () => {
    const target = through({ busy: { no_show: false }, visibility: 'private' });
    await stand.mirror(appointment(), target);
    const at = { calendarId: ANNA, eventId: EVENT };
    stand.staff.edit({ ...at, patch: { visibility: 'public', transparency: 'transparent' } });
    await stand.mirror(appointment({ comment: 'newer' }), target);
    expect(event(ANNA)).toMatchObject({ visibility: 'private' });
    expect(event(ANNA)?.['transparency'] ?? 'opaque').toBe('opaque');
  });

  test.each([{ visibility: 'public' }, { transparency: 'transparent' }])(
    'it is put back when that is all that differs: %o',
    async (patch) => {
      const target = through({ busy: { no_show: false }, visibility: 'private' });
      await stand.mirror(appointment(), target);
      stand.staff.edit({ calendarId: ANNA, eventId: EVENT, patch });
      const inDoubt = stand.links
        .calendars(APPOINTMENT_ID, mirror.name)
        .map((link) => ({ ...link, event: doubted(link.event) }));
      await stand.links.write(stand.claim(appointment()), mirror.name, { calendars: inDoubt });
      await stand.mirror(appointment(), target);
      expect(event(ANNA)).toMatchObject({ visibility: 'private' });
      expect(event(ANNA)?.['transparency'] ?? 'opaque').toBe('opaque');
    },
  );
});
