import { describe, expect, test } from 'vitest';
import { ZONES_VERSION } from '../../src/engine/zone-rules.ts';
import { createStatusSource, formatStatus, type StatusParts } from '../../src/operate/status.ts';
import { StatusStores } from '../doubles/status-stores.ts';

async function shown(
  change: (stores: StatusStores) => void,
  options: { parts?: Partial<StatusParts>; color?: boolean } = {},
): Promise<string> {
  const stores = new StatusStores();
  change(stores);
  const report = await createStatusSource({ ...stores.parts(), ...options.parts }).read();
  return formatStatus(report, { color: options.color ?? false });
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

const QUIET = () => undefined;
const ESCAPE = '\u001b';

function letters(count: number, code: string) {
  const reasons = [{ mirror: 'staff', code, message: `message of ${code}`, advice: `Advice for ${code}.` }];
  return Array.from({ length: count }, (_, at) => ({
    key: `appointment/${code}-${at}`,
    atMs: 0,
    attempts: 8,
    reasons,
  }));
}

describe('the first line', () => {
  test('says that all is well, up to when, and how old the proof is', async () => {
    expect(firstLine(await shown(QUIET))).toBe(
      'all mirrored; covered without a hole up to 14:03:22 UTC, proved 12 s ago',
    );
  });

  test('names the day when it is another one', async () => {
    const text = await shown((stores) => stores.clock.advance(10 * 3_600_000));
    expect(firstLine(text)).toContain('up to 2026-11-21 14:03:22 UTC, proved 10 h ago');
  });

  test('says what is being worked on', async () => {
    const text = await shown((stores) => {
      stores.pending = { objects: 1_200, oldestSinceMs: stores.clock.now() - 4_000 };
      stores.rows = [{ spreadsheetId: 'a', rows: 1 }];
    });
    expect(firstLine(text)).toMatch(
      /^working: 1,200 objects pending, 1 sheet row waiting to be written; covered/,
    );
    expect(text).toContain('1,200 objects, the oldest for 4 s; 1 sheet row to be written');
  });

  test('says first what needs a person, though work goes on', async () => {
    const text = await shown((stores) => {
      stores.pending = { objects: 2, oldestSinceMs: stores.clock.now() };
      stores.letters = letters(3, 'resource-unmapped');
      stores.problems = [
        { target: 'platform', code: 'key-refused', message: 'no', sinceMs: 0, lastAtMs: stores.clock.now() },
      ];
    });
    expect(firstLine(text)).toMatch(
      /^needs a person: 1 problem, 3 dead letters; in progress: 2 objects pending; /,
    );
  });

  test('does not call a feed that nobody reads any more covered without saying so', async () => {
    const text = await shown((stores) => stores.clock.advance(600_000));
    expect(firstLine(text)).toBe(
      'needs a person: the event feed is not being read; covered without a hole up to 14:03:22 UTC, proved 10 min ago',
    );
  });

  test('says that the worker is not running', async () => {
    const text = await shown(QUIET, { parts: { worker: 'not-running', inFlight: () => undefined } });
    expect(firstLine(text)).toMatch(/^needs a person: the worker is not running; covered/);
    expect(text).toContain('slotbridge start');
  });

  test('says that nothing is covered before the first walk, which is no alarm while the worker is young', async () => {
    const lineAfter = async (ms: number) => {
      const stores = new StatusStores();
      stores.coverage = { ...stores.coverage, coveredUntilMs: undefined, provedAtMs: undefined };
      const parts = { ...stores.parts(), startedAtMs: stores.clock.now() - ms };
      return firstLine(formatStatus(await createStatusSource(parts).read(), { color: false }));
    };
    expect(await lineAfter(20_000)).toBe(
      'working: the event feed has not been read completely yet; nothing is covered yet',
    );
    expect(await lineAfter(6 * 60_000)).toBe(
      'needs a person: the event feed is not being read; nothing is covered yet',
    );
  });

  test('says how many holes there are, and the screen where', async () => {
    const text = await shown((stores) => {
      const foundAtMs = stores.clock.now() - 180_000;
      const toMs = Date.parse('2026-11-21T12:00:00Z');
      const hole = { source: 'feed', fromMs: undefined, toMs, cause: 'first-start', foundAtMs } as const;
      stores.holes = [
        { ...hole, id: '1' },
        {
          ...hole,
          id: '2',
          cause: 'endpoint-disabled',
          fromMs: Date.parse('2026-11-19T12:00:00Z'),
          toMs: undefined,
        },
      ];
    });
    expect(firstLine(text)).toMatch(/^working: 2 holes in the coverage; covered but for 2 holes up to/);
    expect(text).toContain('feed: the beginning to 12:00:00 UTC (first-start), found 3 min ago');
    expect(text).toContain('feed: 2026-11-19 12:00:00 UTC to now, still growing (endpoint-disabled)');
  });
});

describe('after a downtime of ten hours', () => {
  const MINUTE = 60_000;

  async function lineOf({
    runsForMs,
    pageAgoMs,
    parts = {},
  }: {
    runsForMs: number;
    pageAgoMs?: number;
    parts?: Partial<StatusParts>;
  }): Promise<string> {
    const stores = new StatusStores();
    const now = stores.clock.now();
    const longAgo = now - 600 * MINUTE;
    const walk = {
      startedAtMs: longAgo,
      top: [],
      topAtMs: undefined,
      position: 'e',
      metAnchor: false,
      pages: 9,
    };
    const open = pageAgoMs === undefined ? undefined : { ...walk, pageAtMs: now - pageAgoMs };
    stores.coverage = { ...stores.coverage, coveredUntilMs: longAgo, provedAtMs: longAgo, open };
    const all = { ...stores.parts(), startedAtMs: now - runsForMs, ...parts };
    return firstLine(formatStatus(await createStatusSource(all).read(), { color: false }));
  }

  const SO_FAR = 'covered without a hole up to 04:03:34 UTC, proved 10 h ago';
  const UNREAD = `needs a person: the event feed is not being read; ${SO_FAR}`;

  test('nobody is needed before the first walk can have ended, and somebody is when it has not', async () => {
    const begun = `working: the event feed has yet to be read; ${SO_FAR}`;
    expect(await lineOf({ runsForMs: 2_000 })).toBe(begun);
    expect(await lineOf({ runsForMs: 5 * MINUTE })).toBe(begun);
    expect(await lineOf({ runsForMs: 5 * MINUTE + 1_000 })).toBe(UNREAD);
  });

  test('a feed that is walked once an hour has two rounds and 15 s for it', async () => {
    const parts = { feedEveryMs: 60 * MINUTE };
    expect(await lineOf({ runsForMs: 120 * MINUTE + 15_000, parts })).toMatch(/^working: /);
    expect(await lineOf({ runsForMs: 120 * MINUTE + 16_000, parts })).toBe(UNREAD);
  });

  test('nobody is needed while a walk of many pages gets on, for up to a day', async () => {
    const walking = `working: a walk through the event feed has not reached its floor yet; ${SO_FAR}`;
    expect(await lineOf({ runsForMs: 90 * MINUTE, pageAgoMs: 20_000 })).toBe(walking);
    expect(await lineOf({ runsForMs: 2_000, pageAgoMs: 600 * MINUTE })).toBe(walking);
    expect(await lineOf({ runsForMs: 90 * MINUTE, pageAgoMs: 6 * MINUTE })).toBe(UNREAD);
    const parts = { startedAtMs: 0 };
    expect(await lineOf({ runsForMs: 0, pageAgoMs: 20_000, parts })).toBe(walking);
  });

  test('a walk that gets on and on, and has not ended in a day, needs a person', async () => {
    const stores = new StatusStores();
    const walk = { startedAtMs: 0, top: [], topAtMs: undefined, position: 'e', metAnchor: false, pages: 9 };
    stores.coverage = {
      ...stores.coverage,
      open: { ...walk, pageAtMs: stores.clock.now() + 26 * 60 * MINUTE },
    };
    stores.clock.advance(26 * 60 * MINUTE);
    const text = formatStatus(await createStatusSource(stores.parts()).read(), { color: false });
    expect(firstLine(text)).toMatch(/^needs a person: the event feed is not being read; covered/);
  });

  test('a young worker whose walks have worked, and do not any more, has no time left', async () => {
    const stores = new StatusStores();
    // The walk that proved it began with the worker, and claims nothing of the 5 s before.
    const parts = { ...stores.parts(), startedAtMs: (stores.coverage.coveredUntilMs ?? Number.NaN) + 5_000 };
    stores.clock.advance(3 * MINUTE);
    const text = formatStatus(await createStatusSource(parts).read(), { color: false });
    expect(firstLine(text)).toMatch(/^needs a person: the event feed is not being read; covered/);
  });

  test('a worker that does not run reads nothing, whatever it began', async () => {
    const { startedAtMs: _, ...parts } = new StatusStores().parts();
    const stores = new StatusStores();
    stores.clock.advance(600 * MINUTE);
    const stopped = { ...parts, clock: stores.clock, worker: 'not-running' } as const;
    const text = formatStatus(await createStatusSource(stopped).read(), { color: false });
    expect(firstLine(text)).toMatch(
      /^needs a person: the worker is not running, the event feed is not being read; covered/,
    );
  });

  test('the start of a clock that has been put back since is none of now', async () => {
    expect(await lineOf({ runsForMs: -300 * MINUTE })).toBe(UNREAD);
  });
});

describe('a resync that was asked for', () => {
  const asked = (ageMs: number) => (stores: StatusStores) => {
    const foundAtMs = stores.clock.now() - ageMs;
    const about = { fromMs: undefined, toMs: foundAtMs, foundAtMs };
    stores.holes = [
      { ...about, id: 'operator-1', source: 'operator', cause: 'operator' },
      { ...about, id: 'scheduled-1', source: 'schedule', cause: 'scheduled' },
    ];
  };

  test('is work, and no hole in what is covered', async () => {
    const text = await shown(asked(180_000));
    expect(firstLine(text)).toBe(
      'working: 2 requested resyncs; covered without a hole up to 14:03:22 UTC, proved 12 s ago',
    );
    expect(text).toContain('\nholes           none\nresyncs         2 requested\n');
    expect(text).toContain('\n  requested 3 min ago by an operator\n  requested 3 min ago by the schedule\n');
  });

  test('beside a hole leaves one hole', async () => {
    const text = await shown((stores) => {
      asked(180_000)(stores);
      const foundAtMs = stores.clock.now();
      const about = { id: 'h', source: 'feed', fromMs: 0, toMs: foundAtMs, foundAtMs };
      stores.holes = [...stores.holes.slice(1), { ...about, cause: 'redis-lost' }];
    });
    expect(firstLine(text)).toMatch(
      /^working: 1 hole in the coverage, 1 requested resync; covered but for 1 hole up to/,
    );
    expect(text).toContain('\nholes           1, each closes when its resync is done\n');
  });

  test('needs a person when it has not ended for a day', async () => {
    expect(firstLine(await shown(asked(23 * 3_600_000)))).toMatch(/^working: 2 requested resyncs/);
    expect(firstLine(await shown(asked(25 * 3_600_000)))).toMatch(
      /^needs a person: 2 resyncs running for more than a day; in progress: 2 requested resyncs; covered without a hole/,
    );
  });
});

describe('the screen', () => {
  test('a quiet worker fits into ten lines', async () => {
    expect(
      await shown(QUIET, { parts: { lag: async () => ({ p50: 0.42, p99: 130, samples: 2_000 }) } }),
    ).toBe(
      [
        'all mirrored; covered without a hole up to 14:03:22 UTC, proved 12 s ago',
        '',
        `worker          running for 6 h 3 min, since 08:00:12 UTC, version 1.2.3, time zones ${ZONES_VERSION}`,
        'coverage        event feed up to 14:03:22 UTC, proved 12 s ago',
        'holes           none',
        'pending         nothing',
        'problems        none',
        'dead letters    none',
        'quarantined     none',
        'lag             half of the writes within 0.4 s, 99 of 100 within 2 min (newest 2,000)',
      ].join('\n'),
    );
  });

  test('a time zone that nobody knows is told with what to do, and needs no person at once', async () => {
    const text = await shown(QUIET, { parts: { zones: () => ['Mars/Olympus', 'Europe/Berlin'] } });
    expect(text).toContain('time zones      a notice\n    -> The time zone Mars/Olympus is not in release');
    expect(firstLine(text)).toMatch(/^all mirrored/);
  });

  test('dead letters are told by cause, the commonest first, each with its advice once', async () => {
    const text = await shown((stores) => {
      stores.letters = [...letters(2, 'object-not-visible'), ...letters(15, 'resource-unmapped')];
    });
    expect(text).toContain('dead letters    17\n  resource-unmapped  15, mirror staff\n');
    expect(text.match(/Advice for resource-unmapped/g)).toHaveLength(1);
    expect(text).toContain('-> Advice for object-not-visible.');
    expect(text).toContain('appointment/object-not-visible-0, appointment/object-not-visible-1\n');
  });

  test('a thousand dead letters of forty causes still fit on a screen', async () => {
    const text = await shown((stores) => {
      stores.letters = Array.from({ length: 40 }, (_, at) => letters(25, `code-${at % 20}-${at}`)[0]).flatMap(
        (letter) => (letter === undefined ? [] : [letter]),
      );
      stores.problems = Array.from({ length: 40 }, (_, at) => ({
        target: `calendar:${at}`,
        code: 'calendar-not-shared',
        message: 'no',
        advice: 'Share it.',
        sinceMs: 0,
        lastAtMs: 0,
      }));
    });
    expect(text.split('\n').length).toBeLessThan(65);
    expect(text).toContain('and 32 more; see --json');
    expect(text).toContain('dead letters    40, of which the newest 20 by cause');
  });

  test('a quota is told when somebody waits for it, with what is spent and until when Google pauses it', async () => {
    const text = await shown((stores) => {
      const quota = { admitted: 60, limit: 60, pausedUntilMs: undefined, reason: undefined, waiting: 0 };
      stores.quotas = [
        { ...quota, name: 'google-sheets-read:1', spent: 59 },
        { ...quota, name: 'google-sheets-write:1', spent: 60, waiting: 1 },
        {
          ...quota,
          name: 'google-calendar:1',
          spent: 7,
          admitted: 12,
          pausedUntilMs: stores.clock.now() + 16_000,
          reason: 'rateLimitExceeded',
          waiting: 1_200,
        },
        {
          ...quota,
          name: 'google-calendar:1',
          target: 'calendar:anna@clinic.example',
          spent: 7,
          pausedUntilMs: stores.clock.now() + 4_000,
          reason: 'rateLimitExceeded',
          waiting: 3,
        },
      ];
    });
    expect(text).toContain('quotas          3 spent or paused');
    expect(text).toContain(
      'calendar:anna@clinic.example  limited separately, paused by Google (rateLimitExceeded) until 14:03:38 UTC, 3 objects, calendars or sheets waiting',
    );
    expect(text).not.toContain('google-sheets-read');
    expect(text).toContain(
      'google-sheets-write:1  60 of 60 in the last minute, 1 object, calendar or sheet waiting',
    );
    expect(text).toContain(
      'google-calendar:1  7 of 60 in the last minute, 12 a minute allowed after refusals (rateLimitExceeded), paused by Google (rateLimitExceeded) until 14:03:50 UTC, 1,200 objects, calendars or sheets waiting',
    );
  });

  test('a problem is told with its target, its age and what to do', async () => {
    const text = await shown((stores) => {
      stores.problems = [
        {
          target: 'calendar:anna@clinic.example',
          code: 'calendar-not-shared',
          message: 'Google refuses the calendar',
          advice: 'Share it with the service account.',
          sinceMs: stores.clock.now() - 3_780_000,
          lastAtMs: stores.clock.now() - 9_000,
        },
      ];
    });
    expect(text).toContain(
      'calendar:anna@clinic.example  calendar-not-shared, for 1 h 3 min, last seen 9 s ago',
    );
    expect(text).toContain('    Google refuses the calendar\n    -> Share it with the service account.');
  });

  test('without colour there is no escape in it, with colour the verdict has that of its mood', async () => {
    const dead = (stores: StatusStores) => {
      stores.letters = letters(1, 'odd');
    };
    expect(await shown(dead)).not.toContain(ESCAPE);
    const [bad, well] = [await shown(dead, { color: true }), await shown(QUIET, { color: true })];
    expect(bad.startsWith(`${ESCAPE}[1;31mneeds a person`)).toBe(true);
    expect(firstLine(bad).endsWith(`${ESCAPE}[0m`)).toBe(true);
    expect(well.startsWith(`${ESCAPE}[1;32mall mirrored`)).toBe(true);
  });

  test('a text from outside cannot colour the screen or add lines to it', async () => {
    const text = await shown((stores) => {
      const message = 'no\u001b[2J\r\nall mirrored\u0007\u2028all\u2029mirrored';
      stores.problems = [{ target: 'tab:\u001b[31mX', code: 'odd', message, sinceMs: 0, lastAtMs: 0 }];
    });
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(text.split('\n').filter((line) => line.startsWith('all mirrored'))).toEqual([]);
  });
});

describe('silence is never success', () => {
  test('calendars that are not being read need a person, although everything else is mirrored', async () => {
    const text = await shown((stores) => {
      stores.calendarIds = ['anna@clinic.example', 'boris@clinic.example'];
      stores.calendarsReadAtMs = stores.clock.now() - 3_600_000;
    });
    expect(firstLine(text)).toMatch(/^needs a person: 2 calendars not being read; covered/);
  });

  const MINUTE = 60_000;

  /** Everything is mirrored; what else is read, and since when the worker runs, is given. */
  async function lineWith(read: {
    runsForMs: number;
    calendarAgoMs?: number;
    sheetAgoMs?: number;
    of: 'calendars' | 'sheets';
  }): Promise<string> {
    const stores = new StatusStores();
    const ago = (ms: number | undefined) => (ms === undefined ? undefined : stores.clock.now() - ms);
    if (read.of === 'calendars') stores.calendarIds = ['anna@clinic.example', 'boris@clinic.example'];
    stores.calendarsReadAtMs = ago(read.calendarAgoMs);
    const entries = read.of === 'sheets' ? [{ name: 'session', everyMs: 30_000, spreadsheetId: 'book' }] : [];
    const readUntilMs = async () => ago(read.sheetAgoMs);
    const parts = {
      ...stores.parts(),
      startedAtMs: stores.clock.now() - read.runsForMs,
      intakeSheets: { entries, readUntilMs },
    };
    return firstLine(formatStatus(await createStatusSource(parts).read(), { color: false }));
  }

  test.each([
    ['calendars', '2 calendars'],
    ['sheets', '1 booking sheet'],
  ] as const)(
    '%s that were never read are work in a young worker, and need a person in an old one',
    async (of, what) => {
      expect(await lineWith({ of, runsForMs: MINUTE })).toMatch(
        new RegExp(`^working: ${what} yet to be read; covered`),
      );
      expect(await lineWith({ of, runsForMs: 6 * MINUTE })).toMatch(
        new RegExp(`^needs a person: ${what} not being read; covered`),
      );
    },
  );

  test.each([
    ['calendars', '2 calendars'],
    ['sheets', '1 booking sheet'],
  ] as const)(
    '%s read long ago are work after a start, and need a person in a worker that is up for long',
    async (of, what) => {
      const long = { of, calendarAgoMs: 600 * MINUTE, sheetAgoMs: 600 * MINUTE };
      expect(await lineWith({ ...long, runsForMs: MINUTE })).toMatch(
        new RegExp(`^working: ${what} yet to be read; covered`),
      );
      expect(await lineWith({ ...long, runsForMs: 660 * MINUTE })).toMatch(
        new RegExp(`^needs a person: ${what} not being read; covered`),
      );
    },
  );

  async function limited(
    quota: Partial<StatusStores['quotas'][number]>,
    { agoMs = 600_000, runsForMs = 660 * MINUTE } = {},
  ): Promise<string> {
    return shown(
      (stores) => {
        stores.calendarIds = ['anna@clinic.example'];
        stores.calendarsReadAtMs = stores.clock.now() - agoMs;
        const paused = {
          pausedUntilMs: stores.clock.now() + 40_000,
          reason: 'rateLimitExceeded',
          waiting: 0,
        };
        stores.quotas = [
          { ...paused, name: 'google-calendar:1', spent: 1, admitted: 600, limit: 600, ...quota },
        ];
      },
      { parts: { startedAtMs: Date.parse('2026-11-21T14:03:34.000Z') - runsForMs } },
    );
  }
  const OF_ANNA = { target: 'calendar:anna@clinic.example' };

  test.each([
    ['it alone', OF_ANNA, ' until 14:04:14 UTC'],
    ['the credential', {}, ' until 14:04:14 UTC'],
    [
      'it alone until a moment ago, and it has not been tried since',
      { ...OF_ANNA, pausedUntilMs: undefined, waiting: 1 },
      '',
    ],
  ])(
    'a calendar that is not read because Google limits %s waits for that, and for nobody',
    async (_whom, quota, until) => {
      const text = await limited(quota);
      expect(firstLine(text)).toBe(
        `working: 1 calendar waits for Google's limit${until}; covered without a hole up to 14:03:22 UTC, proved 12 s ago`,
      );
      expect(text).toContain(
        "anna@clinic.example: seen up to 13:53:34 UTC, proved 10 min ago; waits for Google's limit\n",
      );
    },
  );

  test.each([
    ['another calendar', { target: 'calendar:boris@clinic.example' }],
    ['the sheets', { name: 'google-sheets-read:1' }],
    ['nobody any more', { ...OF_ANNA, pausedUntilMs: undefined }],
  ])('a limit of %s is no reason for a calendar that is not read', async (_whom, quota) => {
    expect(firstLine(await limited(quota))).toMatch(/^needs a person: 1 calendar not being read; covered/);
  });

  test("a calendar that has waited for Google's limit for more than a day needs a person", async () => {
    const day = 24 * 60 * MINUTE;
    const line = async (agoMs: number) => firstLine(await limited(OF_ANNA, { agoMs, runsForMs: 3 * day }));
    expect(await line(day - MINUTE)).toMatch(/^working: 1 calendar waits for/);
    expect(await line(day + MINUTE)).toMatch(/^needs a person: 1 calendar not being read/);
  });

  test('an intake sheet waits for the budget of the reads, or for its own spreadsheet', async () => {
    const line = async (quota: Partial<StatusStores['quotas'][number]>) => {
      const stores = new StatusStores();
      const paused = {
        pausedUntilMs: stores.clock.now() + 40_000,
        reason: 'x',
        waiting: 0,
        spent: 1,
        admitted: 60,
        limit: 60,
      };
      stores.quotas = [{ ...paused, name: 'google-sheets-read:1', ...quota }];
      const entries = [{ name: 'session', everyMs: 30_000, spreadsheetId: 'book' }];
      const readUntilMs = async () => stores.clock.now() - 600_000;
      const parts = { ...stores.parts(), intakeSheets: { entries, readUntilMs } };
      return firstLine(formatStatus(await createStatusSource(parts).read(), { color: false }));
    };
    const waits = /^working: 1 booking sheet waits for Google's limit until 14:04:14 UTC; covered/;
    expect(await line({})).toMatch(waits);
    expect(await line({ target: 'spreadsheet:book' })).toMatch(waits);
    expect(await line({ target: 'spreadsheet:other' })).toMatch(
      /^needs a person: 1 booking sheet not being read/,
    );
    expect(await line({ name: 'google-sheets-write:1' })).toMatch(
      /^needs a person: 1 booking sheet not being read/,
    );
  });

  test('calendars and sheets that were read lately leave all mirrored', async () => {
    const lately = { calendarAgoMs: 20_000, sheetAgoMs: 20_000, runsForMs: 660 * MINUTE };
    expect(await lineWith({ ...lately, of: 'calendars' })).toMatch(/^all mirrored; /);
    expect(await lineWith({ ...lately, of: 'sheets' })).toMatch(/^all mirrored; /);
  });

  test('a hole that no resync has closed for a day needs a person', async () => {
    const withHole = (ageMs: number) => (stores: StatusStores) => {
      const foundAtMs = stores.clock.now() - ageMs;
      stores.holes = [
        { id: 'h', source: 'feed', fromMs: undefined, toMs: foundAtMs, cause: 'redis-lost', foundAtMs },
      ];
    };
    expect(firstLine(await shown(withHole(3_600_000)))).toMatch(/^working: 1 hole in the coverage/);
    expect(firstLine(await shown(withHole(25 * 3_600_000)))).toMatch(
      /^needs a person: 1 hole open for more than a day; in progress: 1 hole/,
    );
  });

  test('a proof of the future, left by a clock that was ahead, is no proof of now', async () => {
    const text = await shown((stores) => {
      const ahead = stores.clock.now() + 5 * 3_600_000;
      stores.coverage = { ...stores.coverage, coveredUntilMs: ahead, provedAtMs: ahead };
    });
    expect(firstLine(text)).toMatch(/^needs a person: the event feed is not being read/);
  });
});
