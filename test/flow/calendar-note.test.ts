// The note that a calendar is behind, through the whole worker.

import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterEach, expect, test, vi } from 'vitest';
import { NOTE_MARK } from '../../src/engine/event-texts.ts';
import { noteIdOf } from '../../src/engine/ids.ts';
import { steadyClock } from '../../src/engine/runtime.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BORIS, ROOM, startWorld, type World } from '../stand/world.ts';

const MINUTE_MS = 60_000;

let world: World;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

test('a note that stands in a calendar that is current is found by its mark and goes; appointments stay', async () => {
  world = await startWorld({ rewrite: (yaml) => yaml.replace('worker: {', 'worker: { calendar_note: 5m,') });
  const date = new Date().toISOString().slice(0, 10);
  const installation = world.config().redis.prefix;
  const id = noteIdOf({ installation, calendarId: ANNA, date, turn: 0 });
  const end = { date: new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10) };
  const marks = { private: { [NOTE_MARK.key]: NOTE_MARK.value } };
  const event = {
    summary: 'Behind',
    description: 'Since 10:32.',
    start: { date },
    end,
    extendedProperties: marks,
  };
  world.google.staff.calendar.add({ calendarId: ANNA, id, event });
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  world.book();
  await world.untilIdle(worker.url);
  await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(1), { timeout: PATIENCE_MS });
  expect(world.events(ANNA)[0]).toMatchObject({ summary: expect.stringContaining('Vera Orlova') });
});

atLength.test(
  'while the platform cannot be read each calendar has one note; it goes when everything was read, and no call to Google is spent in between',
  async () => {
    const clock = new SandboxClock();
    let aheadMs = 0;
    vi.spyOn(steadyClock, 'now').mockImplementation(() => performance.now() + aheadMs);
    const pass = (minutes: number) => {
      aheadMs += minutes * MINUTE_MS;
      clock.advance(minutes * MINUTE_MS);
    };
    world = await startWorld({
      ...{ clock, platform: { clock } },
      rewrite: (yaml) => yaml.replace('worker: {', 'worker: { calendar_note: 5m,'),
    });
    const port = await world.door();
    await world.subscribe(port);
    const worker = await world.startWorker(port);
    world.book();
    await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(1), { timeout: PATIENCE_MS });
    const [appointment] = world.events(ANNA);
    await vi.waitFor(async () => expect((await world.status(worker.url)).idle).toBe(true), {
      timeout: PATIENCE_MS,
    });
    const calls: { readonly method: string; readonly calendar: string; readonly atMs: number }[] = [];
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const calendar of [ANNA, BORIS, ROOM])
        world.google.faults.add({
          ...{ method, path: new RegExp(`/calendars/${calendar.replaceAll('.', '\\.')}/events`) },
          onStrike: () => void calls.push({ method, calendar, atMs: clock.now() }),
          fault: { kind: 'delay', ms: 0 },
        });
    const lift = world.platform.faults.add({ path: /\/v1\/events/, fault: { kind: 'status', status: 503 } });

    pass(40);
    const notes = () =>
      [ANNA, BORIS, ROOM].map((id) =>
        world.events(id).filter(({ start }) => Object.hasOwn(start as object, 'date')),
      );
    await vi.waitFor(() => expect(notes().map(({ length }) => length)).toEqual([1, 1, 1]), {
      timeout: 120_000,
    });
    expect(notes()[0]).toMatchObject([
      {
        summary: 'This calendar is not up to date',
        description: expect.stringMatching(
          /^Since \d+ \w+, \d\d:\d\d, changes on the platform may be missing here\. They follow/,
        ),
        transparency: 'transparent',
      },
    ]);
    // It is mended at once: nobody writes to a calendar twice within a minute all the same.
    lift();
    await vi.waitFor(() => expect(notes()).toEqual([[], [], []]), { timeout: 180_000 });
    expect(world.events(ANNA)).toEqual([appointment]);
    for (const calendar of [ANNA, BORIS, ROOM]) {
      const own = calls.filter((call) => call.calendar === calendar);
      expect(own.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
      expect((own[1]?.atMs ?? 0) - (own[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(MINUTE_MS);
    }
  },
);
