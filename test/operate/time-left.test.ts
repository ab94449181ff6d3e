// The platform's limit and the machine are simulated here, by a clock that only these tests move. The gate that counts requests is the real one.
import { expect, test } from 'vitest';
import { SILENT } from '../../src/engine/runtime.ts';
import { type ReadingPhase, TimeLeft } from '../../src/operate/waiting.ts';
import { LocalPause, RateGate } from '../../src/platform/http-rate.ts';

const WINDOW_MS = 60_000;
const PAGE = 100;

interface Walk {
  /** Objects of each kind. The platform lists them in pages, unless the kind is `lead`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Requests that the platform admits in a minute; absent: it says nothing of a limit. */
  readonly perMinute?: number;
  /** Requests of others that it admits in each minute. */
  readonly others?: number;
  /** Work of the machine for a hundred objects, by kind. */
  readonly workMs: number | Readonly<Record<string, number>>;
}

interface Told {
  readonly leftMs: number | undefined;
  readonly trueMs: number;
}

/** Walks to the end, and returns what was told of the rest after each hundred objects, beside what the rest was. */
async function walk({ kinds, perMinute, others = 0, workMs }: Walk): Promise<readonly Told[]> {
  let nowMs = 1_000_000;
  const clock = { now: () => nowMs };
  const gate = new RateGate({ clock, shared: new LocalPause(clock), log: SILENT });
  const window = { endsAtMs: 0, left: 0 };
  const request = async () => {
    for (let waitMs = gate.spentForMs('walk'); waitMs > 0; waitMs = gate.spentForMs('walk')) nowMs += waitMs;
    if (perMinute === undefined) return;
    gate.take();
    if (nowMs >= window.endsAtMs) {
      window.endsAtMs = nowMs + WINDOW_MS;
      window.left = perMinute - others;
    }
    window.left -= 1;
    gate.ended();
    const resetMs = Math.ceil((window.endsAtMs - nowMs) / 1_000) * 1_000;
    const facts = { limit: perMinute, remaining: window.left, resetMs, retryAfterMs: undefined };
    await gate.learn(200, facts, false);
  };
  const phases = new Map<string, ReadingPhase>(
    Object.entries(kinds).map(([kind, objects]) => [
      kind,
      { objects, requests: kind === 'lead' ? 0 : Math.ceil(objects / PAGE) },
    ]),
  );
  const timeLeft = new TimeLeft(phases, 0, clock);
  const steps: { readonly atMs: number; readonly leftMs: number | undefined }[] = [];
  await request();
  let all = 0;
  for (const [kind, objects] of Object.entries(kinds)) {
    for (let done = 0; done < objects; done += PAGE) {
      if (kind !== 'lead') await request();
      nowMs += typeof workMs === 'number' ? workMs : (workMs[kind] ?? 0);
      all += PAGE;
      const leftMs = timeLeft.after({ reading: kind, objects: all }, await gate.budget());
      steps.push({ atMs: nowMs, leftMs });
    }
  }
  return steps.map(({ atMs, leftMs }) => ({ leftMs, trueMs: nowMs - atMs }));
}

/** The share by which the worst estimate was off, of those that were told with a minute left or more, and how many those were. */
function worst(told: readonly Told[], fromShare = 0): { readonly off: number; readonly count: number } {
  const judged = told
    .slice(Math.floor(told.length * fromShare))
    .flatMap(({ leftMs, trueMs }) =>
      leftMs === undefined || trueMs < WINDOW_MS ? [] : [Math.abs(leftMs - trueMs) / trueMs],
    );
  return { off: Math.max(...judged), count: judged.length };
}

const OBJECTS = { contact: 150_000, appointment: 50_000 };

test.each([
  [60, 5],
  [60, 300],
  [60, 1_200],
  [600, 5],
  [600, 80],
  [600, 120],
])(
  'under %i requests a minute, with %i ms of work for each page, the rest is told within a fifth, at any moment',
  async (perMinute, workMs) => {
    const told = await walk({ kinds: OBJECTS, perMinute, workMs });
    const { off, count } = worst(told);
    expect(count).toBeGreaterThan(told.length / 2);
    expect(off).toBeLessThan(0.2);
  },
);

test('a machine slower than the limit goes by its own pace', async () => {
  const { off, count } = worst(await walk({ kinds: OBJECTS, perMinute: 600, workMs: 300 }));
  expect(count).toBeGreaterThan(1_000);
  expect(off).toBeLessThan(0.2);
});

test('a platform that names no limit goes by the pace of the machine, once five seconds have shown one', async () => {
  const told = await walk({ kinds: OBJECTS, workMs: 100 });
  expect(told.slice(0, 49).every(({ leftMs }) => leftMs === undefined)).toBe(true);
  const { off, count } = worst(told);
  expect(count).toBeGreaterThan(1_000);
  expect(off).toBeLessThan(0.01);
});

test('what others take of the limit counts, as soon as one whole minute has shown it', async () => {
  const told = await walk({ kinds: OBJECTS, perMinute: 60, others: 25, workMs: 5 });
  const { off, count } = worst(told, 0.05);
  expect(count).toBeGreaterThan(told.length / 2);
  expect(off).toBeLessThan(0.2);
});

test('kinds that no list brings take no share of the limit', async () => {
  const kinds = { contact: 20_000, lead: 200_000, appointment: 20_000 };
  const { off, count } = worst(
    await walk({ kinds, perMinute: 60, workMs: { contact: 50, appointment: 50, lead: 2 } }),
  );
  expect(count).toBeGreaterThan(200);
  expect(off).toBeLessThan(0.2);
});

test('at the end nothing is told', async () => {
  const told = await walk({ kinds: OBJECTS, perMinute: 60, workMs: 5 });
  expect(told.at(-1)).toEqual({ leftMs: undefined, trueMs: 0 });
});

test('the minutes in which a calendar is read are no pace of objects', () => {
  let nowMs = 0;
  const timeLeft = new TimeLeft(
    new Map([
      ['appointment', { objects: 1_000, requests: 10 }],
      ['contact', { objects: 2_000, requests: 20 }],
    ]),
    0,
    { now: () => nowMs },
  );
  const budget = { limit: undefined, left: undefined, renewedInMs: 0, pausedForMs: 0 };
  const after = (second: number, reading: string, objects: number) => {
    nowMs = second * 1_000;
    return timeLeft.after({ reading, objects }, budget);
  };
  const told = [
    after(0, 'calendar:anna', 0),
    after(300, 'appointment', 0),
    after(310, 'appointment', 1_000),
    after(600, 'contact', 1_000),
    after(610, 'contact', 2_000),
  ];
  expect(told).toEqual([undefined, undefined, 20_000, 20_000, 10_000]);
});
