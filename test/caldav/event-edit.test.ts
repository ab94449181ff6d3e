import { describe, expect, it } from 'vitest';
import {
  editedObject,
  type Fields,
  isAsWritten,
  newObject,
  renamedObject,
  withInstance,
  withoutInstance,
} from '../../src/caldav/event-edit.ts';
import { instancesIn, readObject } from '../../src/caldav/event-read.ts';
import { readOwnData, writeOwnData } from '../../src/caldav/marks.ts';
import type { CalendarEvent } from '../../src/google/calendar-event.ts';
import { icalendar } from './stand.ts';

const ABOUT = { zone: 'Europe/Moscow', own: new Set<string>(), nowMs: Date.parse('2026-11-01T00:00:00Z') };
const HOUR = ['DTSTART:20261203T090000Z', 'DTEND:20261203T100000Z'];
const STAMPED = ['DTSTAMP:20261101T000000Z', 'LAST-MODIFIED:20261101T000000Z'];
const at = (time: string, timeZone?: string) =>
  ({ dateTime: `2026-12-03T${time}:00Z`, ...(timeZone !== undefined && { timeZone }) }) as never;
const times = (start: string, end: string, zone?: string) => ({ start: at(start, zone), end: at(end, zone) });

function read(text: string) {
  const object = readObject(text, ABOUT);
  const [first] = object?.events ?? [];
  if (object === undefined || first === undefined) throw new Error('not readable');
  return { object, first };
}

/** The lines of the first event, those that each write changes left out. */
function linesOf(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n ', '').split('\r\n');
  const inside = lines.slice(lines.indexOf('BEGIN:VEVENT') + 1, lines.indexOf('END:VEVENT'));
  for (const each of STAMPED) expect(inside).toContain(each);
  return inside.filter((each) => !/^(UID|DTSTAMP|LAST-MODIFIED|CREATED):/.test(each));
}

function edited(lines: readonly string[], fields: Fields): readonly string[] {
  const { object, first } = read(icalendar('a@b', lines));
  return linesOf(editedObject(object, { of: first, fields, about: ABOUT }));
}

const FORMER = '--of-another-program--';
const ZONE_BY_RULE = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'BEGIN:STANDARD',
  'DTSTART:19961027T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  `TZNAME:${FORMER}`,
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:19960331T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
].join('\r\n');
const ZONE_OF_DATES = ZONE_BY_RULE.replaceAll(/RRULE:.*\r\n/g, '');

describe('a new event', () => {
  it('has what it was given, and nothing that no program could read', () => {
    const fields: Fields = {
      ...{ summary: 'Cut; colour', location: 'Room, 1', description: 'a &lt; <b>b</b>', status: 'tentative' },
      ...times('09:00', '10:00', 'Europe/Berlin'),
      ...{ transparency: 'transparent', visibility: 'private', colorId: '3' },
      extendedProperties: { private: { slotbridge: '1' } },
      attachments: [
        { fileUrl: 'https://a.example/1' },
        { fileUrl: 'http://a.example/2' },
        { fileUrl: 'x https://a.example/3' },
        { fileUrl: 'https://a.example/4 x' },
        { fileUrl: 5 },
        { fileUrl: 'https://a.example/6' },
      ],
      reminders: { overrides: [20, 0, -1, 1.5, '5'].map((minutes) => ({ minutes })) },
    };
    const text = newObject('uid', fields, ABOUT);
    const lines = linesOf(text);
    const data = lines.find((each) => each.startsWith('X-SLOTBRIDGE:')) ?? '';
    expect(readOwnData(data.slice('X-SLOTBRIDGE:'.length))).toEqual({
      marks: { slotbridge: '1' },
      html: 'a &lt; <b>b</b>',
    });
    expect(lines.filter((each) => each !== data)).toEqual([
      'SUMMARY:Cut\\; colour',
      'LOCATION:Room\\, 1',
      'DESCRIPTION:a < b',
      'DTSTART;TZID=Europe/Berlin:20261203T100000',
      'DTEND;TZID=Europe/Berlin:20261203T110000',
      ...['STATUS:TENTATIVE', 'TRANSP:TRANSPARENT', 'CLASS:PRIVATE', 'COLOR:darkorchid'],
      ...['ATTACH:https://a.example/1', 'ATTACH:https://a.example/6', 'SEQUENCE:1'],
      ...['BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:Reminder', 'TRIGGER:-PT20M', 'END:VALARM'],
      ...['BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:Reminder', 'TRIGGER:-PT0M', 'END:VALARM'],
    ]);
    const rows = text.split('\r\n');
    expect(rows.slice(0, 5)).toEqual([
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//slotbridge//slotbridge//EN'],
      ...['BEGIN:VTIMEZONE', 'TZID:Europe/Berlin'],
    ]);
    expect(rows).toContain('CREATED:20261101T000000Z');
    expect(read(text).first).toMatchObject({ uid: 'uid', event: { summary: 'Cut; colour' } });
  });

  it.each([
    ['in UTC', 'UTC'],
    ['in a zone that nobody knows', 'Mars/Olympus'],
    ['without a zone', undefined],
  ])('%s has its times in UTC, and no zone', (_, zone) => {
    const text = newObject('uid', { summary: 'x', ...times('09:00', '10:00', zone) }, ABOUT);
    expect(linesOf(text)).toEqual(['SUMMARY:x', ...HOUR, 'SEQUENCE:1']);
    expect(text).not.toContain('VTIMEZONE');
  });

  it('of a day has dates', () => {
    const fields = { start: { date: '2026-12-03' }, end: { date: '2026-12-04' } };
    const text = newObject('uid', { ...fields, summary: '', reminders: { useDefault: false } }, ABOUT);
    expect(linesOf(text)).toEqual(['DTSTART;VALUE=DATE:20261203', 'DTEND;VALUE=DATE:20261204', 'SEQUENCE:1']);
    expect(text).not.toContain('VTIMEZONE');
  });
});

