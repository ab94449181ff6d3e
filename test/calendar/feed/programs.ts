// Calendar programs read a feed from its address, each in its own way.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ICAL from 'ical.js';
import { DateTime } from 'luxon';
import nodeIcal from 'node-ical';
import { findFeedReaders } from '../../../scripts/setup/feed-readers.mjs';

/** The programs show times in this zone, whose clocks change. */
export const READER_ZONE = 'Europe/Berlin';

/** An appointment as a program shows it, by the clock of `READER_ZONE`. */
export interface Read {
  readonly start: string;
  readonly end: string;
  readonly title: string;
  readonly place: string;
  readonly text: string;
}

export interface Program {
  readonly name: string;
  readonly isInstalled: boolean;
  /** In the order of their starts. `folder` is the program's own, and stays between two calls. */
  read(address: string, folder: string): Promise<readonly Read[]>;
}

const { python, khal, vdirsyncer, calcurse } = findFeedReaders();
/** Neither is in any text of a test. */
const [FIELD, RECORD] = ['§', '¶'];
const run = promisify(execFile);
const env = { ...process.env, TZ: READER_ZONE, LC_ALL: 'C.UTF-8' };

export const PROGRAMS: readonly Program[] = [
  { name: 'node-ical', isInstalled: true, read: byNodeIcal },
  { name: 'ical.js', isInstalled: true, read: byIcalJs },
  { name: 'python3-icalendar', isInstalled: python !== undefined, read: byPython },
  { name: 'calcurse', isInstalled: calcurse !== undefined, read: byCalcurse },
  { name: 'khal over vdirsyncer', isInstalled: (khal && vdirsyncer) !== undefined, read: byKhal },
];

/** By the clock of the readers. */
export function shownTime(at: Date | string | number): string {
  return DateTime.fromJSDate(new Date(at)).setZone(READER_ZONE).toFormat('yyyy-MM-dd HH:mm');
}

function inOrder(read: readonly Read[]): readonly Read[] {
  // The entry of an empty feed is in the past.
  return read.filter(({ start }) => start > '2001').sort((a, b) => (a.start < b.start ? -1 : 1));
}

async function fileAt(address: string): Promise<string> {
  return (await fetch(address)).text();
}

async function byNodeIcal(address: string): Promise<readonly Read[]> {
  const parts = Object.values(nodeIcal.sync.parseICS(await fileAt(address)));
  return inOrder(
    parts.flatMap((part) =>
      part?.type === 'VEVENT'
        ? [
            {
              ...{ start: shownTime(part.start), end: shownTime(part.end ?? 0), title: String(part.summary) },
              ...{ place: String(part.location), text: String(part.description) },
            },
          ]
        : [],
    ),
  );
}

async function byIcalJs(address: string): Promise<readonly Read[]> {
  const calendar = new ICAL.Component(ICAL.parse(await fileAt(address)));
  return inOrder(
    calendar.getAllSubcomponents('vevent').map((part) => {
      const { startDate, endDate, summary, location, description } = new ICAL.Event(part);
      return {
        ...{ start: shownTime(startDate.toJSDate()), end: shownTime(endDate.toJSDate()) },
        ...{ title: summary, place: location, text: description },
      };
    }),
  );
}

const WITH_PYTHON = `
import json, sys
from icalendar import Calendar
parts = Calendar.from_ical(sys.stdin.buffer.read()).walk('VEVENT')
print(json.dumps([{
    'start': p.decoded('DTSTART').isoformat(), 'end': p.decoded('DTEND').isoformat(), 'title': p['SUMMARY'],
    'place': p.get('LOCATION', ''), 'text': p.get('DESCRIPTION', ''), 'errors': [str(e) for e in p.errors],
} for p in parts]))
`;

async function byPython(address: string): Promise<readonly Read[]> {
  const running = run(python ?? '', ['-c', WITH_PYTHON], { env });
  running.child.stdin?.end(await fileAt(address));
  const parts = JSON.parse((await running).stdout) as (Read & { readonly errors: readonly string[] })[];
  return inOrder(
    parts.map(({ start, end, errors, ...texts }) => {
      if (errors.length > 0) throw new Error(errors.join());
      return { start: shownTime(start), end: shownTime(end), ...texts };
    }),
  );
}

async function byCalcurse(address: string, folder: string): Promise<readonly Read[]> {
  const file = join(folder, `${Date.now()}.ics`);
  const data = join(folder, `data-${Date.now()}`);
  await writeFile(file, await fileAt(address));
  const imported = await run('calcurse', ['-D', data, '-i', file], { env });
  if (!imported.stdout.includes('/ 0 skipped')) throw new Error(imported.stdout);
  const form = `${RECORD}%(start:epoch)${FIELD}%(end:epoch)${FIELD}%m${FIELD}%N`;
  const query = ['-Q', '--from', '01/01/2001', '--days', '20000', '--format-apt', form];
  const { stdout } = await run('calcurse', ['-D', data, ...query], { env });
  return inOrder(
    stdout
      .split(RECORD)
      .slice(1)
      .map((record) => {
        const [start, end, title = '', note = ''] = record.split(FIELD);
        const [text = '', place = ''] = note.replaceAll('\n\t', '\n').trim().split('\n-- \nLocation: ');
        const shown = { start: shownTime(Number(start) * 1_000), end: shownTime(Number(end) * 1_000) };
        return { ...shown, title, place: place.split('\n')[0] ?? '', text };
      }),
  );
}

async function byKhal(address: string, folder: string): Promise<readonly Read[]> {
  const disk = join(folder, 'disk');
  await mkdir(disk, { recursive: true });
  const sync = join(folder, 'vdirsyncer.conf');
  await writeFile(
    sync,
    `[general]
status_path = "${join(folder, 'status')}"
[pair feed]
a = "web"
b = "disk"
collections = null
conflict_resolution = "a wins"
[storage web]
type = "http"
url = "${address}"
[storage disk]
type = "filesystem"
path = "${disk}"
fileext = ".ics"
`,
  );
  const config = join(folder, 'khal.conf');
  await writeFile(
    config,
    `[calendars]
[[feed]]
path = ${disk}
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = ${READER_ZONE}
default_timezone = ${READER_ZONE}
[sqlite]
path = ${join(folder, 'khal.db')}
`,
  );
  const discovering = run('vdirsyncer', ['-c', sync, 'discover'], { env });
  discovering.child.stdin?.end('y\ny\n');
  await discovering;
  await run('vdirsyncer', ['-c', sync, 'sync'], { env });
  const fields = ['start-long-full', 'end-long-full', 'title', 'location', 'description'];
  const form = `${RECORD}${fields.map((name) => `{${name}}`).join(FIELD)}`;
  const list = ['list', '--once', '--day-format', '', '--format', form, '2001-01-01', '20000d'];
  const { stdout } = await run('khal', ['-c', config, ...list], { env });
  return inOrder(
    stdout
      .split(RECORD)
      .slice(1)
      .map((record) => {
        const [start = '', end = '', title = '', place = '', text = ''] = record.split(FIELD);
        return { start, end, title, place, text: text.trim() };
      }),
  );
}
