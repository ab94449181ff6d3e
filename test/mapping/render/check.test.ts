import { describe, expect, test } from 'vitest';
import { checkTemplate } from '../../../src/mapping/render-check.ts';
import {
  appointmentContext,
  compileTemplate,
  contactContext,
  sheetContext,
} from '../../../src/mapping/template.ts';
import { TEMPLATE_NAMES } from '../../../src/mapping/template-names.ts';
import { appointment, directory } from '../../calendar/stand.ts';

describe('a template is told to be wrong, with its place, when', () => {
  test.each([
    ['{{ a | ', { line: 1, column: 1 }, /not closed/],
    ['hello\n  {% if a %}x', { line: 2, column: 3 }, /not closed/],
    ['{{ a | nofilter }}', { line: 1, column: 1 }, /undefined filter: nofilter/],
    ['{% foo %}', { line: 1, column: 1 }, /tag "foo" not found/],
    ["a\n{% include 'x' %}", { line: 2, column: 1 }, /include/],
    ["on {{ 'now' | date: '%H' }}", { line: 1, column: 7 }, /same text every time/],
    [
      "{{ a }} {{ b | date: '%H, %M', 'Mars/Olympus' }}",
      { line: 1, column: 14 },
      /'Mars\/Olympus' is not a known/,
    ],
    ['{{ b | date: form, "Europe/Berln" }}', { line: 1, column: 6 }, /'Europe\/Berln' is not a known/],
    ['x'.repeat(20_001), { line: undefined, column: undefined }, /limit/],
  ])('it is %j', (source, { line, column }, message) => {
    const problem = checkTemplate(source);
    expect(problem?.message).toMatch(message);
    expect(problem?.message).not.toMatch(/line:\d/);
    expect([problem?.line, problem?.column]).toEqual([line, column]);
  });

  test('it names a field that objects of the kind do not have', () => {
    expect(checkTemplate('{{ id }} {{ custommer_name }}', 'appointment')).toEqual({
      message: "no appointment has a field 'custommer_name'; did you mean 'customer_name'?",
      line: 1,
      column: 13,
    });
    expect(checkTemplate('{{ name }}', 'appointment')?.message).toMatch(
      /no appointment has a field 'name'.*_name/,
    );
    expect(checkTemplate('{% if starts_at %}x{% endif %}', 'contact')?.message).toMatch(
      /no contact has a field/,
    );
  });
});

test.each([
  "{% assign n = 'now' %}{{ n | date: '%s%L' }}",
  "{{ 'today' | date_to_xmlschema }}",
  "{{ a | date: '%s%L' }}",
])('a template has no clock, whatever way it asks for one: %s', (source) => {
  // The word itself, as for any text that is no date.
  expect(compileTemplate(source).text({ a: 'now' })).toMatch(/^(now|today)$/);
});

test('fields, nested ones, variables of the template itself and loops are right', () => {
  const source =
    "{% assign n = customer_name | default: 'x' %}{{ n }}{{ metadata.vip }}{% for r in resource_names %}{{ r }}{{ forloop.index }}{% endfor %}";
  expect(checkTemplate(source, 'appointment')).toBeUndefined();
  expect(checkTemplate('plain text', 'contact')).toBeUndefined();
  expect(checkTemplate("{{ starts_at | date: '%H', 'asia/calcutta' }}", 'appointment')).toBeUndefined();
  expect(checkTemplate('{{ anything }}')).toBeUndefined();
});

test('every name that a context gives may be used', () => {
  const given = Object.keys(appointmentContext(appointment(), directory));
  expect(given.filter((name) => !TEMPLATE_NAMES.appointment.includes(name))).toEqual([]);
  const contact = Object.keys(contactContext({ id: '1', name: 'N', created_at: '2026-01-01T00:00:00Z' }));
  expect(contact.filter((name) => !TEMPLATE_NAMES.contact.includes(name))).toEqual([]);
  const around = { directory, timezone: undefined, deleted: false };
  const message = Object.keys(sheetContext('message', { id: '1', text: 'T', attachments: [] }, around));
  expect(message.filter((name) => !TEMPLATE_NAMES.message.includes(name))).toEqual([]);
});

