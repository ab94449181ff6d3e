import nodeIcalZones from 'node-ical/windowsZones.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { everyDayIn, instancesIn, type ReadAbout, readObject } from '../../src/caldav/event-read.ts';
import { isZoneName, windowsZone } from '../../src/engine/zone-rules.ts';
import { icalendar } from './stand.ts';

const ABOUT: ReadAbout = { zone: 'Europe/Moscow', own: new Set() };

function seriesOf(lines: readonly string[]) {
  const read = readObject(icalendar('a@b', lines), ABOUT);
  const [master] = read?.events ?? [];
  if (read === undefined || master === undefined) throw new Error('not readable');
  return { read, master };
}

async function startsOf(
  lines: readonly string[],
  [from, until]: readonly [string, string],
): Promise<readonly string[] | undefined> {
  const { read, master } = seriesOf(lines);
  const span = { fromMs: Date.parse(from), untilMs: Date.parse(until) };
  const found = await instancesIn(read, { master, ...span, about: ABOUT });
  return found?.map(({ start }) => start?.date ?? new Date(start?.dateTime ?? '').toISOString());
}

/** Days of a rule whose first day is given, at nine in New York. */
async function daysOf(first: string, rule: string, until: string) {
  const lines = [`DTSTART;TZID=America/New_York:${first}T090000`, 'DURATION:PT1H', `RRULE:${rule}`];
  const starts = await startsOf(lines, ['1990-01-01', until]);
  return starts?.map((start) => start.slice(0, 10).replaceAll('-', '')).join(' ');
}

// RFC 5545 (3.8.5.3) and RFC 7529 (4.2) print these days.
it.each([
  ['19970519', 'FREQ=YEARLY;BYDAY=20MO;COUNT=3', '19970519 19980518 19990517'],
  ['19970512', 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3', '19970512 19980511 19990517'],
  ['19970512', 'FREQ=YEARLY;BYWEEKNO=20;COUNT=3', '19970512 19980511 19990517'],
  [
    '19970213',
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    '19970613 19980213 19980313 19981113 19990813 20001013',
  ],
  [
    '19970101',
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '19970101 19970410 19970719 20000101 20000409 20000718',
  ],
  ['19961105', 'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8', '19961105 20001107'],
  ['19970928', 'FREQ=MONTHLY;BYMONTHDAY=-3;UNTIL=19971231', '19970928 19971029 19971128 19971229'],
  [
    '19970105',
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;COUNT=5',
    '19970105 19970112 19970119 19970126 19990103',
  ],
  ['20001001', 'FREQ=YEARLY;BYMONTHDAY=1', '20001001 20001101 20001201'],
  ['19991031', 'FREQ=MONTHLY;BYMONTH=3,5,10;INTERVAL=2', '19991031 20001031'],
  ['19991231', 'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '19991231 20001229'],
  ['19960229', 'FREQ=YEARLY', '19960229 20000229'],
  ['19960229', 'RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=BACKWARD;COUNT=3', '19960229 19970228 19980228'],
  ['19960229', 'RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=FORWARD;COUNT=3', '19960229 19970301 19980301'],
  ['19970902', 'FREQ=WEEKLY;BYDAY=TU;BYSETPOS=3', ''],
])('from %s, %s gives the days of the RFC', async (first, rule, days) => {
  expect(await daysOf(first, rule, '2001-01-01')).toBe(days);
});

it('the new year of another calendar moves', async () => {
  expect(await daysOf('20130210', 'RSCALE=CHINESE;FREQ=YEARLY', '2017-01-01')).toBe(
    '20130210 20140131 20150219 20160208',
  );
});

it('each of several hours of a day is an event, on the clock of the zone', async () => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20261023T090000', 'DURATION:PT1H'];
  const rule = 'RRULE:FREQ=DAILY;BYHOUR=9,14;UNTIL=20261025T120000Z';
  expect(await startsOf([...lines, rule], ['2026-10-24', '2027-01-01'])).toEqual([
    ...['2026-10-24T07:00:00.000Z', '2026-10-24T12:00:00.000Z', '2026-10-25T08:00:00.000Z'],
  ]);
});

it('a date that is excluded twice brings no other excluded date back', async () => {
  const lines = ['DTSTART:20261203T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=4'];
  const without = ['EXDATE:20261204T090000Z', 'EXDATE:20261204T090000Z', 'EXDATE:20261205T090000Z'];
  const starts = await startsOf([...lines, ...without], ['2026-12-01', '2027-01-01']);
  expect(starts?.map((start) => start.slice(0, 10))).toEqual(['2026-12-03', '2026-12-06']);
});

it('a day that is excluded as a whole takes all that begins on it', async () => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20261203T003000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'];
  const starts = await startsOf([...lines, 'EXDATE;VALUE=DATE:20261204'], ['2026-12-01', '2027-01-01']);
  expect(starts).toEqual(['2026-12-02T23:30:00.000Z', '2026-12-04T23:30:00.000Z']);
});

