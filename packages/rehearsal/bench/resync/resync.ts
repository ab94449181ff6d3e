import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { CoverageStore } from '../../../../src/engine/coverage-store.ts';
import { keySpace } from '../../../../src/engine/key-space.ts';
import { openRedis } from '../../../../src/engine/redis-client.ts';
import type { WorkerProcess } from '../../demo/worker-process.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { mapping, people } from '../slim/numbered.ts';
import { type SlimPlatform, startSlimPlatform } from '../slim/platform.ts';
import { HEAP_MIB, MEMORY_NOTE, peakMib } from '../stand/memory.ts';
import { untilAtRest } from '../stand/rest.ts';
import { type Stage, setStage } from '../stand/stage.ts';

const PER_MINUTE = 1_000_000;
const WITHIN_MS = 900_000;
const BOOK = 'bench-office';
const TAB = 'Contacts';
const PAGE_OBJECTS = 100;
const HANDFUL = 20;
const PREFIX = 'slotbridge';

interface Size {
  readonly contacts: number;
  readonly appointments: number;
}

interface Measured extends Size {
  readonly fillS: number;
  readonly resyncS: number;
  readonly pageRequests: number;
  readonly googleWrites: number;
  readonly peakMib: number;
  /**
   * A second pass with no new data, in which the worker renders every object again, as after a change of the mapping.
   */
  readonly forced: {
    readonly seconds: number;
    readonly googleWrites: number;
    readonly peakMib: number;
    readonly lookedAt: number;
  };
  readonly missing: number;
}

/**
 * Requirement: a resync of 100,000 contacts and 50,000 appointments without changes makes no Google write and keeps
 * memory flat.
 */
export async function resync(options: BenchOptions): Promise<Figure[]> {
  const sizes: readonly Size[] = options.isQuick
    ? [{ contacts: 200, appointments: 100 }]
    : [
        { contacts: 5_000, appointments: 2_500 },
        { contacts: 100_000, appointments: 50_000 },
      ];
  const told = figuresOf('resync');
  const measured: Measured[] = [];
  for (const size of sizes) {
    options.say(`resync: ${spoken(size)}: filling`);
    measured.push(await onStage(size, options));
  }
  for (const each of measured) {
    const pages = Math.ceil(each.contacts / PAGE_OBJECTS) + Math.ceil(each.appointments / PAGE_OBJECTS);
    const what = `${spoken(each)}, nothing changed`;
    told.atMost(0, { what: `${what}: writes to Google`, unit: '', figure: each.googleWrites, asked: 'none' });
    told.atMost(pages + HANDFUL, { what: 'requests to the platform', unit: '', figure: each.pageRequests });
    told.note('a resync takes', [each.resyncS, 's']);
    told.note('peak memory of the worker', [each.peakMib, 'MiB'], { note: MEMORY_NOTE });
    told.atMost(0, {
      what: 'looked at again one by one: writes to Google',
      ...{ unit: '', figure: each.forced.googleWrites, asked: 'none' },
      note: 'As after a change of the mapping: each object is rendered again, and found to be as it was written.',
    });
    told.atLeast(each.contacts + each.appointments, {
      what: 'looked at',
      ...{ unit: 'objects', figure: each.forced.lookedAt },
    });
    told.note('looking at them one by one takes', [each.forced.seconds, 's']);
    told.note('peak memory of the worker', [each.forced.peakMib, 'MiB'], { note: MEMORY_NOTE });
    told.note('filling calendars and tab before it took', [each.fillS, 's']);
    told.atMost(0, { what: 'events and rows missing', unit: '', figure: each.missing, asked: 'none' });
  }
  const [first] = measured;
  const last = measured.at(-1);
  if (first === undefined || last === undefined || first === last) return told.figures;
  const figure = last.peakMib / first.peakMib;
  told.atMost(1.3, { what: `peak memory, ${spoken(last)} against ${spoken(first)}`, unit: 'x', figure });
  const forced = last.forced.peakMib / first.forced.peakMib;
  told.note('the same, looked at one by one', [forced, 'x'], {
    note: 'Nothing is asked of it: V8 uses more of the bound while more work waits in the queue. The bound holds all the same.',
  });
  return told.figures;
}

