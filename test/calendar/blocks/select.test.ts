import { describe, expect, it } from 'vitest';
import { busySpans } from '../../../src/calendar/block-poll.ts';
import type { BusyEvent, BusyRule } from '../../../src/engine/block.ts';
import { eventIdOf } from '../../../src/engine/ids.ts';

const ZONE = 'Europe/Berlin';
const RULE: BusyRule = {
  free: false,
  declined: false,
  tentative: true,
  unanswered: false,
  allDay: true,
  outOfOffice: true,
  shortestMs: 0,
  paddingMs: 0,
};

function event(about: Partial<BusyEvent> = {}): BusyEvent {
  return {
    id: 'private1',
    start: { dateTime: '2026-03-03T10:00:00+01:00' },
    end: { dateTime: '2026-03-03T11:00:00+01:00' },
    type: 'default',
    isFree: false,
    isTentative: false,
    isInvitation: false,
    isMarked: false,
    ...about,
  };
}

const isBusy = (about: Partial<BusyEvent>, rule: Partial<BusyRule> = {}): boolean =>
  busySpans([event(about)], { ...RULE, ...rule }, { zone: ZONE }).length > 0;

describe('an event takes the time of its person', () => {
  const cases: readonly [string, { about: Partial<BusyEvent>; rule: Partial<BusyRule> }, boolean][] = [
    ['as a rule', { about: {}, rule: {} }, true],
    ['not when it is shown as free', { about: { isFree: true }, rule: {} }, false],
    ['though shown as free, when the rule says so', { about: { isFree: true }, rule: { free: true } }, true],
    ['not when it was declined', { about: { response: 'declined' }, rule: {} }, false],
    [
      'though declined, when the rule says so',
      { about: { response: 'declined' }, rule: { declined: true } },
      true,
    ],
    ['when the answer was maybe', { about: { response: 'tentative' }, rule: {} }, true],
    [
      'not when the answer was maybe and maybes are let be',
      { about: { response: 'tentative' }, rule: { tentative: false } },
      false,
    ],
    [
      'not when it is tentative itself and maybes are let be',
      { about: { isTentative: true }, rule: { tentative: false } },
      false,
    ],
    [
      'not while an invitation by others has no answer',
      { about: { isInvitation: true, response: 'needsAction' }, rule: {} },
      false,
    ],
    [
      'though it has no answer, when the rule says so',
      { about: { isInvitation: true, response: 'needsAction' }, rule: { unanswered: true } },
      true,
    ],
    [
      'when it is their own meeting, whatever they answer themselves',
      { about: { response: 'needsAction' }, rule: {} },
      true,
    ],
    [
      'when they accepted an invitation',
      { about: { isInvitation: true, response: 'accepted' }, rule: {} },
      true,
    ],
    ['when they are out of office', { about: { type: 'outOfOffice' }, rule: {} }, true],
    [
      'not when out of office is let be',
      { about: { type: 'outOfOffice' }, rule: { outOfOffice: false } },
      false,
    ],
    ['when they focus', { about: { type: 'focusTime' }, rule: {} }, true],
    ['not for the place where they work', { about: { type: 'workingLocation' }, rule: {} }, false],
    ['not for a birthday', { about: { type: 'birthday' }, rule: {} }, false],
    ['not below the minimum length', { about: {}, rule: { shortestMs: 61 * 60_000 } }, false],
    ['at the minimum length', { about: {}, rule: { shortestMs: 60 * 60_000 } }, true],
    [
      'not without any length',
      { about: { end: { dateTime: '2026-03-03T10:00:00+01:00' } }, rule: {} },
      false,
    ],
    ['not without a time', { about: { start: {}, end: {} }, rule: {} }, false],
    ['not when a mirror has put it there', { about: { isMarked: true }, rule: {} }, false],
    [
      'not when its id is an appointment’s',
      { about: { id: eventIdOf('00000000-0000-4000-8000-000000000001') }, rule: {} },
      false,
    ],
    [
      'not when its series is an appointment’s event',
      { about: { seriesId: eventIdOf('00000000-0000-4000-8000-000000000001') }, rule: {} },
      false,
    ],
  ];
  it.each(cases)('%s', (_, { about, rule }, taken) => {
    expect(isBusy(about, rule)).toBe(taken);
  });

  it('not when people book by it', () => {
    const booked = event({ ruled: { title: '#book haircut' } });
    const bookings = [{ title: '#book *' }];
    expect(busySpans([booked], RULE, { zone: ZONE, bookings })).toEqual([]);
    const other = event({ ruled: { title: 'Dentist' } });
    expect(busySpans([other], RULE, { zone: ZONE, bookings })).toHaveLength(1);
  });
});

describe('the time that is taken', () => {
  it('is a whole day in the zone of the branch, also on the day the clock changes', () => {
    const day = event({ start: { date: '2026-03-29' }, end: { date: '2026-03-30' } });
    expect(busySpans([day], RULE, { zone: ZONE })).toEqual([
      { startMs: Date.parse('2026-03-29T00:00:00+01:00'), endMs: Date.parse('2026-03-30T00:00:00+02:00') },
    ]);
    expect(busySpans([day], { ...RULE, allDay: false }, { zone: ZONE })).toEqual([]);
  });

  it('is widened by the padding, and joined where events overlap', () => {
    const later = event({
      start: { dateTime: '2026-03-03T11:10:00+01:00' },
      end: { dateTime: '2026-03-03T12:00:00+01:00' },
    });
    expect(busySpans([later, event()], { ...RULE, paddingMs: 5 * 60_000 }, { zone: ZONE })).toEqual([
      { startMs: Date.parse('2026-03-03T09:55:00+01:00'), endMs: Date.parse('2026-03-03T12:05:00+01:00') },
    ]);
  });

  it('has whole minutes', () => {
    const odd = event({
      start: { dateTime: '2026-03-03T10:00:30+01:00' },
      end: { dateTime: '2026-03-03T10:59:30+01:00' },
    });
    expect(busySpans([odd], RULE, { zone: ZONE })).toEqual([
      { startMs: Date.parse('2026-03-03T10:00:00+01:00'), endMs: Date.parse('2026-03-03T11:00:00+01:00') },
    ]);
  });
});
