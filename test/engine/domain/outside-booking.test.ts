import { describe, expect, test } from 'vitest';
import { takesEvent } from '../../../src/engine/event-rule.ts';
import { withAnswer, withoutAnswer } from '../../../src/engine/event-texts.ts';
import { bookingIdOf, calendarOrigin, eventOfOrigin, rowOrigin } from '../../../src/engine/ids.ts';

describe('a rule takes an event', () => {
  test.each([
    ['#book *', '#BOOK Vera', true],
    ['#book *', 'please #book Vera', false],
    ['*haircut*', 'Second haircut today', true],
    ['a*a', 'a', false],
    ['lunch', ' Lunch ', true],
    ['(a+)+*', '(a+)+ and more', true],
  ])('title %o and %o: %s', (title, seen, expected) => {
    expect(takesEvent({ title }, { title: seen })).toBe(expected);
  });

  test('by who made it, who is invited, and what another tool has set; all lines have to take it', () => {
    const event = {
      title: 'x',
      creator: 'Anna@clinic.example',
      attendees: ['desk@clinic.example'],
      properties: { source: 'website-2' },
    };
    expect(takesEvent({ creators: ['anna@clinic.example'] }, event)).toBe(true);
    expect(takesEvent({ attendees: ['other@clinic.example'] }, event)).toBe(false);
    expect(takesEvent({ properties: { source: 'website*' } }, event)).toBe(true);
    expect(takesEvent({ properties: { source: 'website*' }, title: 'y' }, event)).toBe(false);
    expect(takesEvent({ properties: { missing: '*' } }, event)).toBe(false);
  });
});

describe('an origin', () => {
  const origin = calendarOrigin('anna@clinic.example', 'abc123');

  test('names its event in its calendar only, whatever the case of the address', () => {
    expect(eventOfOrigin(origin, 'Anna@clinic.example')).toBe('abc123');
    expect(eventOfOrigin(origin, 'boris@clinic.example')).toBeUndefined();
    expect(eventOfOrigin(rowOrigin('r1'), 'anna@clinic.example')).toBeUndefined();
    expect(eventOfOrigin(null, 'anna@clinic.example')).toBeUndefined();
  });

  test('holds no address', () => {
    expect(origin).not.toContain('anna');
    expect(bookingIdOf(origin)).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('an answer in a description', () => {
  test('stands below what people wrote, replaces the older one, and goes away without a trace', () => {
    const first = withAnswer('Vera\n+7', 'taken');
    expect(withoutAnswer(first)).toBe('Vera\n+7');
    expect(withAnswer(first, 'closed')).toBe(withAnswer('Vera\n+7', 'closed'));
    expect(withAnswer(first, '')).toBe('Vera\n+7');
  });

  test('leaves what people typed below it, by hand or by Google’s form, also where they cut its end off', () => {
    const said = withAnswer('Vera', 'taken\n– 10:00');
    expect(withoutAnswer(`${said}\n+7`)).toBe('Vera\n+7');
    expect(withoutAnswer(`${said.replaceAll('\n', '<br>')}<br><br>+7`)).toBe('Vera\n+7');
    expect(withoutAnswer('Vera\n\n────── slotbridge ──────\ntaken\n– 10:00\n\n+7')).toBe('Vera\n+7');
    expect(withoutAnswer('Vera\n\n────── slotbridge ──────\ntaken\n– 10:00')).toBe('Vera');
    expect(withoutAnswer('Vera<BR><BR>────── slotbridge ──────<BR>taken<BR>– 10:00<BR><BR>+7')).toBe(
      'Vera\n+7',
    );
    expect(withAnswer(`${said}\n+7`, '')).toBe('Vera\n+7');
  });

  test('of an event without one is all of it', () => {
    expect(withoutAnswer(withAnswer('', 'taken'))).toBe('');
    expect(withAnswer('', '')).toBe('');
  });
});