describe('an event that is changed', () => {
  it('loses the texts that become empty: an erased person is in none of them', () => {
    const texts = ['SUMMARY:Anna', 'DESCRIPTION:Call +49', 'LOCATION:Her flat'];
    expect(edited([...HOUR, ...texts], { summary: '', description: '', location: '' })).toEqual(HOUR);
    const html = writeOwnData({ marks: { a: '1' }, html: 'Call <b>+49</b>' });
    const kept = writeOwnData({ marks: { a: '1' } });
    expect(edited([...HOUR, 'DESCRIPTION:Call +49', `X-SLOTBRIDGE:${html}`], { description: '' })).toEqual([
      ...HOUR,
      `X-SLOTBRIDGE:${kept}`,
    ]);
  });

  it('keeps the lines of what stays, as a program wrote them', () => {
    const lines = [
      ...['DTSTART;TZID="Europe/Berlin":20261203T100000', 'DURATION:PT1H', 'SUMMARY;LANGUAGE=en:Old'],
      ...['DESCRIPTION;X=1:a < b', 'LOCATION;X=1:Here', 'STATUS;X=1:confirmed', 'COLOR;X=1:Gold'],
      ...['TRANSP;X=1:OPAQUE', 'CLASS;X=1:PUBLIC', 'SEQUENCE:4'],
    ];
    const same: Fields = {
      ...{ summary: 'Old', description: 'a &lt; b', location: 'Here', status: 'confirmed', colorId: '5' },
      ...{ transparency: 'opaque', visibility: 'default', ...times('09:00', '10:00', 'Europe/Moscow') },
    };
    expect(edited(lines, same)).toEqual(lines);
    expect(edited(lines, {})).toEqual(lines);
    const hidden = ['TRANSP;X=1:TRANSPARENT', 'CLASS;X=1:CONFIDENTIAL'];
    expect(edited([...HOUR, ...hidden], { transparency: 'transparent', visibility: 'private' })).toEqual([
      ...HOUR,
      ...hidden,
    ]);
  });

  it('gets what differs', () => {
    const lines = ['SUMMARY:Old', 'STATUS:TENTATIVE', 'COLOR:gold', 'CLASS:PRIVATE', 'TRANSP:TRANSPARENT'];
    const fields: Fields = {
      ...{ summary: 'New', description: 'a &lt; b', status: 'confirmed', colorId: '11' },
      ...{ visibility: 'default', transparency: 'opaque' },
    };
    expect(edited([...HOUR, ...lines], fields)).toEqual([
      ...[...HOUR, 'SUMMARY:New', 'STATUS:CONFIRMED', 'COLOR:crimson', 'CLASS:PUBLIC', 'TRANSP:OPAQUE'],
      'DESCRIPTION:a < b',
    ]);
    expect(edited([...HOUR, 'COLOR:gold'], { colorId: null })).toEqual(HOUR);
    expect(edited([...HOUR, 'COLOR:rebeccapurple'], { colorId: null })).toEqual([
      ...HOUR,
      'COLOR:rebeccapurple',
    ]);
    expect(edited([...HOUR, 'COLOR:gold'], { colorId: '99' })).toEqual(HOUR);
  });

  it.each([
    ['its start', times('08:00', '10:00'), 'DTSTART:20261203T080000Z', HOUR[1]],
    ['its end', times('09:00', '10:30'), HOUR[0], 'DTEND:20261203T103000Z'],
  ])('gets another time if only %s differs', (_, moved, ...[start, end]) => {
    expect(edited([...HOUR, 'SEQUENCE:4'], moved)).toEqual([start, end, 'SEQUENCE:5']);
    expect(edited([HOUR[0] ?? '', 'DURATION:PT1H'], moved)).toEqual([start, end, 'SEQUENCE:1']);
  });

  it('is moved only with its start and its end', () => {
    expect(edited(HOUR, { start: at('08:00') })).toEqual(HOUR);
    expect(edited(HOUR, { end: at('11:00') })).toEqual(HOUR);
  });

  it.each(['x', '9007199254740991', '9007199254740992', '1.5'])('counts on from 1 after %s', (number) => {
    const [, , sequence] = edited([...HOUR, `SEQUENCE:${number}`], times('08:00', '10:00'));
    expect(sequence).toBe(number === '9007199254740991' ? 'SEQUENCE:9007199254740992' : 'SEQUENCE:1');
  });

  it('keeps marks that are not named, loses those that are null, and has no line without any', () => {
    const line = (marks: Record<string, string>) => `X-SLOTBRIDGE:${writeOwnData({ marks })}`;
    const fields = (marks: Record<string, string | null>) =>
      ({ extendedProperties: { private: marks } }) as Fields;
    const before = [...HOUR, line({ a: '1', b: '2' })];
    expect(edited(before, fields({ b: null, c: '3' }))).toEqual([...HOUR, line({ a: '1', c: '3' })]);
    expect(edited(before, fields({ a: null, b: null }))).toEqual(HOUR);
    expect(edited([...HOUR, 'X-SLOTBRIDGE;X=1: '], fields({}))).toEqual([...HOUR, 'X-SLOTBRIDGE;X=1: ']);
    const folded = `X-SLOTBRIDGE;X=1:${writeOwnData({ marks: { a: '1' }, html: '<b>x</b>' })} `;
    expect(edited([...HOUR, folded, 'DESCRIPTION:x'], fields({ a: '1' }))).toEqual([
      ...HOUR,
      folded,
      'DESCRIPTION:x',
    ]);
    const html = `X-SLOTBRIDGE:${writeOwnData({ marks: {}, html: '<b>x</b>' })}`;
    expect(edited(HOUR, { description: '<b>x</b>' })).toEqual([...HOUR, 'DESCRIPTION:x', html]);
  });

  it('that was a series happens once: its rules and its own instances are gone, and no others', () => {
    const rules = ['RRULE:FREQ=DAILY;COUNT=9', 'RDATE:20261220T090000Z', 'EXDATE:20261204T090000Z'];
    const other = (uid: string, lines: readonly string[]) =>
      ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20261101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');
    const instance = ['RECURRENCE-ID:20261205T090000Z', 'DTSTART:20261205T110000Z', 'SUMMARY:Instance'];
    const text = icalendar('a@b', [...HOUR, ...rules, 'EXRULE:FREQ=WEEKLY']).replace(
      'END:VCALENDAR',
      [ZONE_BY_RULE, other('a@b', instance), other('c@d', [...instance, 'COMMENT:c']), 'END:VCALENDAR'].join(
        '\r\n',
      ),
    );
    const { object, first } = read(text);
    const after = editedObject(object, { of: first, fields: { recurrence: null }, about: ABOUT });
    expect(linesOf(after)).toEqual(HOUR);
    expect(read(after).object.events.map(({ uid }) => uid)).toEqual(['a@b', 'c@d']);
    expect(after).toContain(FORMER);
    const kept = editedObject(object, { of: first, fields: { summary: 'New' }, about: ABOUT });
    expect(read(kept).object.events.map(({ uid }) => uid)).toEqual(['a@b', 'a@b', 'c@d']);
    expect(linesOf(kept)).toEqual([...HOUR, ...rules, 'EXRULE:FREQ=WEEKLY', 'SUMMARY:New']);
  });
});

