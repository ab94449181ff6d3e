import { describe, expect, it } from 'vitest';
import { busySpans } from '../../src/blocks/select.ts';
import type { BusyEvent, BusyRule } from '../../src/domain/block.ts';
import { eventIdOf } from '../../src/domain/event-id.ts';

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
  const cases: readonly [string, Partial<BusyEvent>, Partial<BusyRule>, boolean][] = [
    ['as a rule', {}, {}, true],
    ['not when it is shown as free', { isFree: true }, {}, false],
    ['though shown as free, when the rule says so', { isFree: true }, { free: true }, true],
    ['not when it was declined', { response: 'declined' }, {}, false],
    ['though declined, when the rule says so', { response: 'declined' }, { declined: true }, true],
    ['when the answer was maybe', { response: 'tentative' }, {}, true],
    [
      'not when the answer was maybe and maybes are let be',
      { response: 'tentative' },
      { tentative: false },
      false,
    ],
    [
      'not when it is tentative itself and maybes are let be',
      { isTentative: true },
      { tentative: false },
      false,
    ],
    [
      'not while an invitation by others has no answer',
      { isInvitation: true, response: 'needsAction' },
      {},
      false,
    ],
    [
      'though it has no answer, when the rule says so',
      { isInvitation: true, response: 'needsAction' },
      { unanswered: true },
      true,
    ],
    ['when it is their own meeting, whatever they answer themselves', { response: 'needsAction' }, {}, true],
    ['when they accepted an invitation', { isInvitation: true, response: 'accepted' }, {}, true],
    ['when they are out of office', { type: 'outOfOffice' }, {}, true],
    ['not when out of office is let be', { type: 'outOfOffice' }, { outOfOffice: false }, false],
    ['when they focus', { type: 'focusTime' }, {}, true],
    ['not for the place where they work', { type: 'workingLocation' }, {}, false],
    ['not for a birthday', { type: 'birthday' }, {}, false],
    ['not below the minimum length', {}, { shortestMs: 61 * 60_000 }, false],
    ['at the minimum length', {}, { shortestMs: 60 * 60_000 }, true],
    ['not without any length', { end: { dateTime: '2026-03-03T10:00:00+01:00' } }, {}, false],
    ['not without a time', { start: {}, end: {} }, {}, false],
    ['not when a mirror has put it there', { isMarked: true }, {}, false],
    [
      'not when its id is an appointment’s',
      { id: eventIdOf('00000000-0000-4000-8000-000000000001') },
      {},
      false,
    ],
    [
      'not when its series is an appointment’s event',
      { seriesId: eventIdOf('00000000-0000-4000-8000-000000000001') },
      {},
      false,
    ],
  ];
  it.each(cases)('%s', (_, about, rule, taken) => {
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
