import { describe, expect, it } from 'vitest';
import { badPlaceholder, Calendar, isMoment } from '../../scenarios/moments.ts';

/** A Friday, an hour and a half before midnight in Berlin; on Sunday the clocks go forward there. */
const FRIDAY = Date.parse('2026-03-27T21:30:00Z');
const berlin = new Calendar('Europe/Berlin', FRIDAY);

describe('a time of a scenario, in the zone of its company', () => {
  it.each([
    ['today 23:00', '2026-03-27T22:00:00.000Z'],
    ['yesterday 9:05', '2026-03-26T08:05:00.000Z'],
    ['tomorrow 10:00', '2026-03-28T09:00:00.000Z'],
    ['in 2 days 10:00', '2026-03-29T08:00:00.000Z'],
    ['3 days ago 10:00', '2026-03-24T09:00:00.000Z'],
    ['next monday 10:00', '2026-03-30T08:00:00.000Z'],
    ['next friday 10:00', '2026-04-03T08:00:00.000Z'],
  ])('%s', (written, instant) => {
    expect(isMoment(written)).toBe(true);
    expect(berlin.at(written)).toBe(instant);
  });

  it.each([
    '10:00',
    'tomorrow',
    'tomorrow 24:00',
    'tomorrow 10:60',
    'monday 10:00',
    'in 2 weeks 10:00',
    '2026-03-30 10:00',
  ])('%s is none', (written) => {
    expect(isMoment(written)).toBe(false);
  });

  it('stands in texts, with its format', () => {
    expect(berlin.fill('From {tomorrow 10:00 | dd.MM.yyyy HH:mm} on, {b}')).toBe(
      'From 28.03.2026 10:00 on, {b}',
    );
    expect(badPlaceholder('{tomorrow 10:00 | HH:mm}, {soon | HH:mm}')).toBe('{soon | HH:mm}');
    expect(badPlaceholder('{ a: 1 }')).toBeUndefined();
  });

  it('is told in the words of the scenario, across the change of clocks', () => {
    expect(berlin.say('2026-03-28T09:00:00.000Z')).toBe('tomorrow 10:00 (2026-03-28)');
    expect(berlin.say('2026-03-30T08:00:00.000Z')).toBe('in 3 days 10:00 (2026-03-30)');
    expect(berlin.say('2026-03-24T09:00:00.000Z')).toBe('3 days ago 10:00 (2026-03-24)');
  });
});

describe('what happened, written into a scenario,', () => {
  const weekly = new Calendar(
    'Europe/Berlin',
    FRIDAY,
    'at: next monday 10:00, Date: "{today 10:00 | d.M.yy}"',
  );

  it.each(['today 23:00', 'tomorrow 10:00', 'in 2 days 10:00', '3 days ago 10:00'])(
    '%s is the time that it means',
    (written) => {
      expect(berlin.write(berlin.at(written))).toBe(written);
    },
  );

  it('is told by weekdays where the scenario counts by that weekday', () => {
    expect(weekly.write(weekly.at('in 3 days 10:00'))).toBe('next monday 10:00');
    expect(berlin.write(berlin.at('in 3 days 10:00'))).toBe('in 3 days 10:00');
  });

  it('is no time when it is a date or has seconds', () => {
    expect(berlin.write('2026-03-28')).toBeUndefined();
    expect(berlin.write('2026-03-28T09:00:01.000Z')).toBeUndefined();
  });

  it('keeps no date of the day of the run in a text', () => {
    const text = 'On 2026-03-28, 28.03.2026 and 30.3.26 at 10:00, call 2026-99-99';
    expect(weekly.unfill(text)).toBe(
      'On {tomorrow 12:00 | yyyy-MM-dd}, {tomorrow 12:00 | dd.MM.yyyy} and {next monday 12:00 | d.M.yy} at 10:00, call 2026-99-99',
    );
    expect(weekly.fill(weekly.unfill(text))).toBe(text);
  });
});
