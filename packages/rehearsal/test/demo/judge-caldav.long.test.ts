// The judge reads the files of a real radicale. People remove, double and change its events by hand, and the judge must say so.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedCompany } from '@slotbridge/sandbox/platform/company';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOn } from '../../../../test/caldav/servers/describe.ts';
import { type CaldavColleague, CalendarFiles, startCaldavColleague } from '../../demo/caldav/calendar.ts';
import { eventsIn } from '../../demo/caldav/read-event.ts';
import { namesOf, type Wire, wireText } from '../../demo/judge/company.ts';
import { type EventPicture, expectedEvents } from '../../demo/judge/event-picture.ts';
import { judgeMirrors } from '../../demo/judge/judge.ts';

const COLOURS: Readonly<Record<string, string>> = {
  2: 'mediumseagreen',
  5: 'gold',
  8: 'dimgray',
  11: 'crimson',
};

describeOn('radicale', () => {
  let folder: string;
  let platform: PlatformSandbox;
  let colleague: CaldavColleague;
  let calendars: ReadonlyMap<string, string>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sb-judge-'));
    platform = await PlatformSandbox.start({ seed: 7 });
    const company = seedCompany(platform, { seed: 7, contacts: 12, appointments: 30 });
    const started = await startCaldavColleague({ folder, random: () => 1 });
    if (started === undefined) throw new Error('radicale cannot be run');
    colleague = started;
    const [person = ''] = company.personIds;
    calendars = new Map([[person, colleague.calendarId]]);
    const names = namesOf(platform.truth, { calendars });
    for (const appointment of platform.truth.appointments()) {
      const picture = expectedEvents(appointment, names).get(colleague.calendarId);
      if (picture !== undefined)
        await put(`${wireText(appointment['id'])}.ics`, textOf(appointment, picture));
    }
  }, 60_000);
  afterEach(async () => {
    await colleague.stop();
    await platform.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function put(name: string, text: string): Promise<void> {
    const { status } = await colleague.phone.put(`${colleague.phoneCalendar}${name}`, text);
    expect(status).toBeLessThan(300);
  }

  function differences(): readonly string[] {
    const google = { events: () => colleague.events(), values: () => [] };
    const verdict = judgeMirrors(platform.truth, google, {
      ...{ calendars, caldav: colleague.calendarId, spreadsheetId: '' },
    });
    return verdict.calendars.flatMap((each) =>
      each.differences.map(({ kind, id, what }) => `${kind} ${id} ${what}`),
    );
  }

  /** Its file, and its appointment's id. */
  function someEvent() {
    const [name = ''] = colleague.names();
    const address = `${colleague.phoneCalendar}${name}`;
    return { name, address, id: name.replace('.ics', '') };
  }

  it('finds nothing where everything is right', () => {
    expect(colleague.names().length).toBeGreaterThan(3);
    expect(differences()).toEqual([]);
  });

  it('misses an event that was removed', async () => {
    const { address, id } = someEvent();
    await colleague.phone.remove(address);
    expect(differences()).toEqual([`missing ${id} no event`]);
  });

  it('sees the second event of one appointment', async () => {
    const { address, id } = someEvent();
    const { text } = await colleague.phone.get(address);
    await put('twice.ics', text.replace(/^UID:.*$/m, 'UID:twice'));
    expect(differences()).toEqual([`doubled ${id} one event more`]);
  });

  it('sees the same event in a second file', () => {
    const { name, id } = someEvent();
    const calendar = join(folder, 'radicale/collections/collection-root/anna/work');
    writeFileSync(join(calendar, 'again.ics'), readFileSync(join(calendar, name)));
    expect(differences()).toEqual([`doubled ${id} one event more`]);
  });

  it('sees each field that differs', async () => {
    const confirmed = platform.truth
      .appointments()
      .find(
        (one) => one['status'] === 'confirmed' && colleague.names().includes(`${wireText(one['id'])}.ics`),
      );
    const id = wireText(confirmed?.['id']);
    const { text } = await colleague.phone.get(`${colleague.phoneCalendar}${id}.ics`);
    const right = text.replaceAll('\r\n ', '');
    const edits: readonly (readonly [string, string | RegExp, string])[] = [
      ['title', /^SUMMARY:.*$/m, 'SUMMARY:Lunch?'],
      ['description', 'Phone', 'phone'],
      ['place', /^LOCATION:.*$/m, 'LOCATION:Elsewhere'],
      ['start', /(?<=^DTSTART;.*T\d{4})00/m, '30'],
      ['end', /(?<=^DTEND;.*T\d{4})00/m, '30'],
      ['state', /^STATUS:.*$/m, 'STATUS:TENTATIVE'],
      ['colour', /^END:VEVENT/m, 'COLOR:crimson\r\nEND:VEVENT'],
      ['guests', /^END:VEVENT/m, 'ATTENDEE:mailto:guest@example.com\r\nEND:VEVENT'],
    ];
    for (const [what, from, to] of edits) {
      await put(`${id}.ics`, right.replace(from, to));
      expect(differences()).toEqual([`stale ${id} differs in ${what}`]);
    }
  });
});