async function onStage(size: Size, options: BenchOptions): Promise<Measured> {
  const stage = await setStage({
    quotas: {
      calendarPerMinutePerUser: PER_MINUTE,
      sheetsReadsPerMinutePerUser: PER_MINUTE,
      sheetsWritesPerMinutePerUser: PER_MINUTE,
    },
  });
  try {
    const { google } = stage;
    for (const { calendarId } of people) google.addCalendar(calendarId, { shareWith: [defaultAccount] });
    google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs: [{ title: TAB }] });
    const platform = await startSlimPlatform({ ...size, endpoint: `${stage.workerUrl}/webhooks/platform` });
    stage.push(() => platform.close());
    return await measure(stage, { size, platform, say: options.say });
  } finally {
    await stage.close();
  }
}

async function measure(
  stage: Stage,
  how: { size: Size; platform: SlimPlatform; say: BenchOptions['say'] },
): Promise<Measured> {
  const { size, platform } = how;
  const start = (sinceDays = 7): Promise<WorkerProcess> =>
    stage.startWorker({
      ...{ platformUrl: platform.url, apiKey: 'bench-key', heapMib: HEAP_MIB },
      // The fill is not measured. The normal quotas would only prolong it.
      ...{ calendarPerMinute: PER_MINUTE, sheetsPerMinute: PER_MINUTE, flushEvery: '200ms' },
      mirrors: mapping({ spreadsheetId: BOOK, tab: TAB, sinceDays }),
    });
  const filledFrom = performance.now();
  const first = await start();
  await untilAtRest(first, { withinMs: WITHIN_MS });
  const fillS = secondsSince(filledFrom);
  await first.stop();

  how.say(`resync: ${spoken(size)}: nothing changed`);
  const second = await start();
  await untilAtRest(second, { withinMs: WITHIN_MS });
  const requestsBefore = pagesRead(platform);
  stage.google.resetCounts();
  const resyncedFrom = performance.now();
  await withCoverage(stage, async (coverage) => {
    const nowMs = Date.now();
    const seen = { id: 'bench', source: 'feed', fromMs: nowMs - 60_000, toMs: nowMs, foundAtMs: nowMs };
    await coverage.putHole({ ...seen, cause: 'feed-anchor-lost' });
    while ((await coverage.holes()).length > 0) await sleep(100);
  });
  await untilAtRest(second, { withinMs: WITHIN_MS });
  const resyncS = secondsSince(resyncedFrom);
  const pageRequests = pagesRead(platform) - requestsBefore;
  const googleWrites = writesOf(stage);
  const peak = peakMib(second.pid);
  await second.stop();

  how.say(`resync: ${spoken(size)}: looked at again one by one`);
  stage.google.resetCounts();
  const forcedFrom = performance.now();
  const third = await start(8);
  await untilAtRest(third, { withinMs: WITHIN_MS });
  const forced = {
    ...{ seconds: secondsSince(forcedFrom), googleWrites: writesOf(stage) },
    ...{ peakMib: peakMib(third.pid), lookedAt: reconciled(await third.metrics()) },
  };
  const events = people.reduce(
    (all, { calendarId }) => all + stage.google.truth.events(calendarId).length,
    0,
  );
  // Subtract the header row.
  const rows = stage.google.truth.values(BOOK, TAB).length - 1;
  const missing = Math.abs(size.appointments - events) + Math.abs(size.contacts - rows);
  return { ...size, fillS, resyncS, pageRequests, googleWrites, peakMib: peak, forced, missing };
}

async function withCoverage(stage: Stage, run: (coverage: CoverageStore) => Promise<void>): Promise<void> {
  const redis = openRedis(stage.redisUrl, 'queue');
  try {
    await run(new CoverageStore({ redis, keys: keySpace(PREFIX) }));
  } finally {
    redis.disconnect();
  }
}

function pagesRead({ requests }: SlimPlatform): number {
  return (requests.get('contacts') ?? 0) + (requests.get('appointments') ?? 0);
}

/** All calls that may write, whatever their outcome. */
function writesOf(stage: Stage): number {
  const calls = Object.entries(stage.google.stats().callsByMethod);
  return calls
    .filter(([method]) => /\.(insert|patch|update|delete|move|batchUpdate|append|clear)$/.test(method))
    .reduce((sum, [, count]) => sum + count, 0);
}

/** How many objects this process has reconciled. */
function reconciled(metrics: string): number {
  const counts = [...metrics.matchAll(/^slotbridge_reconciled_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

function secondsSince(from: number): number {
  return (performance.now() - from) / 1_000;
}

function spoken({ contacts, appointments }: Size): string {
  return `${contacts.toLocaleString('en')} contacts and ${appointments.toLocaleString('en')} appointments`;
}