it('an excluded time without a zone is meant on the clock of its series', async () => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20261203T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'];
  const starts = await startsOf([...lines, 'EXDATE:20261204T090000'], ['2026-12-01', '2027-01-01']);
  expect(starts).toEqual(['2026-12-03T08:00:00.000Z', '2026-12-05T08:00:00.000Z']);
});

it("a zone that an event names with a program's prefix and does not describe is that of IANA (P4)", async () => {
  const lines = ['DTSTART;TZID=/mozilla.org/20050126_1/America/New_York:20260701T090000', 'DURATION:PT1H'];
  expect(await startsOf(lines, ['2026-06-01', '2027-01-01'])).toEqual(['2026-07-01T13:00:00.000Z']);
});

it.each([
  ['W. Europe Standard Time', '2026-07-01T07:00:00.000Z'],
  ['Pacific Standard Time', '2026-07-01T16:00:00.000Z'],
  ['"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna"', '2026-07-01T07:00:00.000Z'],
])('the zone of Windows %s without a description has the hours of its place (P4)', async (zone, start) => {
  const lines = [`DTSTART;TZID=${zone}:20260701T090000`, 'DURATION:PT1H'];
  expect(await startsOf(lines, ['2026-06-01', '2027-01-01'])).toEqual([start]);
});

it('the zones of Windows are those of the node-ical installed, and the worker has rules for each', () => {
  for (const [name, { iana }] of Object.entries(nodeIcalZones)) {
    expect(windowsZone(name)).toBe(iana[0]);
    expect(isZoneName(iana[0] ?? ''), name).toBe(true);
  }
});

it('a zone whose description is empty is that of IANA (P4)', async () => {
  const text = icalendar('a@b', ['DTSTART;TZID=Europe/Berlin:20261203T090000', 'DURATION:PT1H']);
  const empty = 'BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT';
  const start = readObject(text.replace('BEGIN:VEVENT', empty), ABOUT)?.events[0]?.event.start?.dateTime;
  expect(new Date(start ?? '').toISOString()).toBe('2026-12-03T08:00:00.000Z');
});

it.each(['EXDATE:', 'EXDATE;TZID=Europe/Berlin:', 'RDATE:', 'EXDATE:20261204T080000Z,'])(
  'an empty list of dates (%s) excludes nothing, and the series is followed (P4)',
  async (list) => {
    const lines = ['DTSTART;TZID=Europe/Berlin:20261203T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'];
    const starts = await startsOf([...lines, list], ['2026-12-01', '2027-01-01']);
    const days = ['2026-12-03', '2026-12-04', '2026-12-05'].filter(
      (day) => !list.includes(day.replaceAll('-', '')),
    );
    expect(starts).toEqual(days.map((day) => `${day}T08:00:00.000Z`));
  },
);

it.each([
  ['PT24H', '2026-12-04'],
  ['PT8H', '2026-12-04'],
  ['P1DT12H', '2026-12-05'],
  ['P1W', '2026-12-10'],
])('whole days that last %s end with a day (P4)', async (length, ends) => {
  const { read, master } = seriesOf([
    ...['DTSTART;VALUE=DATE:20261203', `DURATION:${length}`],
    'RRULE:FREQ=MONTHLY;COUNT=1',
  ]);
  const span = { fromMs: Date.parse('2026-12-01'), untilMs: Date.parse('2027-01-01') };
  const [first] = (await instancesIn(read, { master, ...span, about: ABOUT })) ?? [];
  expect([master.event.end, first?.end]).toEqual([{ date: ends }, { date: ends }]);
});

const FLOATING = ['DTSTART:20261203T090000', 'DURATION:PT1H'];

