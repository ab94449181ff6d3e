import { describe, expect, test } from 'vitest';
import { type Language, refusalText, WORDS } from '../../../src/engine/booking-answer.ts';
import { BEHAVIOURS } from '../../../src/engine/carry-write.ts';

const LANGUAGES: Language[] = ['en', 'ru'];
const SLOTS = [
  { startsAt: '2026-03-03T07:00:00.000Z', endsAt: '2026-03-03T08:00:00.000Z', resourceId: 'anna' },
  { startsAt: '2026-03-29T01:30:00.000Z', endsAt: '2026-03-29T02:30:00.000Z', resourceId: 'boris' },
];
const resourceName = (id: string) => (id === 'anna' ? 'Anna Petrova' : undefined);

describe.each(LANGUAGES)('in %s', (language) => {
  const codes = Object.entries(BEHAVIOURS).flatMap(([code, behaviour]) =>
    behaviour === 'other-key' ? [] : [code],
  );

  test.each(codes)('%s has a sentence of its own, in plain words', (code) => {
    const text = refusalText({ code, slots: [] }, { language, zone: 'UTC' });
    expect(text).toMatch(/^\p{Lu}.{10,}\.$/u);
    expect(text).not.toContain(code);
    expect(text).not.toMatch(/\d|_|API|JSON/);
    expect(text).not.toBe(WORDS[language].refusals.unknown);
  });

  test('a code that nobody has heard of is told without the code', () => {
    for (const code of ['deposit-required', 'toString']) {
      expect(refusalText({ code, slots: [] }, { language, zone: 'UTC' })).toBe(
        WORDS[language].refusals.unknown,
      );
    }
  });
});

test('no two refusals are told with the same words', () => {
  for (const language of LANGUAGES) {
    const said = Object.values(WORDS[language].refusals);
    expect(new Set(said).size).toBe(said.length);
  }
});

test('free times are told in the zone of the branch, with the name of the resource where there is one', () => {
  const refusal = { code: 'slot-unavailable', slots: SLOTS, zone: 'Europe/Moscow' };
  expect(refusalText(refusal, { language: 'en', zone: 'UTC', resourceName })).toBe(
    [
      'Not possible: this time is already taken.',
      'Nearest free times:',
      '– Tue, 3 March 2026, 10:00, Anna Petrova',
      '– Sun, 29 March 2026, 04:30',
    ].join('\n'),
  );
  expect(refusalText(refusal, { language: 'ru', zone: 'UTC', resourceName })).toBe(
    [
      'Не получилось: это время уже занято.',
      'Ближайшее свободное время:',
      '– вт, 3 марта 2026, 10:00, Anna Petrova',
      '– вс, 29 марта 2026, 04:30',
    ].join('\n'),
  );
});

test('across the change of clocks the hour is the one on the wall (case 44)', () => {
  const refusal = { code: 'slot-unavailable', slots: SLOTS, zone: 'Europe/Berlin' };
  expect(refusalText(refusal, { language: 'en', zone: 'UTC' })).toContain('Sun, 29 March 2026, 03:30');
});

test('fields are named for people, and what is not known is shown as it is', () => {
  const refusal = {
    code: 'validation',
    slots: [],
    fields: ['phone', 'customer_phone', 'starts_at', 'branch_id'],
  };
  expect(refusalText(refusal, { language: 'ru', zone: 'UTC' })).toBe(
    'Не принято: проверьте введённые данные.\nПроверьте: телефон, начало, branch_id.',
  );
});