it('there is no colleague on a CalDAV server where no radicale can be run', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = tmpdir();
  try {
    expect(await startCaldavColleague({ folder: tmpdir(), random: () => 1 })).toBeUndefined();
  } finally {
    process.env['PATH'] = path;
  }
});

it('tells the id of an event whose file is gone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sb-judge-'));
  const calendar = join(folder, 'work');
  mkdirSync(calendar);
  const text = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:one',
    'DTSTART:20261201T100000Z',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  writeFileSync(join(calendar, 'a b.ics'), text.join('\r\n'));
  const files = new CalendarFiles(calendar);
  expect(files.written('/anna/a%20b.ics')).toMatchObject([{ id: 'one', status: 'confirmed' }]);
  rmSync(join(calendar, 'a b.ics'));
  expect(files.written('/anna/a%20b.ics')).toEqual([{ id: 'one', status: 'cancelled' }]);
  rmSync(folder, { recursive: true, force: true });
});

it('reads a moment by the rules of the zone that the object describes, and not by its name', () => {
  const zone = ['BEGIN:VTIMEZONE', 'TZID:Europe/Berlin', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'];
  const rules = ['TZOFFSETFROM:+0500', 'TZOFFSETTO:+0500', 'END:STANDARD', 'END:VTIMEZONE'];
  const event = [
    'BEGIN:VEVENT',
    'UID:one',
    'DTSTART;TZID=Europe/Berlin:20261201T100000',
    'DURATION:PT1H',
    'END:VEVENT',
  ];
  const [read] = eventsIn(['BEGIN:VCALENDAR', ...zone, ...rules, ...event, 'END:VCALENDAR'].join('\r\n'));
  expect(read).toMatchObject({
    start: { dateTime: '2026-12-01T05:00:00.000Z', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2026-12-01T06:00:00.000Z' },
  });
});

/** As a calendar program would write the picture. */
function textOf(appointment: Wire, picture: EventPicture): string {
  const stamp = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const escaped = (text: string) => text.replaceAll(/[\\;,]/g, '\\$&').replaceAll('\n', '\\n');
  const plain = picture.description.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const local = (ms: number) => stamp(ms + offsetOf(ms, picture.zone)).replace('Z', '');
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//people//of the shop//EN'],
    ...['BEGIN:VTIMEZONE', `TZID:${picture.zone}`, 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
    ...[
      `TZOFFSETFROM:${offsetText(picture)}`,
      `TZOFFSETTO:${offsetText(picture)}`,
      'END:STANDARD',
      'END:VTIMEZONE',
    ],
    ...['BEGIN:VEVENT', `UID:${wireText(appointment['id'])}@shop`, 'DTSTAMP:20261101T000000Z'],
    `DTSTART;TZID=${picture.zone}:${local(picture.start)}`,
    `DTEND;TZID=${picture.zone}:${local(picture.end)}`,
    `SUMMARY:${escaped(picture.title)}`,
    `DESCRIPTION:${escaped(plain)}`,
    `LOCATION:${escaped(picture.place)}`,
    `STATUS:${picture.state.toUpperCase()}`,
    ...(picture.colour === '' ? [] : [`COLOR:${COLOURS[picture.colour]}`]),
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
}

function offsetOf(ms: number, zone: string): number {
  const shown = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(ms);
  return Date.parse(`${shown.replace(' ', 'T')}Z`) - ms;
}

function offsetText({ start, zone }: EventPicture): string {
  const hours = offsetOf(start, zone) / 3_600_000;
  return `+${String(hours).padStart(2, '0')}00`;
}
