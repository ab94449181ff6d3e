import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { linkTo } from '../../src/engine/link.ts';
import type { AppointmentFilter } from '../../src/engine/mirror.ts';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { ANNA, APPOINTMENT_ID, appointment, EVENT, mirror, openStand, type Stand } from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

const through = (where: Partial<AppointmentFilter>) =>
  stand.targetOf({ ...mirror, where: { ...mirror.where, ...where } });
const links = () => stand.links.calendars(APPOINTMENT_ID, mirror.name);

describe('an appointment that stops matching a content line', () => {
  const BIG = { guests: { min: 2 } };

  test('leaves its calendar', async () => {
    await stand.mirror(appointment({ guests_count: 2 }), through(BIG));
    expect(await stand.mirror(appointment({ guests_count: 1 }), through(BIG))).toBe('removed');
    expect(stand.google.truth.events(ANNA)).toEqual([]);
    expect(links()).toEqual([]);
  });

  test('comes back when it matches again', async () => {
    await stand.mirror(appointment({ guests_count: 2 }), through(BIG));
    await stand.mirror(appointment({ guests_count: 1 }), through(BIG));
    await stand.mirror(appointment({ guests_count: 3 }), through(BIG));
    expect(stand.titles(ANNA)).toEqual(['Haircut, Nina Weber']);
  });

  test('that people booked by keeps its event', async () => {
    await stand.mirror(appointment({ guests_count: 2 }), through(BIG));
    const [link] = links();
    if (link === undefined) throw new Error('no link');
    const { event } = link;
    const at = { calendarId: link.calendarId, eventId: 'people' };
    const calendars = [linkTo(at, { etag: event.etag, hour: event.hour })];
    await stand.links.write(stand.claim(appointment()), mirror.name, { calendars });
    expect(await stand.mirror(appointment({ guests_count: 1 }), through(BIG))).toBe('nothing');
  });
});

describe('an edit of the YAML', () => {
  test('that refuses what is mirrored takes nothing away, nor does a later change of the appointment', async () => {
    await stand.mirror(appointment({ guests_count: 1 }));
    const edited = through({ guests: { min: 2 } });
    expect(await stand.mirror(appointment({ guests_count: 1 }), edited)).toBe('nothing');
    expect(await stand.mirror(appointment({ guests_count: 1, comment: 'late' }), edited)).toBe('nothing');
    expect(stand.titles(ANNA)).toEqual(['Haircut, Nina Weber']);
  });

  test('from one content line to another takes nothing away', async () => {
    await stand.mirror(appointment({ guests_count: 2 }), through({ guests: { min: 2 } }));
    expect(await stand.mirror(appointment({ guests_count: 2 }), through({ guests: { min: 3 } }))).toBe(
      'nothing',
    );
    expect(stand.titles(ANNA)).toEqual(['Haircut, Nina Weber']);
  });

  test('that still takes it is remembered without a call: what changes then leaves', async () => {
    await stand.mirror(appointment({ guests_count: 4 }), through({ guests: { min: 2 } }));
    const edited = through({ guests: { min: 3 } });
    const calls = stand.google.stats().calls;
    expect(await stand.mirror(appointment({ guests_count: 4 }), edited)).toBe('nothing');
    expect(stand.google.stats().calls).toBe(calls);
    expect(await stand.mirror(appointment({ guests_count: 1 }), edited)).toBe('removed');
  });
});

describe('what is not known', () => {
  test('takes nothing away, and the event is kept up to date', async () => {
    const target = through({ services: ['Haircut'] });
    await stand.mirror(appointment(), target);
    const unknown = appointment({ service_name: null, comment: 'changed' });
    expect(await stand.mirror(unknown, target)).toBe('updated');
    expect(stand.google.truth.event(ANNA, EVENT)?.['description']).toContain('changed');
  });

  test('brings nothing in', async () => {
    expect(await stand.mirror(appointment({ service_name: null }), through({ services: ['Haircut'] }))).toBe(
      'nothing',
    );
    expect(stand.google.truth.events(ANNA)).toEqual([]);
  });

  test('a branch that the platform does not list takes nothing away', async () => {
    await stand.mirror(appointment());
    expect(await stand.mirror(appointment({ comment: 'x' }), through({ branches: ['Renamed'] }))).toBe(
      'updated',
    );
  });

  test('a condition that cannot be read makes a dead letter, and takes nothing away', async () => {
    await stand.mirror(appointment());
    const note = 'x'.repeat(2_000_000);
    const target = through({ condition: compileCondition('comment | split: ""') });
    await expect(stand.mirror(appointment({ comment: note }), target)).rejects.toMatchObject({
      family: 'terminal',
      code: 'condition-failed',
    });
    expect(stand.titles(ANNA)).toEqual(['Haircut, Nina Weber']);
  });
});

test('a cancelled appointment goes whatever the lines say of it', async () => {
  const target = through({ resources: ['Anna Petrova'], services: ['Haircut'] });
  await stand.mirror(appointment(), target);
  const cancelled = appointment({ status: 'cancelled', resource_id: null, resource_ids: [] });
  expect(await stand.mirror(cancelled, target)).toBe('removed');
});
