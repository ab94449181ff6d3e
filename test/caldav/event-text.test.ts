import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseObject, writeObject } from '../../src/caldav/content-lines.ts';
import { editedObject, newObject } from '../../src/caldav/event-edit.ts';
import { idOfUid, isNative, uidOf } from '../../src/caldav/event-ids.ts';
import { instancesIn, readObject } from '../../src/caldav/event-read.ts';
import { bounded } from '../../src/caldav/time-limit.ts';
import { readMultistatus } from '../../src/caldav/xml.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import { icalendar } from './stand.ts';

const ABOUT = { zone: 'Europe/Moscow', own: new Set<string>(), nowMs: Date.parse('2026-11-01T00:00:00Z') };
const TIMES = {
  start: { dateTime: '2026-12-03T09:00:00Z', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-03T10:00:00Z', timeZone: 'Europe/Berlin' },
};

function read(text: string) {
  const object = readObject(text, ABOUT);
  const [first] = object?.events ?? [];
  if (object === undefined || first === undefined) throw new Error('not readable');
  return { object, first };
}

describe('an event as iCalendar', () => {
  it('shows what was written, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (summary, note) => {
        const plain = summary.replaceAll(/\p{Cc}/gu, '').trim();
        const fields = {
          summary: plain,
          ...TIMES,
          status: 'confirmed',
          extendedProperties: { private: { note } },
        } as const;
        const { first } = read(newObject('uid', fields, ABOUT));
        expect(first.event.summary ?? '').toBe(plain);
        expect(first.event.extendedProperties?.private).toEqual({ note });
        expect(Date.parse(first.event.start?.dateTime ?? '')).toBe(Date.parse(TIMES.start.dateTime));
      }),
    );
  });

  it('keeps every byte that a change does not name', () => {
    const others = [
      'X-PEOPLE;X-P="a;b:c":link https://a.example/?x=1,2;3',
      'CATEGORIES:Work,Two\\, half',
      'DESCRIPTION:folded\r\n  here',
      'GEO:48.1;11.5',
    ];
    const text = icalendar('a@b', [
      'DTSTART:20261203T090000Z',
      'DTEND:20261203T100000Z',
      'SUMMARY:Old',
      ...others,
    ]);
    const { object, first } = read(text);
    const after = editedObject(object, { of: first, fields: { summary: 'New' }, about: ABOUT });
    for (const line of others) expect(after).toContain(`${line}\r\n`);
    expect(after).toContain('SUMMARY:New\r\n');
    expect(after).not.toContain('Old');
  });

  it('that a program stored without our property is still that of its appointment, by its UID', () => {
    const appointmentId = '0d3b2f6a-91c4-4f0e-8a56-000000000001';
    const times = ['DTSTART:20261203T090000Z', 'DTEND:20261203T100000Z'];
    const marksOf = (uid: string) => read(icalendar(uid, times)).first.event.extendedProperties?.private;
    const uid = uidOf(eventIdOf(appointmentId), 'https://cloud.clinic.example/anna/');
    expect(marksOf(uid)).toEqual({ slotbridge: '1', slotbridge_appointment: appointmentId });
    expect(marksOf(`${uid}-copy`)).toBeUndefined();
    expect(marksOf('some@program')).toBeUndefined();
  });

  it('is written in lines of at most 75 octets, and as it was read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 100 }), (summary) => {
        const plain = summary.replaceAll(/\p{Cc}/gu, '');
        const text = newObject('uid', { summary: plain, ...TIMES }, ABOUT);
        for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        const parsed = parseObject(text);
        expect(parsed && writeObject(parsed)).toBe(text);
      }),
    );
  });

  it('of another zone database is written in UTC: its own rules would move it', () => {
    const odd = icalendar('a@b', [
      'DTSTART;TZID=Europe/Berlin:20261203T120000',
      'DTEND;TZID=Europe/Berlin:20261203T130000',
      'SUMMARY:x',
    ]);
    const zone = [
      'BEGIN:VTIMEZONE',
      'TZID:Europe/Berlin',
      'BEGIN:STANDARD',
      'DTSTART:19700101T000000',
      'TZOFFSETFROM:+0500',
      'TZOFFSETTO:+0500',
      'RRULE:FREQ=YEARLY',
      'END:STANDARD',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
    ];
    const { object, first } = read(odd.replace('BEGIN:VEVENT', zone.join('\r\n')));
    expect(Date.parse(first.event.start?.dateTime ?? '')).toBe(Date.parse('2026-12-03T07:00:00Z'));
    const after = editedObject(object, { of: first, fields: TIMES, about: ABOUT });
    expect(Date.parse(read(after).first.event.start?.dateTime ?? '')).toBe(Date.parse(TIMES.start.dateTime));
  });

  it('on which work does not end is given up, and later work goes on', () => {
    expect(
      bounded(() => {
        for (;;);
      }),
    ).toBeUndefined();
    expect(bounded(() => 7)).toBe(7);
  });

  it('is read all the same on a machine that stood still meanwhile', () => {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    let runs = 0;
    const answer = bounded(() => {
      runs += 1;
      if (runs === 1) Atomics.wait(clock, 0, 0, 1_100);
      // Time may have run out while nothing was computed.
      for (let step = 0; step < 1_000; step += 1) clock[0] = step;
      return runs;
    });
    expect(answer).toBe(2);
  });

  it.each([
    'RECURRENCE-ID;VALUE=DATE:20261205',
    'RECURRENCE-ID:20261205T000000Z',
    'RECURRENCE-ID:20261205T000000',
  ])('of whole days shows a day that was moved once: %s', async (original) => {
    const series = ['DTSTART;VALUE=DATE:20261203', 'RRULE:FREQ=DAILY;COUNT=4', 'SUMMARY:Away'];
    const moved = ['END:VEVENT', 'BEGIN:VEVENT', 'UID:a@b', 'DTSTAMP:20261101T000000Z', original];
    const { object, first } = read(
      icalendar('a@b', [...series, ...moved, 'DTSTART;VALUE=DATE:20261210', 'SUMMARY:Away']),
    );
    const span = { fromMs: Date.parse('2026-12-01'), untilMs: Date.parse('2026-12-20') };
    const found = await instancesIn(object, { master: first, ...span, about: ABOUT });
    expect(found?.map(({ start }) => start?.date)).toEqual([
      '2026-12-03',
      '2026-12-04',
      '2026-12-06',
      '2026-12-10',
    ]);
  });

  it.each([
    ['alone', ['RDATE:20261204T090000Z,20261209T090000Z'], ['03', '04', '09']],
    ['with a date before it', ['RDATE:20261202T090000Z'], ['02', '03']],
    ['without its first', ['RDATE:20261204T090000Z', 'EXDATE:20261203T090000Z'], ['04']],
    [
      'as periods',
      ['RDATE;VALUE=PERIOD:20261204T090000Z/PT3H,20261209T090000Z/20261209T100000Z'],
      ['03', '04', '09'],
    ],
    [
      'beside a rule',
      ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20261204T090000Z,20261209T090000Z'],
      ['03', '04', '09'],
    ],
  ])('of single dates has all of them: %s', async (_, lines, days) => {
    const { object, first } = read(
      icalendar('a@b', ['DTSTART:20261203T090000Z', 'DTEND:20261203T100000Z', ...lines, 'SUMMARY:Class']),
    );
    const span = { fromMs: Date.parse('2026-12-01'), untilMs: Date.parse('2026-12-20') };
    const found = await instancesIn(object, { master: first, ...span, about: ABOUT });
    expect(found?.map(({ start }) => start?.dateTime?.slice(8, 10))).toEqual(days);
  });

  it('of single dates has the length that a period gives', async () => {
    const { object, first } = read(
      icalendar('a@b', [
        'DTSTART:20261203T090000Z',
        'DTEND:20261203T100000Z',
        'RDATE;VALUE=PERIOD:20261204T090000Z/PT3H',
      ]),
    );
    const span = { fromMs: Date.parse('2026-12-04'), untilMs: Date.parse('2026-12-05') };
    const [found] = (await instancesIn(object, { master: first, ...span, about: ABOUT })) ?? [];
    expect(Date.parse(found?.end?.dateTime ?? '')).toBe(Date.parse('2026-12-04T12:00:00Z'));
  });

  it.each([
    ['no calendar', 'hello'],
    ['no end', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR'],
    ['no UID', icalendar('x', ['DTSTART:20261203T090000Z']).replace('UID:x\r\n', '')],
    ['no start', icalendar('x', ['SUMMARY:x'])],
    ['a start that is none', icalendar('x', ['DTSTART:tomorrow'])],
    ['a page', '<html><body>Sign in</body></html>'],
    ['depth', `${'BEGIN:A\r\n'.repeat(9)}${'END:A\r\n'.repeat(9)}`],
  ])('%s is not readable', (_, text) => {
    expect(readObject(text, ABOUT)).toBeUndefined();
  });
});

