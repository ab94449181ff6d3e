import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeptFeedEvent } from '../../../src/domain/feed.ts';
import { icalendar } from '../../../src/mirrors/feed/icalendar.ts';
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

test('the required properties of the calendar are there, also without an event', () => {
  const { properties, components } = readICalendar(Buffer.from(icalendar('anna', [])));
  expect(components).toEqual([]);
  expect(properties.get('VERSION')?.value).toBe('2.0');
  expect(properties.get('PRODID')?.value).not.toBe('');
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

describe('whatever people type', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom('\r', '\n', '\t', ' ', ';', ',', '\\', ':', '"', '😀', 'ж', '\u0000'),
      maxLength: 300,
    }),
  );
  test('is read back as typed, without controls, in lines of 75 octets and whole characters', () => {
    fc.assert(
      fc.property(text, text, (title, description) => {
        const shown = (typed: string) =>
          Buffer.from(typed.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '')).toString();
        expect(read({ ...EVENT, title, description })).toMatchObject([
          { title: shown(title), description: shown(description) },
        ]);
      }),
      { numRuns: 300 },
    );
  });

  test('begins no property and no component of its own', () => {
    const title = 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nATTACH:http://evil.example';
    expect(read({ ...EVENT, title })).toHaveLength(1);
  });
});