describe('an appointment in a template', () => {
  test('has names beside ids, a price in major units, and local times', () => {
    const context = appointmentContext(
      appointment({ resource_ids: ['r-anna', 'r-gone', 'r-room'], price_amount: 150_050 }),
      directory,
    );
    expect(context).toMatchObject({
      resource_name: 'Anna Petrova',
      resource_names: ['Anna Petrova', 'Room 1'],
      branch_name: 'Centre',
      branch_address: null,
      price: 1500.5,
      price_amount: 150_050,
      deleted: false,
      starts_at: '2026-11-03T10:00:00+01:00',
    });
  });

  test('has its times in another zone when one is asked for', () => {
    expect(appointmentContext(appointment(), directory, 'Asia/Tokyo')['starts_at']).toBe(
      '2026-11-03T18:00:00+09:00',
    );
  });

  test('has the same moment in each zone, however often and in whatever order it is asked for', () => {
    const zones = {
      'Asia/Tokyo': '18:00:00+09:00',
      'Europe/Berlin': '10:00:00+01:00',
      'No/Zone': '09:00:00Z',
    };
    for (let round = 0; round < 2; round += 1)
      for (const [zone, time] of Object.entries(zones)) {
        const local = appointmentContext(appointment(), directory, zone)['starts_at'];
        expect([zone, local]).toEqual([zone, `2026-11-03T${time}`]);
      }
    // More moments than are remembered.
    for (let second = 0; second < 6_000; second += 1) {
      const at = new Date(Date.parse('2026-11-03T09:00:00Z') + second * 1_000).toISOString();
      contactContext({ id: '1', created_at: at }, 'Asia/Tokyo');
    }
    expect(appointmentContext(appointment(), directory, 'Asia/Tokyo')['starts_at']).toBe(
      '2026-11-03T18:00:00+09:00',
    );
  });

  test('has no price when it has none, and a time that is none stays as it came', () => {
    const context = appointmentContext(
      appointment({ price_amount: null, updated_at: null, created_at: 'yesterday' }),
      directory,
    );
    expect(context).toMatchObject({ price: null, updated_at: null, created_at: 'yesterday' });
  });
});

test('a contact in a template has its times in UTC unless told otherwise', () => {
  const contact = { id: '1', created_at: '2026-01-01T12:00:00.123456Z' };
  expect(contactContext(contact)).toMatchObject({ created_at: '2026-01-01T12:00:00Z', deleted: false });
  expect(contactContext(contact, 'Europe/Moscow', true)).toMatchObject({
    created_at: '2026-01-01T15:00:00+03:00',
    deleted: true,
  });
});

test('a lead in a template has the times of its call in the zone of the sheet, and no call while there was none', () => {
  const around = { directory, timezone: 'Europe/Moscow', deleted: false };
  const call = { started_at: '2026-01-01T12:00:00.5Z', ended_at: null, ai_outcome: 'booked' };
  const lead = { id: '1', handled_at: '2026-01-01T13:00:00Z', call };
  expect(sheetContext('lead', lead, around)).toMatchObject({
    handled_at: '2026-01-01T16:00:00+03:00',
    call: { started_at: '2026-01-01T15:00:00+03:00', ended_at: null, ai_outcome: 'booked' },
  });
  expect(sheetContext('lead', { id: '1', call: null }, around)).toMatchObject({ call: null });
});

test('a message in a template has the number of its files, never their links', () => {
  const around = { directory, timezone: undefined, deleted: false };
  const context = sheetContext(
    'message',
    { id: '1', attachments: [{ url: 'https://files.example/1' }, { url: null }] },
    around,
  );
  expect(context['attachment_count']).toBe(2);
  expect(JSON.stringify(context)).not.toContain('https');
  expect(checkTemplate('{{ attachments[0].url }}', 'message')?.message).toContain(
    "no message has a field 'attachments'",
  );
});

describe('a condition is told to be wrong when', () => {
  test.each([
    ['guests_count >', /ends before/],
    ['guests_count = 2', /expected "\|" before filter/],
    ['(guests_count == 2)', /range/],
    ['guests_count == 2 status', /side by side/],
    ['guests_count is 2', /no appointment has a field 'is'/],
    ['== 3', /nothing to compare/],
    ['status == "confirmed', /not closed/],
    ['status == "a" and source == "b" or price > 3', /right to left/],
    ['true %}{% if true', /stands alone|not closed/],
    ['{{ status }}', /stands alone|invalid|unexpected/i],
    ['custommer_name contains "A"', /did you mean 'customer_name'/],
    ['comment | nofilter', /undefined filter/],
  ])('it is %j', (source, message) => {
    expect(checkTemplate(source, 'appointment', 'condition')?.message).toMatch(message);
  });

  test('its place is counted within the condition', () => {
    expect(checkTemplate('status == custommer_name', 'appointment', 'condition')).toMatchObject({
      line: 1,
      column: 11,
    });
  });
});

test.each([
  'guests_count > 2',
  'metadata.vip',
  'not metadata.vip',
  'metadata["two words"] == nil',
  'comment contains "VIP" and guests_count >= 2',
  "source == 'api' or source == 'page'",
  'resource_names.size > 1',
])('the condition %s is right', (source) => {
  expect(checkTemplate(source, 'appointment', 'condition')).toBeUndefined();
});