it('the UID of an event names its calendar, and its id does not', () => {
  const id = eventIdOf('0d3b2f6a-91c4-4f0e-8a55-000000000001');
  const [here, there] = ['https://a.example/one/', 'https://a.example/two/'];
  expect(uidOf(id, here)).not.toBe(uidOf(id, there));
  expect([idOfUid(uidOf(id, here)), idOfUid(uidOf(id, there))]).toEqual([id, id]);
  expect([isNative(uidOf(id, here), here), isNative(uidOf(id, there), here)]).toEqual([true, false]);
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40 }), (uid) => {
      expect(idOfUid(uid)).toMatch(/^(?:d[0-9a-f]+|dh[0-9a-f]{40})$/);
      expect(uidOf(idOfUid(uid), here)).toBe(Buffer.from(uid, 'utf8').toString('utf8'));
    }),
  );
});

it.each([
  ['entities', '<!DOCTYPE a [<!ENTITY b "cc">]><a xmlns="DAV:">&b;</a>'],
  ['a page', '<html><body>Sign in<br></body></html>'],
  ['depth', '<a xmlns="DAV:">'.repeat(50) + '</a>'.repeat(50)],
  ['half an answer', '<multistatus xmlns="DAV:"><response>'],
  ['nothing', ''],
])('%s is no answer of a server', (_, text) => {
  expect(readMultistatus(text)).toBeUndefined();
});