it.each(['EXDATE:20261204T060000Z', 'EXDATE;TZID=Europe/Berlin:20261204T070000', 'EXDATE:20261204T090000'])(
  'a time of a series without a zone is excluded by its moment in the zone of the calendar: %s (P4)',
  async (exdate) => {
    const lines = [...FLOATING, 'RRULE:FREQ=DAILY;COUNT=3', exdate];
    expect(await startsOf(lines, ['2026-12-01', '2027-01-01'])).toEqual([
      ...['2026-12-03T06:00:00.000Z', '2026-12-05T06:00:00.000Z'],
    ]);
  },
);

it.each([
  ['DTSTART:20261203T090000', '20261205T060000Z', '06'],
  ['DTSTART:20261203T090000', '20261205T090000', '06'],
  ['DTSTART;TZID=America/New_York:20261203T090000', '20261205T090000', '14'],
])('a series from %s counts its last date until %s (P4)', async (...[start, until, hour]) => {
  const rule = `RRULE:FREQ=DAILY;UNTIL=${until}`;
  const starts = await startsOf([start, 'DURATION:PT1H', rule], ['2026-12-01', '2027-01-01']);
  expect(starts).toEqual(['03', '04', '05'].map((day) => `2026-12-${day}T${hour}:00:00.000Z`));
});

it('a period without a zone, of a series without one, is on the same clock (P4)', async () => {
  const lines = [...FLOATING, 'RRULE:FREQ=DAILY;COUNT=2', 'RDATE;VALUE=PERIOD:20261204T090000/PT3H'];
  expect(await startsOf(lines, ['2026-12-01', '2027-01-01'])).toEqual([
    ...['2026-12-03T06:00:00.000Z', '2026-12-04T06:00:00.000Z'],
  ]);
});

it('an instance that is named by its moment takes the place of that of a series without a zone (P4)', async () => {
  const lines = [...FLOATING, 'RRULE:FREQ=DAILY;COUNT=2'];
  const moved = ['END:VEVENT', 'BEGIN:VEVENT', 'UID:a@b', 'RECURRENCE-ID:20261204T060000Z'];
  const text = [...lines, ...moved, 'DTSTART:20261204T150000', 'DURATION:PT1H'];
  expect(await startsOf(text, ['2026-12-01', '2027-01-01'])).toEqual([
    ...['2026-12-03T06:00:00.000Z', '2026-12-04T12:00:00.000Z'],
  ]);
});

it('days without VALUE=DATE are days (P4)', async () => {
  const lines = ['DTSTART:20261203', 'DTEND:20261204', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20261204'];
  expect(await startsOf(lines, ['2026-12-01', '2027-01-01'])).toEqual(['2026-12-03', '2026-12-05']);
});

it('a day is excluded from a series of days by its midnight on some clock, too (P4)', async () => {
  const lines = ['DTSTART;VALUE=DATE:20261203', 'RRULE:FREQ=DAILY;COUNT=3'];
  const without = 'EXDATE;TZID=Europe/Berlin:20261204T000000';
  expect(await startsOf([...lines, without], ['2026-12-01', '2027-01-01'])).toEqual([
    ...['2026-12-03', '2026-12-05'],
  ]);
});

it('an added day of a timed series has its hour (P4)', async () => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20261203T090000', 'DURATION:PT1H'];
  expect(await startsOf([...lines, 'RDATE;VALUE=DATE:20261205'], ['2026-12-01', '2027-01-01'])).toEqual([
    ...['2026-12-03T08:00:00.000Z', '2026-12-05T08:00:00.000Z'],
  ]);
});

/** Starts of a daily series of three from nine in Berlin, of which the second is named and put to three in the afternoon. */
async function withMoved(original: string, moved = 'DTSTART;TZID=Europe/Berlin:20261204T150000') {
  const lines = ['DTSTART;TZID=Europe/Berlin:20261203T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'];
  const instance = ['END:VEVENT', 'BEGIN:VEVENT', 'UID:a@b', original, moved, 'DURATION:PT1H'];
  return startsOf([...lines, ...instance], ['2026-12-01', '2027-01-01']);
}

it.each([
  ...['RECURRENCE-ID;VALUE=DATE:20261204', 'RECURRENCE-ID:20261204', 'RECURRENCE-ID:20261204T090000'],
  'RECURRENCE-ID:20261204T080000Z',
])(
  'an instance that is named by %s stands in the place of its own, and not beside it (P2)',
  async (original) => {
    expect(await withMoved(original)).toEqual([
      ...['2026-12-03T08:00:00.000Z', '2026-12-05T08:00:00.000Z', '2026-12-04T14:00:00.000Z'],
    ]);
  },
);

