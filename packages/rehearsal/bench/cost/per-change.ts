import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownPort } from '../../demo/own-port.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { installNodeRed, NODE_RED, startNodeRed } from '../reference/node-red.ts';
import { startReference } from '../reference/start.ts';
import { type Clinic, calendarMirror, openClinic } from '../stand/clinic.ts';
import { processorMs } from '../stand/memory.ts';
import { untilAtRest } from '../stand/rest.ts';
import { type Stage, setStage } from '../stand/stage.ts';
import { redisCounts } from './redis-counts.ts';

const PEOPLE = 10;
const CONCURRENCY = 8;
const CALLS_PER_MINUTE = 1_000_000;
const WITHIN_MS = 120_000;
/** Changes come at this pace: each has its own turn, as on a busy day, and none waits for another. */
const PER_SECOND = 50;
const REST_MS = 10_000;
/** After so long without a call to Google, Node-RED has nothing left to do. */
const QUIET_MS = 2_000;
/** Appointments before the measurement: compiled code and warm connections. V8 compiles anew for tens of seconds. */
const WARM_UP = 1_000;
/** Each side acts in so many turns. */
const TURNS = 5;

interface Cost {
  readonly processorMs: number;
  readonly commands: number;
  readonly bytes: number;
}

const NOTHING: Cost = { processorMs: 0, commands: 0, bytes: 0 };

interface Story {
  readonly booked: Cost;
  readonly moved: Cost;
}

/** Someone who mirrors the clinic: the worker, or the reference. */
interface Mirroring {
  readonly pid: number | undefined;
  rest(): Promise<void>;
}

/** Requirement: a change costs no more processor time than the usual integration, at most 50 commands of Redis, and 2.0 or 2.5 kB. */
export async function perChange(options: BenchOptions): Promise<Figure[]> {
  const appointments = options.isQuick ? 20 : 1_000;
  const nodeRed = options.withNodeRed ? installed(options) : undefined;
  const starts = [withWorker, withReference, ...(nodeRed === undefined ? [] : [nodeRed.start])];
  options.say(`cost: ${appointments} appointments for each of ${starts.length}, in turns`);
  const [worker, reference, beside] = await inTurns(appointments, starts).finally(() => nodeRed?.remove());
  if (worker === undefined || reference === undefined) throw new Error('a bench without its two sides');
  const told = figuresOf('cost: a change');
  for (const [what, act] of [
    ['booked', 'booked'],
    ['moved', 'moved'],
  ] as const) {
    const [mine, theirs] = [worker[act], reference[act]];
    told.atMost(theirs.processorMs, {
      what: `processor per ${what} appointment`,
      ...{ unit: 'ms', figure: mine.processorMs, reference: theirs.processorMs },
      ratio: mine.processorMs / theirs.processorMs,
      asked: '≤ 1.0 times',
      needsFullSize: true,
      note: `Worker and its Redis, less what both use idle. ${appointments} appointments, ${PER_SECOND} changes a second. Reference: one job per webhook, events.get and then insert or update.`,
    });
    const against = {
      what: `the same against ${NODE_RED}`,
      ...{ unit: 'ms', figure: mine.processorMs, asked: '≤ 1.2 times' },
      note: 'With flows written by hand: look the event up, then write it. With --node-red, which installs it.',
    };
    if (beside === undefined) told.notMeasured(against);
    else
      told.atMost(1.2 * beside[act].processorMs, {
        ...{ ...against, reference: beside[act].processorMs, needsFullSize: true },
        ratio: mine.processorMs / beside[act].processorMs,
      });
    told.atMost(50, {
      what: `Redis commands per ${what} appointment`,
      ...{ unit: '', figure: mine.commands, reference: theirs.commands },
      needsFullSize: true,
      note: 'Those inside scripts counted (INFO commandstats), less those of an idle worker.',
    });
  }
  told.atMost(2_000, {
    what: 'Redis memory per mirrored appointment',
    ...{ unit: 'bytes', figure: worker.booked.bytes, needsFullSize: true },
    note: 'used_memory_dataset after minus before, at rest.',
  });
  told.atMost(2_500, {
    what: 'the same after one move',
    ...{ unit: 'bytes', figure: worker.booked.bytes + worker.moved.bytes, needsFullSize: true },
  });
  return told.figures;
}

type Start = (stage: Stage, clinic: Clinic) => Promise<Mirroring>;

/** One side with a stage of its own. */
interface Side {
  readonly stage: Stage;
  readonly clinic: Clinic;
  readonly mirroring: Mirroring;
}

/** What a side has used: what it uses idle is still in it. */
interface Used {
  readonly ms: number;
  readonly processorMs: number;
  readonly commands: number;
}

/** All sides run at the same time and act in turns: what slows the machine for a while slows each of them. */
async function inTurns(appointments: number, starts: readonly Start[]): Promise<Story[]> {
  const sides: Side[] = [];
  try {
    for (const start of starts) sides.push(await setSide(start));
    return await tell(sides, appointments);
  } finally {
    for (const { stage } of sides) await stage.close();
  }
}

