import { expect, test } from 'vitest';
import type { CalendarMirror } from '../../src/engine/mirror.ts';
import type { Claim, DeadLetter } from '../../src/engine/work.ts';
import { type BehindParts, calendarNoteText, calendarsBehind } from '../../src/operate/note-round.ts';

const NOW = '2026-11-24T12:00:00.000Z';
const NOW_MS = Date.parse(NOW);
const MINUTE_MS = 60_000;
const ago = (minutes: number) => NOW_MS - minutes * MINUTE_MS;
const iso = (minutes: number) => new Date(ago(minutes)).toISOString();

const calendar = (calendarId: string) => ({ resource: calendarId, calendarId });
const mirrors = [
  { name: 'staff', calendars: [calendar('anna'), calendar('boris')] },
  { name: 'rooms', calendars: [calendar('room')] },
] as unknown as CalendarMirror[];
const resources: Record<string, Map<string, string>> = {
  staff: new Map([
    ['r-anna', 'anna'],
    ['r-boris', 'boris'],
  ]),
  rooms: new Map([['r-room', 'room']]),
};

function parts(more: Partial<BehindParts> = {}, feedMinutes: number | null = 0): BehindParts {
  const covered_until = feedMinutes === null ? null : iso(feedMinutes);
  const report = {
    at: NOW,
    coverage: { feed: { covered_until } },
    holes: [],
  } as unknown as BehindParts['report'];
  return {
    ...{ report, pending: [], letters: [], mirrors, afterMs: 30 * MINUTE_MS },
    calendarsOf: ({ name }) => resources[name] ?? new Map(),
    ...more,
  };
}

function pending(minutes: number, more: Partial<Claim> = {}): Claim {
  const key = { kind: 'appointment', id: 'a' } as const;
  const about = {
    fence: '1',
    desiredRev: 2,
    syncedRev: 1,
    deleted: false,
    verify: false,
    projectId: undefined,
  };
  return {
    key,
    ...about,
    snapshot: undefined,
    links: {},
    pendingSinceMs: ago(minutes),
    sightings: [],
    ...more,
  };
}

const at = (resource: string) => ({ resource_ids: [resource] }) as unknown as Claim['snapshot'];
const waits = (...places: string[]) =>
  Object.fromEntries(places.map((place) => [place, {}])) as unknown as NonNullable<Claim['waits']>;
const standsAt = (calendarId: string) =>
  ({ staff: { calendars: [{ calendarId }] } }) as unknown as Claim['links'];
const told = (given: BehindParts) =>
  Object.fromEntries(
    [...calendarsBehind(given)].map(([id, { sinceMs, why }]) => [id, [(NOW_MS - sinceMs) / MINUTE_MS, why]]),
  );
const all = (minutes: number) => ({
  ...{ anna: [minutes, 'waits'], boris: [minutes, 'waits'], room: [minutes, 'waits'] },
});
const hole = (cause: string, minutes: number) => {
  const { report } = parts();
  const holes = [{ id: 'h', source: 'feed', from: null, to: null, cause, found_at: iso(minutes) }];
  return { report: { ...report, holes } };
};

const teams = {
  mirrors: [{ name: 'teams', calendars: ['north', 'cuts', 'everything'].map(calendar) }] as never,
  calendarsOf: () =>
    new Map([
      ['branch:b-north', 'north'],
      ['service:s-cut', 'cuts'],
      ['all', 'everything'],
    ]),
};
const ofTeams = { branch_id: 'b-north', service_id: 's-cut' } as unknown as Claim['snapshot'];