describe('the zone of an event that is moved', () => {
  const berlin = ['DTSTART;TZID=Europe/Berlin:20261203T120000', 'DTEND;TZID=Europe/Berlin:20261203T130000'];
  const moved = [
    'DTSTART;TZID=Europe/Berlin:20261203T100000',
    'DTEND;TZID=Europe/Berlin:20261203T110000',
    'SEQUENCE:1',
  ];
  const move = (zone: string, extra = '', fields: Fields = times('09:00', '10:00', 'Europe/Berlin')) => {
    const text = icalendar('a@b', berlin).replace('BEGIN:VEVENT', `${zone}BEGIN:VEVENT`);
    const { object, first } = read(text.replace('END:VCALENDAR', `${extra}END:VCALENDAR`));
    return editedObject(object, { of: first, fields, about: ABOUT });
  };
  const zonesIn = (text: string) => text.split('BEGIN:VTIMEZONE').length - 1;

  it('is described before the events', () => {
    const after = move('');
    expect(linesOf(after)).toEqual(moved);
    expect(after.split('\r\n')[3]).toBe('BEGIN:VTIMEZONE');
    expect(zonesIn(after)).toBe(1);
    expect(after.split('VERSION:2.0')).toHaveLength(2);
  });

  it('keeps the description by rules that a program wrote', () => {
    const after = move(`${ZONE_BY_RULE}\r\n`);
    expect(linesOf(after)).toEqual(moved);
    expect(after).toContain(ZONE_BY_RULE);
    expect(zonesIn(after)).toBe(1);
  });

  it('is described anew where single dates may not reach it', () => {
    const after = move(`${ZONE_OF_DATES}\r\n`);
    expect(linesOf(after)).toEqual(moved);
    expect(after).not.toContain(FORMER);
    expect(zonesIn(after)).toBe(1);
  });

  it('keeps a description of dates that another event uses too', () => {
    const other = icalendar('c@d', berlin).split('\r\n').slice(3, -2).join('\r\n');
    const after = move(`${ZONE_OF_DATES}\r\n`, `${other}\r\n`);
    expect(after).toContain(ZONE_OF_DATES);
    expect(zonesIn(after)).toBe(1);
  });

  it('comes beside that of another zone', () => {
    const after = move(`${ZONE_BY_RULE.replace('Europe/Berlin', 'Europe/Paris')}\r\n`);
    expect(linesOf(after)).toEqual(moved);
    expect(zonesIn(after)).toBe(2);
  });

  it('is left alone by a change that moves nothing', () => {
    const same = times('11:00', '12:00', 'Europe/Berlin');
    expect(zonesIn(move('', '', same))).toBe(0);
    expect(zonesIn(move('', '', { summary: 'x' }))).toBe(0);
  });

  it('is asked of the event that is moved, not of another in its object', () => {
    const other = icalendar('c@d', berlin).split('\r\n').slice(3, -2).join('\r\n');
    const { object, first } = read(
      icalendar('a@b', HOUR).replace('BEGIN:VEVENT', `${ZONE_BY_RULE}\r\n${other}\r\nBEGIN:VEVENT`),
    );
    const of = object.events.find(({ uid }) => uid === 'a@b') ?? first;
    const fields = times('10:00', '11:00', 'Europe/Berlin');
    const after = editedObject(object, { of, fields, about: ABOUT });
    expect(after).toContain('DTSTART;TZID=Europe/Berlin:20261203T110000');
  });

  it('must be right at its end as well', () => {
    const odd = ZONE_BY_RULE.replace('19960331T020000', '19961203T103000')
      .replace('BYMONTH=3;BYDAY=-1SU', 'BYMONTH=12;BYMONTHDAY=3')
      .replace(`TZNAME:${FORMER}\r\n`, '');
    expect(linesOf(move(`${odd}\r\n`))).toEqual([...HOUR, 'SEQUENCE:1']);
  });

  it('is not described where the time is written in UTC after all', () => {
    const odd = ZONE_BY_RULE.replaceAll(/TZOFFSET(FROM|TO):.*\r\n/g, 'TZOFFSET$1:+0500\r\n');
    const after = move(`${odd}\r\n`);
    expect(linesOf(after)).toEqual([...HOUR, 'SEQUENCE:1']);
    expect(after).toContain(odd);
    const day = move(`${odd}\r\n`, '', { start: { date: '2026-12-03' }, end: { date: '2026-12-04' } });
    expect(linesOf(day).slice(0, 2)).toEqual(['DTSTART;VALUE=DATE:20261203', 'DTEND;VALUE=DATE:20261204']);
  });
});

