import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import type { WorkerProcess } from '../../demo/worker-process.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { mapping, people } from '../slim/numbered.ts';
import { startSlimPlatform } from '../slim/platform.ts';
import { HEAP_MIB, MEMORY_NOTE, peakMib } from '../stand/memory.ts';
import { untilAtRest } from '../stand/rest.ts';
import { setStage } from '../stand/stage.ts';

const PAGE_EVENTS = 100;
const EVENTS_PER_APPOINTMENT = 5;
/** Requests beyond the pages: directory, endpoint, and the overlap below the floor. */
const HANDFUL = 20;
const CALLS_PER_MINUTE = 1_000_000;
/** A walk proves the feed up to this long before it began. */
const FORMATION_MS = 5_000;
const WITHIN_MS = 600_000;
const BOOK = 'bench-office';
const TAB = 'Contacts';

interface Measured {
  readonly events: number;
  readonly requests: number;
  /** Until the feed is proved up to the start of the worker. */
  readonly provedS: number;
  /** Until everything is mirrored, too. */
  readonly mirroredS: number;
  readonly peakMib: number;
  /** Events missing from Google plus surplus ones. */
  readonly wrong: number;
}

/**
 * Requirement: after 10,000, 50,000 or 200,000 missed events, requests = pages plus a handful, time linear,
 * memory flat.
 */
export async function catchUp(options: BenchOptions): Promise<Figure[]> {
  const sizes = options.isQuick ? [200, 1_000] : [10_000, 50_000, 200_000];
  const told = figuresOf('catch-up');
  const measured: Measured[] = [];
  for (const events of sizes) {
    options.say(`catch-up: ${events.toLocaleString('en')} missed events`);
    measured.push(await miss(events));
  }
  const note = `Missed within three days, ${EVENTS_PER_APPOINTMENT} changes of each appointment; the worker is started anew and everything comes by the feed.`;
  for (const each of measured) {
    const events = each.events.toLocaleString('en');
    const pages = Math.ceil(each.events / PAGE_EVENTS);
    told.atMost(pages + HANDFUL, {
      what: `${events} missed events: requests to the platform`,
      ...{ unit: '', figure: each.requests, asked: `≤ ${(pages + HANDFUL).toLocaleString('en')}`, note },
    });
    told.note('until the feed is proved', [each.provedS, 's']);
    told.note('until everything is mirrored', [each.mirroredS, 's']);
    told.note('peak memory of the worker', [each.peakMib, 'MiB'], { note: MEMORY_NOTE });
    told.atMost(0, { what: 'events missing or too many', unit: '', figure: each.wrong, asked: 'none' });
  }
  const [first] = measured;
  const last = measured.at(-1);
  if (first === undefined || last === undefined) return told.figures;
  const between = `${last.events.toLocaleString('en')} against ${first.events.toLocaleString('en')}`;
  told.atMost(1.3, {
    what: `time per event, ${between}`,
    ...{ unit: 'x', figure: last.mirroredS / last.events / (first.mirroredS / first.events) },
    needsFullSize: true,
    note: 'Linear is 1; what the smaller one loses to its start makes it less.',
  });
  told.atMost(1.3, {
    what: `peak memory, ${between}`,
    ...{ unit: 'x', figure: last.peakMib / first.peakMib, needsFullSize: true },
  });
  return told.figures;
}

async function miss(events: number): Promise<Measured> {
  const stage = await setStage({
    quotas: { calendarPerMinutePerUser: CALLS_PER_MINUTE, calendarPerMinutePerProject: CALLS_PER_MINUTE },
  });
  try {
    const { google } = stage;
    for (const { calendarId } of people) google.addCalendar(calendarId, { shareWith: [defaultAccount] });
    google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs: [{ title: TAB }] });
    const platform = await startSlimPlatform({
      ...{ contacts: 0, appointments: 0 },
      endpoint: `${stage.workerUrl}/webhooks/platform`,
    });
    stage.push(() => platform.close());
    const start = () =>
      stage.startWorker({
        ...{ platformUrl: platform.url, apiKey: 'bench-key', calendarPerMinute: CALLS_PER_MINUTE },
        heapMib: HEAP_MIB,
        mirrors: mapping({ spreadsheetId: BOOK, tab: TAB, sinceDays: 7 }),
      });
    const before = await start();
    await untilAtRest(before, { withinMs: WITHIN_MS });
    await before.stop();

    const appointments = events / EVENTS_PER_APPOINTMENT;
    platform.miss(events, appointments);
    const requestsBefore = sum(platform.requests.values());
    const startedAtMs = Date.now();
    const worker = await start();
    await untilProved(worker, startedAtMs);
    const provedS = (Date.now() - startedAtMs) / 1_000;
    const requests = sum(platform.requests.values()) - requestsBefore;
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    const mirroredS = (Date.now() - startedAtMs) / 1_000;
    const found = people.reduce((all, { calendarId }) => all + google.truth.events(calendarId).length, 0);
    return {
      ...{ events, requests, provedS, mirroredS },
      peakMib: peakMib(worker.pid),
      wrong: Math.abs(found - appointments),
    };
  } finally {
    await stage.close();
  }
}

/** Waits until a walk that began after the start has reached its floor. */
async function untilProved(worker: WorkerProcess, startedAtMs: number): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (Date.now() < deadline) {
    const covered = Date.parse((await worker.status())?.coverage.feed.covered_until ?? '1970');
    if (covered >= startedAtMs - FORMATION_MS) return;
    await sleep(100);
  }
  throw new Error('the walk through the feed has not met its floor in time');
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
