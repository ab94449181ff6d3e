import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { icalendar } from '../../../src/calendar/feed-handler.ts';
import type { KeptFeedEvent } from '../../../src/engine/feed.ts';
import { readICalendar, readInstant, readText } from './read-icalendar.ts';

const EVENT: KeptFeedEvent = {
  id: '0d3b2f6a-91c4-4f0e-8a55-6f1f7f6f2b10',
  startsAt: '2026-11-03T09:00:00Z',
  endsAt: '2026-11-03T10:00:00Z',
  isTentative: false,
  title: 'Haircut, Nina; Weber \\ Co',
  description: 'first line\nsecond line',
  location: 'Centre',
  sequence: 7,
  stampMs: Date.parse('2026-11-02T08:00:00Z'),
};

function read(...events: KeptFeedEvent[]) {
  const calendar = readICalendar(Buffer.from(icalendar('anna', events)));
  expect(calendar.name).toBe('VCALENDAR');
  return calendar.components.map(({ name, properties }) => {
    const value = (property: string) => properties.get(property)?.value;
    const textOf = (property: string) => {
      const found = value(property);
      return found === undefined ? undefined : readText(found);
    };
    return {
      name,
      uid: value('UID'),
      start: readInstant(value('DTSTART') ?? ''),
      end: readInstant(value('DTEND') ?? ''),
      stamp: readInstant(value('DTSTAMP') ?? ''),
      sequence: Number(value('SEQUENCE')),
      status: value('STATUS'),
      title: textOf('SUMMARY'),
      description: textOf('DESCRIPTION'),
      location: textOf('LOCATION'),
    };
  });
}

test('an event says what it should, to a reader that knows nothing of the writer', () => {
  expect(read(EVENT)).toEqual([
    {
      name: 'VEVENT',
      uid: '0d3b2f6a-91c4-4f0e-8a55-6f1f7f6f2b10@slotbridge',
      start: '2026-11-03T09:00:00Z',
      end: '2026-11-03T10:00:00Z',
      stamp: '2026-11-02T08:00:00Z',
      sequence: 7,
      status: 'CONFIRMED',
      title: 'Haircut, Nina; Weber \\ Co',
      description: 'first line\nsecond line',
      location: 'Centre',
    },
  ]);
});

test('the required properties of the calendar are there, and no METHOD, which would need an ORGANIZER', () => {
  const { properties } = readICalendar(Buffer.from(icalendar('anna', [EVENT])));
  expect(properties.get('VERSION')?.value).toBe('2.0');
  expect(properties.get('PRODID')?.value).not.toBe('');
  expect(properties.has('METHOD')).toBe(false);
});

test('a feed without appointments has one entry, in the past and occupying no time: some programs refuse an empty file', () => {
  expect(read()).toMatchObject([{ name: 'VEVENT', title: 'anna', start: '2000-01-01T00:00:00Z' }]);
  expect(icalendar('anna', [])).toContain('TRANSP:TRANSPARENT');
  expect(icalendar('anna', [])).toBe(icalendar('anna', []));
  expect(read(EVENT)).toHaveLength(1);
});

test('a text that is empty, or only invisible, has no property', () => {
  const empty = { ...EVENT, title: '', description: ' \n\u2028', location: '\u0000' };
  expect(read(empty)).toMatchObject([{ title: undefined, description: undefined, location: undefined }]);
  expect(icalendar('', [empty])).not.toMatch(/:\s*\r\n(?! )/);
});

test('a place on the waiting list is tentative; what the mapping does not name is not there', () => {
  const { description: _, location: __, ...bare } = EVENT;
  expect(read({ ...bare, isTentative: true })).toMatchObject([
    { status: 'TENTATIVE', description: undefined, location: undefined },
  ]);
});

test('the same events give the same bytes, whatever their order', () => {
  const later = { ...EVENT, id: 'b', startsAt: '2026-11-04T09:00:00Z' };
  const twin = { ...EVENT, id: 'a' };
  const file = icalendar('anna', [EVENT, later, twin]);
  expect(icalendar('anna', [twin, EVENT, later])).toBe(file);
});

/** Every control character and every line or paragraph separator of Unicode, in hexadecimal. */
const BREAKERS = [...Array(0xa0).keys(), 0x2028, 0x2029]
  .filter((code) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(String.fromCodePoint(code)))
  .map((code) => code.toString(16).padStart(4, '0'));

describe('whatever people type', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom(
        '\r',
        '\n',
        '\t',
        ' ',
        ';',
        ',',
        '\\',
        ':',
        '"',
        '😀',
        'ж',
        '\u0000',
        '\u2028',
        '\u0085',
      ),
      maxLength: 300,
    }),
  );
  test('is read back as typed, with plain line breaks and without controls, in lines of 75 octets and whole characters', () => {
    fc.assert(
      fc.property(text, text, (title, description) => {
        const shown = (typed: string) =>
          Buffer.from(
            typed.replaceAll(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n').replaceAll(/[^\P{Cc}\n]/gu, ' '),
          ).toString();
        const orAbsent = (typed: string) => (shown(typed).trim() === '' ? undefined : shown(typed));
        expect(read({ ...EVENT, title, description })).toMatchObject([
          { title: orAbsent(title), description: orAbsent(description) },
        ]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(BREAKERS)('P9: is split by no reader at U+%s, in any property', (code) => {
    const text = `a${String.fromCodePoint(Number.parseInt(code, 16))}b`;
    const event = { ...EVENT, id: text, title: text, description: text, location: text };
    const file = icalendar(text, [event]);
    expect(file.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    const properties = file.replaceAll('\r\n ', '').split('\r\n');
    const wordy = properties.filter((line) => /a(?: |\\n)b/.test(line));
    const names = wordy.map((line) => line.slice(0, line.indexOf(':')));
    expect(names).toEqual(['X-WR-CALNAME', 'UID', 'X-SLOTBRIDGE-ID', 'SUMMARY', 'DESCRIPTION', 'LOCATION']);
  });

  test('begins no property and no component of its own', () => {
    const title = 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nATTACH:http://evil.example';
    expect(read({ ...EVENT, title })).toHaveLength(1);
  });
});