describe('an instance of a series', () => {
  const span = { fromMs: Date.parse('2026-12-01'), untilMs: Date.parse('2026-12-20'), about: ABOUT };
  const series = async (lines: readonly string[], nth: number) => {
    const { object, first: master } = read(icalendar('a@b', lines));
    const found = await instancesIn(object, { master, ...span });
    const instance = found?.[nth];
    if (instance === undefined) throw new Error('no instance');
    return { object, master, instance };
  };
  const partsOf = (text: string) => text.split('BEGIN:VEVENT\r\n').slice(1);
  const daily = ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20261206T090000Z', 'SUMMARY:Cut'];
  const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT5M', 'END:VALARM'];

  it.each([
    [
      'in a zone',
      ['DTSTART;TZID=Europe/Berlin:20261203T100000', 'DURATION:PT1H'],
      [
        'RECURRENCE-ID;TZID=Europe/Berlin:20261204T100000',
        'DTSTART;TZID=Europe/Berlin:20261204T100000',
        'DTEND;TZID=Europe/Berlin:20261204T110000',
      ],
      'EXDATE;TZID=Europe/Berlin:20261204T100000',
    ],
    [
      'in UTC',
      HOUR,
      ['RECURRENCE-ID:20261204T090000Z', 'DTSTART:20261204T090000Z', 'DTEND:20261204T100000Z'],
      'EXDATE:20261204T090000Z',
    ],
    [
      'of days',
      ['DTSTART;VALUE=DATE:20261203', 'DTEND;VALUE=DATE:20261204'],
      ['RECURRENCE-ID;VALUE=DATE:20261204', 'DTSTART;VALUE=DATE:20261204', 'DTEND;VALUE=DATE:20261205'],
      'EXDATE;VALUE=DATE:20261204',
    ],
  ])('%s is written beside it, or left out of it', async (_, when, ...[own, left]) => {
    const { object, master, instance } = await series(
      [...when, ...daily.slice(0, 1), 'SUMMARY:Cut', ...alarm],
      1,
    );
    const added = withInstance(object, { master, instance, about: ABOUT });
    const of = added?.events.find(({ event }) => event.id === instance.id);
    if (added === undefined || of === undefined) throw new Error('not there');
    const after = editedObject(added, { of, fields: { description: 'Booked' }, about: ABOUT });
    const [series0 = '', instance1 = ''] = partsOf(after);
    expect(series0).not.toContain('Booked');
    expect(instance1.split('\r\n')).toEqual([
      ...['UID:a@b', 'DTSTAMP:20261101T000000Z', 'SUMMARY:Cut', ...own, 'DESCRIPTION:Booked'],
      ...['LAST-MODIFIED:20261101T000000Z', ...alarm, 'END:VEVENT', 'END:VCALENDAR', ''],
    ]);
    const without = withoutInstance(object, { master, instance, about: ABOUT });
    expect(linesOf(without)).toEqual([...when, daily[0], 'SUMMARY:Cut', left, ...alarm]);
    expect(partsOf(without)).toHaveLength(1);
    expect(without).toContain('PRODID:-//Some//Program//EN\r\nBEGIN:VEVENT');
    const { object: cut, first } = read(without);
    const days = await instancesIn(cut, { master: first, ...span });
    expect(days?.map(({ id }) => id)).not.toContain(instance.id);
    expect(days).toHaveLength(3);
  });

  it('that was moved leaves with its own component, by the time of its rule', async () => {
    const moved = [
      ...['END:VEVENT', 'BEGIN:VEVENT', 'UID:a@b', 'DTSTAMP:20261101T000000Z'],
      ...['RECURRENCE-ID:20261204T090000Z', 'DTSTART:20261205T120000Z', 'SUMMARY:Moved'],
    ];
    const text = icalendar('a@b', [...HOUR, ...daily, ...moved]);
    const { object, first: master } = read(text);
    const [, second] = object.events;
    if (second === undefined) throw new Error('no instance');
    const after = withoutInstance(object, { master, instance: second.event, about: ABOUT });
    expect(linesOf(after)).toEqual([...HOUR, ...daily, 'EXDATE:20261204T090000Z']);
    expect(after).not.toContain('Moved');
    expect(partsOf(after)).toHaveLength(1);
    const edit = editedObject(object, { of: second, fields: { summary: 'New' }, about: ABOUT });
    expect(partsOf(edit)[0]).toContain('SUMMARY:Cut');
    expect(partsOf(edit)[1]).toContain('SUMMARY:New');
    const timeZone = 'Europe/Berlin';
    const fields = {
      start: { dateTime: '2026-12-05T13:00:00Z', timeZone },
      end: { dateTime: '2026-12-05T14:00:00Z', timeZone },
    };
    const later = editedObject(object, { of: second, fields, about: ABOUT });
    expect(partsOf(later)[1]).toContain('DTSTART;TZID=Europe/Berlin:20261205T140000');
  });
});