it('a change of one and all following moves the following ones (P4)', async () => {
  expect(await withMoved('RECURRENCE-ID;RANGE=THISANDFUTURE:20261204T080000Z')).toEqual([
    ...['2026-12-03T08:00:00.000Z', '2026-12-05T14:00:00.000Z', '2026-12-04T14:00:00.000Z'],
  ]);
});

it.each([
  ['PT24H', '2026-10-25T07:00:00.000Z'],
  ['P1D', '2026-10-25T08:00:00.000Z'],
  ['P1DT1H', '2026-10-25T09:00:00.000Z'],
])('%s over a change of the clock ends when RFC 5545 says (P4)', async (length, ends) => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20261024T090000', `DURATION:${length}`];
  const { event } = seriesOf(lines).master;
  expect(new Date(event.end?.dateTime ?? '').toISOString()).toBe(ends);
  const { read, master } = seriesOf([...lines, 'RRULE:FREQ=DAILY;COUNT=2']);
  const span = { fromMs: Date.parse('2026-10-24'), untilMs: Date.parse('2026-10-25') };
  const [first] = (await instancesIn(read, { master, ...span, about: ABOUT })) ?? [];
  expect(new Date(first?.end?.dateTime ?? '').toISOString()).toBe(ends);
});

it('a daily series of many years still takes its hour today', async () => {
  const lines = ['DTSTART:20000103T120000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'];
  expect(await startsOf(lines, ['2026-12-03', '2026-12-04'])).toEqual(['2026-12-03T12:00:00.000Z']);
});

it.each([
  'RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD',
  'FREQ=YEARLY;BYDAY=53MO',
  'FREQ=YEARLY;BYYEARDAY=-7,-6,-5,-4,-3,-2,-1;BYDAY=FR',
  'FREQ=YEARLY;BYMONTHDAY=31;BYYEARDAY=365',
  'FREQ=YEARLY;BYMONTHDAY=1;BYDAY=1MO',
  'FREQ=DAILY;X-MOON=FULL',
  'FREQ=NEVER',
])(
  'a series by %s is not guessed: it is read, and takes its time on each day until its last',
  async (rule) => {
    const { read, master } = seriesOf([
      ...['DTSTART;TZID=Europe/Berlin:20261023T090000', 'DURATION:PT1H'],
      `RRULE:${rule};UNTIL=20261025T120000Z`,
    ]);
    const span = { fromMs: Date.parse('2026-10-24T00:00:00Z'), untilMs: Date.parse('2027-01-01') };
    expect(await instancesIn(read, { master, ...span, about: ABOUT })).toBeUndefined();
    const days = everyDayIn(read, { master, ...span, about: ABOUT });
    expect(days.map(({ start, end }) => [start?.dateTime, end?.dateTime])).toEqual([
      ['2026-10-24T09:00:00+02:00', '2026-10-24T10:00:00+02:00'],
      ['2026-10-25T09:00:00+01:00', '2026-10-25T10:00:00+01:00'],
      ['2026-10-26T09:00:00+01:00', '2026-10-26T10:00:00+01:00'],
    ]);
  },
);

it('of a series that names hours and is not followed, whole days are taken', () => {
  const { read, master } = seriesOf([
    ...['DTSTART;TZID=Europe/Berlin:20261203T090000', 'DURATION:PT1H'],
    'RRULE:FREQ=MONTHLY;BYMONTHDAY=31;RSCALE=GREGORIAN;SKIP=BACKWARD;BYHOUR=9,14',
  ]);
  const span = { fromMs: Date.parse('2026-12-05T12:00:00Z'), untilMs: Date.parse('2026-12-06T12:00:00Z') };
  const days = everyDayIn(read, { master, ...span, about: ABOUT });
  expect(days.map(({ start, end }) => [start?.dateTime, end?.dateTime])).toEqual([
    ['2026-12-05T00:00:00+01:00', '2026-12-06T01:00:00+01:00'],
    ['2026-12-06T00:00:00+01:00', '2026-12-07T01:00:00+01:00'],
  ]);
});

it('whole days of a series that is not followed stay days', () => {
  const rule = 'RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD';
  const { read, master } = seriesOf(['DTSTART;VALUE=DATE:20261231', rule]);
  const span = { fromMs: Date.parse('2026-12-01'), untilMs: Date.parse('2027-01-02') };
  expect(everyDayIn(read, { master, ...span, about: ABOUT }).map(({ start }) => start?.date)).toEqual([
    '2026-12-31',
    '2027-01-01',
  ]);
});
