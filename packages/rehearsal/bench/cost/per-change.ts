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
/** Appointments before the measurement: compiled code and warm connections. */
const WARM_UP = 100;

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
  options.say(`cost: ${appointments} appointments, worker`);
  const worker = await onStage(appointments, withWorker);
  options.say(`cost: ${appointments} appointments, reference`);
  const reference = await onStage(appointments, withReference);
  const nodeRed = options.withNodeRed ? await besideNodeRed(appointments, options) : undefined;
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
    if (nodeRed === undefined) told.notMeasured(against);
    else
      told.atMost(1.2 * nodeRed[act].processorMs, {
        ...{ ...against, reference: nodeRed[act].processorMs, needsFullSize: true },
        ratio: mine.processorMs / nodeRed[act].processorMs,
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

async function onStage(
  appointments: number,
  start: (stage: Stage, clinic: Clinic) => Promise<Mirroring>,
): Promise<Story> {
  const stage = await setStage({
    quotas: { calendarPerMinutePerUser: CALLS_PER_MINUTE, calendarPerMinutePerProject: CALLS_PER_MINUTE },
  });
  try {
    const clinic = await openClinic(stage.google, PEOPLE);
    stage.push(() => clinic.platform.close());
    const mirroring = await start(stage, clinic);
    return await tell(stage, clinic, { mirroring, appointments });
  } finally {
    await stage.close();
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

async function besideNodeRed(appointments: number, options: BenchOptions): Promise<Story> {
  const folder = mkdtempSync(join(tmpdir(), 'sb-node-red-'));
  try {
    options.say(`cost: installing ${NODE_RED}`);
    installNodeRed(folder);
    options.say(`cost: ${appointments} appointments, ${NODE_RED}`);
    return await onStage(appointments, (stage, clinic) => withNodeRed(stage, clinic, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
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

async function tell(
  stage: Stage,
  clinic: Clinic,
  { mirroring, appointments }: { mirroring: Mirroring; appointments: number },
): Promise<Story> {
  const now = async () => ({
    atMs: performance.now(),
    processorMs: processorMs(mirroring.pid) + processorMs(stage.redisPid),
    ...(await redisCounts(stage)),
  });
  const measure = async (act: () => Promise<unknown>) => {
    const from = await now();
    await act();
    const to = await now();
    const ms = to.atMs - from.atMs;
    return {
      ms,
      processorMs: to.processorMs - from.processorMs,
      commands: to.commands - from.commands,
      bytes: to.bytes - from.bytes,
    };
  };
  const book = (from: number, count: number) =>
    paced(count, (nth) => clinic.book(from + nth)).then(async (ids) => {
      await mirroring.rest();
      return ids;
    });
  const moveAll = async (from: number, ids: readonly string[]) => {
    await paced(ids.length, (nth) => clinic.move(ids[nth] ?? '', { index: from + nth, tenMinutes: 1 }));
    await mirroring.rest();
  };
  await mirroring.rest();
  const early = await book(0, WARM_UP);
  await moveAll(0, early);
  await sleep(REST_MS);
  const idle = await measure(() => sleep(REST_MS));
  const perAppointment = (whole: typeof idle): Cost => ({
    processorMs: (whole.processorMs - (idle.processorMs * whole.ms) / idle.ms) / appointments,
    commands: (whole.commands - (idle.commands * whole.ms) / idle.ms) / appointments,
    bytes: whole.bytes / appointments,
  });
  let ids: readonly string[] = [];
  const booked = await measure(async () => {
    ids = await book(WARM_UP, appointments);
  });
  const moved = await measure(() => moveAll(WARM_UP, ids));
  return { booked: perAppointment(booked), moved: perAppointment(moved) };
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