async function setSide(start: Start): Promise<Side> {
  const stage = await setStage({
    quotas: { calendarPerMinutePerUser: CALLS_PER_MINUTE, calendarPerMinutePerProject: CALLS_PER_MINUTE },
  });
  try {
    const clinic = await openClinic(stage.google, PEOPLE);
    stage.push(() => clinic.platform.close());
    return { stage, clinic, mirroring: await start(stage, clinic) };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

async function withWorker(stage: Stage, clinic: Clinic): Promise<Mirroring> {
  const { platform, apiKey } = clinic;
  const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
  const worker = await stage.startWorker({
    ...{ platformUrl: platform.url, apiKey, secret },
    mirrors: calendarMirror(clinic.people),
    concurrency: CONCURRENCY,
    calendarPerMinute: CALLS_PER_MINUTE,
  });
  return {
    pid: worker.pid,
    rest: async () => {
      await platform.whenDeliveriesSettle(WITHIN_MS);
      await untilAtRest(worker, { withinMs: WITHIN_MS });
    },
  };
}

async function withReference(stage: Stage, clinic: Clinic): Promise<Mirroring> {
  const reference = await startReference(stage, clinic, CONCURRENCY);
  await clinic.subscribe(reference.url);
  return {
    pid: reference.pid,
    rest: async () => {
      await clinic.platform.whenDeliveriesSettle(WITHIN_MS);
      await reference.untilDone(clinic.platform.stats().webhooksDelivered);
    },
  };
}

function installed(options: BenchOptions): { readonly start: Start; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'sb-node-red-'));
  options.say(`cost: installing ${NODE_RED}`);
  installNodeRed(folder);
  return {
    start: (stage, clinic) => withNodeRed(stage, clinic, folder),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function withNodeRed(stage: Stage, clinic: Clinic, folder: string): Promise<Mirroring> {
  const port = await ownPort();
  const child = await startNodeRed(folder, {
    ...{ port, googleUrl: stage.google.url, accessToken: stage.google.accessToken() },
    calendars: Object.fromEntries(clinic.people.map(({ id, calendarId }) => [id, calendarId])),
  });
  const ended = once(child, 'exit');
  stage.push(() => {
    child.kill();
    return ended;
  });
  await clinic.subscribe(`http://127.0.0.1:${port}/webhooks/platform`);
  return {
    pid: child.pid,
    async rest() {
      await clinic.platform.whenDeliveriesSettle(WITHIN_MS);
      for (let [calls, before] = [stage.google.stats().calls, -1]; calls !== before; ) {
        await sleep(QUIET_MS);
        [before, calls] = [calls, stage.google.stats().calls];
      }
    },
  };
}

async function tell(sides: readonly Side[], appointments: number): Promise<Story[]> {
  for (const side of sides) {
    await side.mirroring.rest();
    const ids = await book(side, { from: 0, count: Math.min(appointments, WARM_UP) });
    await moveAll(side, { from: 0, ids });
  }
  await sleep(REST_MS);
  const idle = await Promise.all(sides.map((side) => used(side, () => sleep(REST_MS))));
  const ids = sides.map((): string[][] => []);
  const count = appointments / TURNS;
  const booked = await inEachTurn(sides, { idle, count }, async (side, nth, turn) => {
    ids[nth]?.push(await book(side, { from: WARM_UP + turn * count, count }));
  });
  const moved = await inEachTurn(sides, { idle, count }, (side, nth, turn) =>
    moveAll(side, { from: WARM_UP + turn * count, ids: ids[nth]?.[turn] ?? [] }),
  );
  return sides.map((_, nth) => ({ booked: booked[nth] ?? NOTHING, moved: moved[nth] ?? NOTHING }));
}

/** What `count` acts of each turn cost each side, for each act. */
async function inEachTurn(
  sides: readonly Side[],
  { idle, count }: { readonly idle: readonly Used[]; readonly count: number },
  act: (side: Side, nth: number, turn: number) => Promise<void>,
): Promise<Cost[]> {
  const bytes = () => Promise.all(sides.map(async ({ stage }) => (await redisCounts(stage)).bytes));
  const before = await bytes();
  const turns = sides.map((): Used[] => []);
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [nth, side] of sides.entries()) turns[nth]?.push(await used(side, () => act(side, nth, turn)));
  const after = await bytes();
  return sides.map((_, nth) => {
    const sum = (of: keyof Used) => (turns[nth] ?? []).reduce((all, turn) => all + turn[of], 0);
    const rest = idle[nth];
    const each = (of: keyof Used) =>
      (sum(of) - ((rest?.[of] ?? 0) * sum('ms')) / (rest?.ms ?? 1)) / (TURNS * count);
    return {
      processorMs: each('processorMs'),
      commands: each('commands'),
      bytes: ((after[nth] ?? 0) - (before[nth] ?? 0)) / (TURNS * count),
    };
  });
}

async function used({ stage, mirroring }: Side, act: () => Promise<unknown>): Promise<Used> {
  const now = async () => ({
    ms: performance.now(),
    processorMs: processorMs(mirroring.pid) + processorMs(stage.redisPid),
    commands: (await redisCounts(stage)).commands,
  });
  const from = await now();
  await act();
  const to = await now();
  return {
    ms: to.ms - from.ms,
    processorMs: to.processorMs - from.processorMs,
    commands: to.commands - from.commands,
  };
}

async function book(
  { clinic, mirroring }: Side,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<string[]> {
  const ids = await paced(count, (nth) => clinic.book(from + nth));
  await mirroring.rest();
  return ids;
}

async function moveAll(
  { clinic, mirroring }: Side,
  { from, ids }: { readonly from: number; readonly ids: readonly string[] },
): Promise<void> {
  await paced(ids.length, (nth) => clinic.move(ids[nth] ?? '', { index: from + nth, tenMinutes: 1 }));
  await mirroring.rest();
}

async function paced<T>(count: number, act: (nth: number) => T): Promise<T[]> {
  const startedAt = performance.now();
  const done: T[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    done.push(act(nth));
    await sleep(Math.max(0, startedAt + ((nth + 1) * 1_000) / PER_SECOND - performance.now()));
  }
  return done;
}
