import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileEvent, guestMarks, guestMarksIn, guestText } from '../../src/calendar/wanted.ts';
import type { GuestList } from '../../src/engine/class-slot.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import { appointment, directory, mirror } from './stand.ts';

const more = (people: number) => `and ${people} more`;
const listOf = (people: readonly number[], text = (at: number) => `Guest ${at}`): GuestList => ({
  lines: people.map((each, at) => ({ id: `id-${at}`, text: text(at), people: each })),
  people: people.reduce((sum, each) => sum + each, 0),
});

describe('the guest list', () => {
  test('names all for whom there is room, and counts the rest', () => {
    const list = listOf([1, 2, 1]);
    expect(guestText(list, { charsMax: 100, more }).text).toBe('Guest 0\nGuest 1\nGuest 2');
    expect(guestText(list, { charsMax: 22, more })).toEqual({ text: 'Guest 0\nand 3 more', ids: ['id-0'] });
    // Somebody who may not be named is counted, too.
    expect(guestText({ ...list, people: 5 }, { charsMax: 100, more }).text).toBe(
      'Guest 0\nGuest 1\nGuest 2\nand 1 more',
    );
    expect(guestText(list, { charsMax: 12, more })).toEqual({ text: '', ids: [] });
  });

  test('is never longer than its room, counts everybody once, and bears a mark for each whom it names', () => {
    const guest = fc.record({
      text: fc.string({ minLength: 1, maxLength: 300 }).map((text) => text.replaceAll('\n', ' ')),
      people: fc.integer({ min: 1, max: 9 }),
      id: fc.string({ minLength: 1, maxLength: 128 }).map((text) => text.replaceAll(/\s/g, '-')),
    });
    const about = fc.tuple(
      fc.array(guest, { maxLength: 500 }),
      fc.nat({ max: 9 }),
      fc.integer({ min: 0, max: 8_192 }),
    );
    fc.assert(
      fc.property(about, ([lines, unnamed, charsMax]) => {
        const people = lines.reduce((sum, each) => sum + each.people, unnamed);
        const { text, ids } = guestText({ lines, people }, { charsMax, more });
        expect(text.length).toBeLessThanOrEqual(charsMax);
        expect(ids).toEqual(lines.slice(0, ids.length).map(({ id }) => id));
        const rest = lines.slice(0, ids.length).reduce((left, each) => left - each.people, people);
        const shown = lines.slice(0, ids.length).map((each) => each.text);
        const expected = ids.length > 0 && rest > 0 ? [...shown, more(rest)] : shown;
        expect(text).toBe(expected.join('\n'));
        const marks = Object.values(guestMarks(ids));
        expect(marks.join(' ')).toBe(ids.join(' '));
        expect(marks.every((mark) => mark.length <= 1_000)).toBe(true);
        expect(marks.length).toBeLessThanOrEqual(16);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the event of a class', () => {
  const id = `c${'0'.repeat(32)}`;
  const event = (calendarId: string, guests: GuestList, description?: string) =>
    compileEvent(
      {
        ...mirror,
        calendars: [
          { resource: 'Anna Petrova', calendarId: 'open' },
          { resource: 'Boris', calendarId: 'busy', busyTitle: 'Busy' },
        ],
        event: { ...mirror.event, title: 'Yoga', description },
      },
      more,
    )(appointment({ id, guests }), directory, { calendarId, note: 'Full.' }).body;

  test('names its guests between the description of the mapping and what has to be told', () => {
    const { description, extendedProperties } = event('open', listOf([1, 1]), 'Bring a mat.');
    expect(description).toBe('Bring a mat.\n\nGuest 0\nGuest 1\n\n──────────\nFull.');
    expect(Object.values(extendedProperties.private)).toContain('id-0 id-1');
    expect(guestMarksIn({ extendedProperties })).toHaveLength(1);
  });

  test('is cut at what Google takes, and says how many are not named', () => {
    const { description = '' } = event(
      'open',
      listOf(Array(400).fill(1), () => 'n'.repeat(100)),
    );
    expect(description.length).toBeLessThanOrEqual(8_192);
    expect(description.length).toBeGreaterThan(8_000);
    const [, lines = '', rest] = /^(.*)\nand (\d+) more\n\n──────────\nFull\.$/s.exec(description) ?? [];
    expect(lines.split('\n').length + Number(rest)).toBe(400);
  });

  test('names nobody where a calendar shows no more than that the time is taken', () => {
    const body = event('busy', listOf([1, 1]));
    expect(JSON.stringify(body)).not.toMatch(/Guest|id-0|guests/);
  });

  test('an appointment never has any, whatever a field of it is called', () => {
    const render = compileEvent({ ...mirror, event: { ...mirror.event, description: 'x' } }, more);
    const { body } = render(appointment({ guests: listOf([1]) }), directory, {});
    expect(body.description).toBe('x');
    expect(eventIdOf(id)).toMatch(/^sc/);
  });
});