test.each<[string, BehindParts, Record<string, unknown>]>([
  ['nothing waits', parts(), {}],
  ['the feed is unread for less than the time', parts({}, 29), {}],
  ['the feed is unread for longer: every calendar', parts({}, 31), all(31)],
  ['the feed was read in the future, by a clock that was ahead', parts({}, -600), {}],
  ['the feed was never read, and nothing says since when', parts({}, null), {}],
  ['a hole does not close', parts(hole('endpoint-disabled', 40)), all(40)],
  ['an operator has everything read again, which takes long', parts(hole('operator', 400)), {}],
  ['the clock has everything read again', parts(hole('scheduled', 400)), {}],
  ['a change is on its way', parts({ pending: [pending(5, { snapshot: at('r-anna') })] }), {}],
  [
    'an appointment had no turn: where it is to stand',
    parts({ pending: [pending(35, { snapshot: at('r-anna') })] }),
    { anna: [35, 'waits'] },
  ],
  [
    'also in calendars of a branch, a service and everything',
    parts({ ...teams, pending: [pending(35, { snapshot: ofTeams })] }),
    { north: [35, 'waits'], cuts: [35, 'waits'], everything: [35, 'waits'] },
  ],
  [
    'and where it stands still',
    parts({ pending: [pending(35, { snapshot: at('r-anna'), links: standsAt('boris') })] }),
    { anna: [35, 'waits'], boris: [35, 'waits'] },
  ],
  [
    'it waits for one calendar: the others have it',
    parts({ pending: [pending(35, { snapshot: at('r-anna'), waits: waits('staff boris') })] }),
    { boris: [35, 'waits'] },
  ],
  [
    'it waits for what people did to one calendar',
    parts({ pending: [pending(35, { waits: waits('*staff boris') })] }),
    { boris: [35, 'waits'] },
  ],
  [
    'it waits for one mirror as a whole',
    parts({ pending: [pending(35, { snapshot: at('r-room'), waits: waits('rooms') })] }),
    { room: [35, 'waits'] },
  ],
  [
    'it waits as a whole',
    parts({ pending: [pending(35, { snapshot: at('r-anna'), waits: waits('*') })] }),
    { anna: [35, 'waits'] },
  ],
  [
    'it waits for a sheet only',
    parts({ pending: [pending(35, { snapshot: at('r-anna'), waits: waits('visits') })] }),
    {},
  ],
  [
    'what waits is no appointment',
    parts({ pending: [pending(35, { key: { kind: 'contact', id: 'c' }, snapshot: at('r-anna') })] }),
    {},
  ],
  [
    'the oldest counts',
    parts({
      pending: [
        pending(35, { snapshot: at('r-anna') }),
        pending(50, { snapshot: at('r-anna') }),
        pending(40, { snapshot: at('r-anna') }),
      ],
    }),
    { anna: [50, 'waits'] },
  ],
  [
    'an event was given up',
    parts({ letters: [letter('calendar:anna', 60), letter('calendar:gone', 60), letter('platform', 60)] }),
    { anna: [60, 'given-up'] },
  ],
  ['it was given up just now', parts({ letters: [letter('calendar:anna', 3)] }), {}],
])('%s', (_, given, expected) => {
  expect(told(given)).toEqual(expected);
});

function letter(target: string, minutes: number): DeadLetter {
  const reasons = [{ mirror: 'staff', code: 'x', message: 'y', target }];
  return { key: 'appointment/a', atMs: ago(minutes), attempts: 1, reasons };
}

test('the note says since when on the clock of the calendar, and whether somebody has to see to it', () => {
  const behind = { sinceMs: Date.parse('2026-11-23T21:30:00Z'), why: 'waits' } as const;
  const en = calendarNoteText(behind, { zone: 'Europe/Moscow', language: 'en' });
  expect(en.summary).toBe('This calendar is not up to date');
  expect(en.description).toMatch(/^Since 24 November, 00:30, changes .*They follow by themselves\./);
  const ru = calendarNoteText({ ...behind, why: 'given-up' }, { zone: 'Europe/Moscow', language: 'ru' });
  expect(ru.description).toMatch(/^С 24 ноября, 00:30 .*администратор slotbridge\./);
});
