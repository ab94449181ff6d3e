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
/** Long enough that the worker has looked at its own writes in the calendars, half a minute later. */
const REST_MS = 40_000;
const IDLE_MS = 30_000;
/** After so long without a call to Google, Node-RED has nothing left to do. */
const QUIET_MS = 2_000;
/** Appointments before the measurement: compiled code and warm connections. */
const WARM_UP = 1_000;
/** They are moved to these places, at a faster pace: V8 compiles for the first few thousand changes. A worker runs for months. */
const WARM_UP_TO = [1, 2, 1] as const;
const WARM_UP_PER_SECOND = 200;
/** Each side acts in so many turns. */
const TURNS = 5;

interface Cost {
  readonly processorMs: number;
  readonly commands: number;
  readonly bytes: number;
}

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

/** What a side has used since it started. */
interface Used {
  readonly ms: number;
  readonly processorMs: number;
  readonly commands: number;
  readonly bytes: number;
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
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    options.say(`cost: installing ${NODE_RED}`);
    installNodeRed(folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { start: (stage, clinic) => withNodeRed(stage, clinic, folder), remove };
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
    const pace = { from: 0, perSecond: WARM_UP_PER_SECOND };
    const ids = await book(side, { ...pace, count: Math.min(appointments, WARM_UP) });
    for (const tenMinutes of WARM_UP_TO) await moveAll(side, { ...pace, ids, tenMinutes });
  }
  const isQuick = appointments < WARM_UP;
  const restMs = isQuick ? QUIET_MS : REST_MS;
  await sleep(restMs);
  const idle = await during(sides, () => sleep(isQuick ? QUIET_MS : IDLE_MS));
  const count = appointments / TURNS;
  const ids = sides.map((): string[][] => []);
  const booked = await inEachTurn(sides, restMs, async (side, nth, turn) => {
    ids[nth]?.push(await book(side, { from: WARM_UP + turn * count, count }));
  });
  const moved = await inEachTurn(sides, restMs, (side, nth, turn) =>
    moveAll(side, { from: WARM_UP + turn * count, ids: ids[nth]?.[turn] ?? [] }),
  );
  return sides.map((_, nth) => ({
    booked: perAct(booked[nth], { idle: idle[nth], appointments }),
    moved: perAct(moved[nth], { idle: idle[nth], appointments }),
  }));
}

/** Acts in turns, and waits until the worker has seen its own writes in the calendars: they are part of the cost. */
async function inEachTurn(
  sides: readonly Side[],
  restMs: number,
  act: (side: Side, nth: number, turn: number) => Promise<void>,
): Promise<Used[]> {
  return during(sides, async () => {
    for (let turn = 0; turn < TURNS; turn += 1)
      for (const [nth, side] of sides.entries()) await act(side, nth, turn);
    await sleep(restMs);
  });
}

/** What each side uses while `act` runs. */
async function during(sides: readonly Side[], act: () => Promise<unknown>): Promise<Used[]> {
  const now = () => Promise.all(sides.map(usedBy));
  const from = await now();
  await act();
  const to = await now();
  return to.map((after, nth) => less(after, from[nth]));
}

async function usedBy({ stage, mirroring }: Side): Promise<Used> {
  return {
    ms: performance.now(),
    processorMs: processorMs(mirroring.pid) + processorMs(stage.redisPid),
    ...(await redisCounts(stage)),
  };
}

function less(after: Used, before: Used | undefined, share = 1): Used {
  const rest = (of: keyof Used) => after[of] - share * (before?.[of] ?? 0);
  return {
    ms: rest('ms'),
    processorMs: rest('processorMs'),
    commands: rest('commands'),
    bytes: rest('bytes'),
  };
}

function perAct(
  whole: Used | undefined,
  { idle, appointments }: { readonly idle: Used | undefined; readonly appointments: number },
): Cost {
  if (whole === undefined || idle === undefined) throw new Error('a side that was not measured');
  const { processorMs, commands } = less(whole, idle, whole.ms / idle.ms);
  return {
    processorMs: processorMs / appointments,
    commands: commands / appointments,
    bytes: whole.bytes / appointments,
  };
}

async function book(
  { clinic, mirroring }: Side,
  { from, count, perSecond }: { readonly from: number; readonly count: number; readonly perSecond?: number },
): Promise<string[]> {
  const ids = await paced({ count, perSecond }, (nth) => clinic.book(from + nth));
  await mirroring.rest();
  return ids;
}

async function moveAll(
  { clinic, mirroring }: Side,
  {
    from,
    ids,
    tenMinutes = 1,
    perSecond,
  }: {
    readonly from: number;
    readonly ids: readonly string[];
    readonly tenMinutes?: number;
    readonly perSecond?: number;
  },
): Promise<void> {
  await paced({ count: ids.length, perSecond }, (nth) =>
    clinic.move(ids[nth] ?? '', { index: from + nth, tenMinutes }),
  );
  await mirroring.rest();
}

async function paced<T>(
  { count, perSecond = PER_SECOND }: { readonly count: number; readonly perSecond: number | undefined },
  act: (nth: number) => T,
): Promise<T[]> {
  const startedAt = performance.now();
  const done: T[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    done.push(act(nth));
    await sleep(Math.max(0, startedAt + ((nth + 1) * 1_000) / perSecond - performance.now()));
  }
  return done;
}
