import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { calendarMirror, openClinic } from '../stand/clinic.ts';
import { processorMs, residentMb } from '../stand/memory.ts';
import { untilAtRest } from '../stand/rest.ts';
import { setStage } from '../stand/stage.ts';
import { redisCounts } from './redis-counts.ts';

const WITHIN_MS = 900_000;
const BOOK = 'bench-office';
const TAB = 'Contacts';
const PER_MINUTE = 1_000_000;

/** Milliseconds of waiting before the measurement for each second of it: V8 compacts its heap half a minute after a start. */
const SETTLED_SHARE = 1_000;

interface Idle {
  readonly processorMsPerS: number;
  readonly redisMsPerS: number;
  readonly commandsPerS: number;
  readonly residentMb: number;
}

/** Compared with what is required: a worker without work costs 5 ms of processor a second with 20 calendars, and 15 with 200. */
export async function idle(options: BenchOptions): Promise<Figure[]> {
  const told = figuresOf('cost: idle');
  for (const [calendars, limitMs] of [
    [20, 5],
    [200, 15],
  ] as const) {
    options.say(`cost: idle with ${calendars} calendars`);
    const seen = await rest(calendars, options.isQuick ? 1 : 60);
    told.atMost(limitMs, {
      what: `processor of an idle worker, ${calendars} calendars`,
      ...{ unit: 'ms/s', figure: seen.processorMsPerS, reference: limitMs, needsFullSize: true },
      ratio: seen.processorMsPerS / limitMs,
      note: 'Default settings, no change anywhere, the second minute after the start. Reference: what is required; a busy machine exceeds it.',
    });
    told.note('processor of its Redis', [seen.redisMsPerS, 'ms/s']);
    told.note('Redis commands', [seen.commandsPerS, 'a second']);
    if (calendars === 20)
      told.atMost(90, {
        what: 'resident memory of it',
        ...{ unit: 'MB', figure: seen.residentMb, needsFullSize: true },
      });
  }
  const rows = options.isQuick ? 200 : 60_000;
  options.say(`cost: memory after ${rows.toLocaleString('en')} rows`);
  told.atMost(200, {
    what: `resident memory after ${rows.toLocaleString('en')} rows`,
    ...{ unit: 'MB', figure: await filled(rows), needsFullSize: true },
  });
  return told.figures;
}

async function rest(calendars: number, seconds: number): Promise<Idle> {
  const stage = await setStage();
  try {
    const clinic = await openClinic(stage.google, calendars);
    stage.push(() => clinic.platform.close());
    const { platform, apiKey } = clinic;
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    const worker = await stage.startWorker({
      ...{ platformUrl: platform.url, apiKey, secret },
      mirrors: calendarMirror(clinic.people),
    });
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    await sleep(seconds * SETTLED_SHARE);
    const now = async () => ({
      atMs: performance.now(),
      worker: processorMs(worker.pid),
      redis: processorMs(stage.redisPid),
      commands: (await redisCounts(stage)).commands,
    });
    const from = await now();
    await sleep(seconds * 1_000);
    const to = await now();
    const perS = (of: 'worker' | 'redis' | 'commands') =>
      (1_000 * (to[of] - from[of])) / (to.atMs - from.atMs);
    return {
      processorMsPerS: perS('worker'),
      redisMsPerS: perS('redis'),
      commandsPerS: perS('commands'),
      residentMb: residentMb(worker.pid),
    };
  } finally {
    await stage.close();
  }
}

/** Fills a tab, and returns the worker's memory once nothing is left to do. */
async function filled(rows: number): Promise<number> {
  const stage = await setStage({
    quotas: { sheetsReadsPerMinutePerUser: PER_MINUTE, sheetsWritesPerMinutePerUser: PER_MINUTE },
  });
  try {
    const clinic = await openClinic(stage.google, 1);
    stage.push(() => clinic.platform.close());
    const { platform, apiKey, projectId } = clinic;
    platform.dashboard.importContacts(
      Array.from({ length: rows - 1 }, (_, index) => ({
        projectId,
        name: `Customer ${index}`,
        phone: `+7912${String(1_000_000 + index)}`,
      })),
    );
    stage.google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs: [{ title: TAB }] });
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    const worker = await stage.startWorker({
      ...{ platformUrl: platform.url, apiKey, secret, sheetsPerMinute: PER_MINUTE },
      mirrors: `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: ${TAB} }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
`,
    });
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    const written = stage.google.truth.values(BOOK, TAB).length - 1;
    if (written !== rows) throw new Error(`${written} rows were written instead of ${rows}`);
    return residentMb(worker.pid);
  } finally {
    await stage.close();
  }
}