it('an object of another calendar has its UID in each event, and keeps all else', () => {
  const text = icalendar('a@b', [
    ...HOUR,
    'RRULE:FREQ=DAILY',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:a@b',
    ...HOUR,
  ]);
  const zoned = text.replace('BEGIN:VEVENT', `${ZONE_BY_RULE}\r\nBEGIN:VEVENT`);
  expect(renamedObject(read(zoned).object, 'new')).toBe(zoned.replaceAll('UID:a@b', 'UID:new'));
});

describe('an event is as it was written', () => {
  const wanted = {
    ...{ id: 'a', etag: 'c1', status: 'confirmed', summary: 'Cut', description: 'a', location: 'Here' },
    ...times('09:00', '10:00', 'Europe/Berlin'),
    extendedProperties: { private: { slotbridge: '1' } },
  } as CalendarEvent;
  const as = (change: Partial<CalendarEvent>) => isAsWritten(wanted, { ...wanted, ...change });
  const { extendedProperties: _, ...bare } = wanted;

  it('in the words of a server', () => {
    expect(as({ etag: 'c2', start: { dateTime: '2026-12-03T10:00:00+01:00' } })).toBe(true);
    expect(as({ summary: 'C\\,ut' })).toBe(false);
    expect(isAsWritten({ ...wanted, summary: 'a, b' }, { ...wanted, summary: 'a\\, b' })).toBe(true);
    expect(isAsWritten({ ...wanted, summary: 'a\\, b' }, { ...wanted, summary: 'a, b' })).toBe(true);
    const { summary: _s, description: _d, location: _l, ...silent } = bare;
    expect(isAsWritten(silent, { ...silent, summary: '', extendedProperties: {} })).toBe(true);
    expect(isAsWritten({ ...silent, summary: '' }, silent)).toBe(true);
    const day = { start: { date: '2026-12-03' }, end: { date: '2026-12-04' } };
    expect(isAsWritten({ ...wanted, ...day }, { ...wanted, ...day })).toBe(true);
  });

  it.each<[string, Partial<CalendarEvent>]>([
    ['start', { start: at('09:01') }],
    ['end', { end: at('10:01') }],
    ['day', { start: { date: '2026-12-03' } }],
    ['status', { status: 'tentative' }],
    ['title', { summary: 'Other' }],
    ['description', { description: 'b' }],
    ['location', { location: 'There' }],
    ['marks', { extendedProperties: { private: {} } }],
  ])('but not with another %s', (_, change) => {
    expect(as(change)).toBe(false);
  });
});
