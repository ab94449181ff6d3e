import { describe, expect, test } from 'vitest';
import { compileEvent } from '../../src/calendar/wanted.ts';
import type { EventTemplate } from '../../src/engine/mirror.ts';
import { appointment, directory, mirror } from './stand.ts';

function wanted(event: Partial<EventTemplate>, change: Record<string, unknown> = {}) {
  return compileEvent({ ...mirror, event: { ...mirror.event, ...event } })(appointment(change), directory);
}

describe('times', () => {
  test('are written as instants, so that the doubled hour of autumn is no riddle (case 44)', () => {
    const first = wanted({}, { starts_at: '2026-10-25T00:30:00Z', ends_at: '2026-10-25T01:30:00Z' }).body;
    const second = wanted({}, { starts_at: '2026-10-25T01:30:00Z', ends_at: '2026-10-25T02:30:00Z' }).body;
    expect(first.start).toEqual({ dateTime: '2026-10-25T00:30:00Z', timeZone: 'Europe/Berlin' });
    expect(second.start).toEqual({ dateTime: '2026-10-25T01:30:00Z', timeZone: 'Europe/Berlin' });
  });

  test('in templates are local to the branch, with the offset of that day (case 44)', () => {
    const title = "{{ starts_at | date: '%H:%M' }}-{{ ends_at | date: '%H:%M %z' }}";
    const winter = { starts_at: '2026-10-24T23:30:00Z', ends_at: '2026-10-25T01:30:00Z' };
    expect(wanted({ title }, winter).body.summary).toBe('01:30-02:30 +0100');
  });

  test('come with any offset and mean the same instant', () => {
    const utc = wanted({ title: 'x' }, { starts_at: '2026-11-03T09:00:00Z' });
    const offset = wanted({ title: 'x' }, { starts_at: '2026-11-03T12:00:00.000000+03:00' });
    expect(offset.hash).toBe(utc.hash);
  });

  test('stand in the zone of the branch when the appointment names none', () => {
    expect(wanted({}, { timezone: null }).body.start.timeZone).toBe('Europe/Berlin');
    expect(wanted({}, { timezone: null, branch_id: 'b-unknown' }).body.start.timeZone).toBe('UTC');
  });
});

describe('texts', () => {
  test('that are longer than Google takes are cut, between characters', () => {
    const { body } = wanted(
      { title: '{{ comment }}', description: '{{ comment }}' },
      { comment: '😀'.repeat(6_000) },
    );
    expect(body.summary.length).toBeLessThanOrEqual(1_024);
    expect(body.summary).toMatch(/^(😀)+…$/u);
    expect(body.description?.length).toBeLessThanOrEqual(8_192);
  });

  test('of a title stand on one line', () => {
    expect(wanted({ title: '{{ comment }}' }, { comment: 'a\n  b\t' }).body.summary).toBe('a b');
  });

  test('of fields that the platform leaves null are empty, and never the word null', () => {
    const change = { customer_name: null, customer_phone: null, service_name: null };
    const { body } = wanted({}, change);
    expect(body.summary).toBe(',');
    expect(body.description).toBe('');
  });

  test('of fields without a template are not owned at all', () => {
    const { body } = wanted({ description: undefined });
    expect(body).not.toHaveProperty('description');
    expect(body).not.toHaveProperty('location');
  });
});

test('the hash changes with every owned field and with nothing else', () => {
  const base = wanted({}).hash;
  expect(wanted({}, { updated_at: '2026-12-01T00:00:00Z', price_amount: 100 }).hash).toBe(base);
  const changes = [
    { starts_at: '2026-11-03T09:01:00Z' },
    { ends_at: '2026-11-03T10:01:00Z' },
    { timezone: 'Europe/Paris' },
    { status: 'pending' },
    { status: 'no_show' },
    { customer_name: 'Other' },
    { comment: 'Other' },
  ];
  const hashes = new Set([base, ...changes.map((change) => wanted({}, change).hash)]);
  expect(hashes.size).toBe(changes.length + 1);
});
