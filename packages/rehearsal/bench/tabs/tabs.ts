import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { openClinic } from '../stand/clinic.ts';
import { peakMib, processorMs } from '../stand/memory.ts';
import { untilAtRest } from '../stand/rest.ts';
import { type Stage, setStage } from '../stand/stage.ts';

const BOOK = 'bench-office';
const TAB = 'Contacts';
const PER_MINUTE = 1_000_000;
const WITHIN_MS = 600_000;
const STEP_WITHIN_MS = 60_000;
/** Changes before the measurement: the first looks read the whole key column, and code is compiled. */
const WARM_UP = 8;
/** Contacts that change. The other rows of the tab are nobody's: the tab is large, the company is not. */
const OWN = 50;
/** How long an idle worker is watched, whose processor time is no part of a change. */
const IDLE_MS = 10_000;

interface Size {
  readonly rows: number;
  /** Compared with the first size. The first has limits of its own. */
  readonly changeTimes?: number;
  readonly fillTimes?: number;
  readonly memoryTimes?: number;
}

const SIZES: readonly [Size, ...Size[]] = [
  { rows: 5_000 },
  { rows: 60_000, changeTimes: 1.2, memoryTimes: 1.3 },
  { rows: 300_000, fillTimes: 1.3 },
  { rows: 500_000, changeTimes: 1.3, memoryTimes: 1.3 },
];
/** A quick run divides the sizes by this. */
const QUICK = 25;

interface Spent {
  readonly bytes: number;
  readonly ms: number;
}

const NOTHING: Spent = { bytes: Number.NaN, ms: Number.NaN };

interface Grown {
  readonly change: Spent;
  /** A new row. */
  readonly fill: Spent;
  readonly peak: number;
}

const NOTE = 'Reference: 5,000 rows, in this run. A quick run has fewer.';

/** Requirement: a changed row, and a new one, cost the same in a tab of any size. */
export async function tabs(options: BenchOptions): Promise<Figure[]> {
  const told = figuresOf('tabs');
  let small: Grown | undefined;
  for (const size of SIZES) {
    const rows = options.isQuick ? size.rows / QUICK : size.rows;
    options.say(`tabs: ${rows.toLocaleString('en')} rows`);
    const grown = await inTab({ ...size, rows }, options.isQuick);
    const inRows = `in a tab of ${rows.toLocaleString('en')} rows`;
    if (small === undefined) {
      small = grown;
      const { change, fill, peak } = grown;
      told.atMost(50_000, {
        what: `a changed contact, bytes read, ${inRows}`,
        unit: 'bytes',
        figure: change.bytes,
      });
      told.atMost(40, {
        what: `a changed contact, processor, ${inRows}`,
        ...{ unit: 'ms', figure: change.ms, needsFullSize: true },
      });
      told.note(`a new row, bytes read, ${inRows}`, [fill.bytes, 'bytes']);
      told.note(`a new row, processor, ${inRows}`, [fill.ms, 'ms']);
      told.note(`peak memory, ${inRows}`, [peak, 'MiB']);
      continue;
    }
    const { changeTimes, fillTimes, memoryTimes } = size;
    for (const [what, unit, figure, reference, times] of [
      ['a changed contact, bytes read', 'bytes', grown.change.bytes, small.change.bytes, changeTimes],
      ['a changed contact, processor', 'ms', grown.change.ms, small.change.ms, changeTimes],
      ['a new row, bytes read', 'bytes', grown.fill.bytes, small.fill.bytes, fillTimes],
      ['a new row, processor', 'ms', grown.fill.ms, small.fill.ms, fillTimes],
      ['peak memory', 'MiB', grown.peak, small.peak, memoryTimes],
    ] as const) {
      if (times === undefined) continue;
      told.atMost(times * reference, {
        ...{ what: `${what}, ${inRows}`, unit, figure, reference, ratio: figure / reference },
        ...{ asked: `≤ ${times} times`, needsFullSize: true, note: NOTE },
      });
    }
  }
  return told.figures;
}

/** Measures what its size is compared by; the rest is NaN. */
async function inTab({ rows, changeTimes, fillTimes }: Size, isQuick: boolean): Promise<Grown> {
  const stage = await setStage({
    quotas: { sheetsReadsPerMinutePerUser: PER_MINUTE, sheetsWritesPerMinutePerUser: PER_MINUTE },
  });
  try {
    const clinic = await openClinic(stage.google, 1);
    stage.push(() => clinic.platform.close());
    const { platform, apiKey, projectId } = clinic;
    const contact = (nth: number) =>
      platform.dashboard.createContact({
        ...{ projectId, name: `Customer ${nth}`, phone: `+7912${String(1_000_000 + nth)}` },
      });
    const own = Array.from({ length: OWN }, (_, nth) => contact(nth));
    const others = Array.from({ length: rows - OWN }, (_, index) => [
      `10000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      `Guest ${index}`,
      `+7913${String(1_000_000 + index)}`,
    ]);
    stage.google.addSpreadsheet(BOOK, {
      shareWith: [defaultAccount],
      tabs: [{ title: TAB, rows: rows + 10, columns: 5, values: [['ID', 'Name', 'Phone'], ...others] }],
    });
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    const worker = await stage.startWorker({
      ...{ platformUrl: platform.url, apiKey, secret, sheetsPerMinute: PER_MINUTE },
      mirrors: `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: ${TAB}, check_every: 7d }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
`,
    });
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    let version = 0;
    const change = async () => {
      version += 1;
      const before = writesOf(stage);
      platform.dashboard.changeContact(own[version % own.length] ?? '', {
        phone: `+7914${String(1_000_000 + version)}`,
      });
      await untilWritten(stage, before);
    };
    for (let n = 0; n < WARM_UP; n += 1) await change();
    // The worker looks at the whole tab half a minute after its start at the latest.
    await sleep(isQuick ? 0 : 65_000);
    await change();
    const isFirst = changeTimes === undefined && fillTimes === undefined;
    const spent = async (count: number, act: () => Promise<unknown>): Promise<Spent> => {
      const restMs = isQuick ? 1_000 : IDLE_MS;
      const idleMs = await processorWhile(worker.pid, () => sleep(restMs));
      const [from, startedAt] = [stage.google.stats().bytesSent, performance.now()];
      const ms = await processorWhile(worker.pid, act);
      const idle = (idleMs * (performance.now() - startedAt)) / restMs;
      return { bytes: (stage.google.stats().bytesSent - from) / count, ms: (ms - idle) / count };
    };
    const changes = isQuick ? 3 : 30;
    const fresh = isQuick ? 50 : 6_000;
    const changed = async () => {
      for (let n = 0; n < changes; n += 1) await change();
    };
    const filled = async () => {
      for (let nth = 0; nth < fresh; nth += 1) contact(OWN + nth);
      await platform.whenDeliveriesSettle(WITHIN_MS);
      await untilAtRest(worker, { withinMs: WITHIN_MS });
    };
    const grown = {
      change: isFirst || changeTimes !== undefined ? await spent(changes, changed) : NOTHING,
      peak: peakMib(worker.pid),
    };
    return { ...grown, fill: isFirst || fillTimes !== undefined ? await spent(fresh, filled) : NOTHING };
  } finally {
    await stage.close();
  }
}

async function processorWhile(pid: number | undefined, act: () => Promise<unknown>): Promise<number> {
  const from = processorMs(pid);
  await act();
  return processorMs(pid) - from;
}

const writesOf = (stage: Stage) => stage.google.stats().callsByMethod['spreadsheets.batchUpdate'] ?? 0;

/** Until a flush has written, and a moment longer. */
async function untilWritten(stage: Stage, before: number): Promise<void> {
  for (const until = Date.now() + STEP_WITHIN_MS; writesOf(stage) === before; await sleep(20))
    if (Date.now() > until) throw new Error('the worker wrote nothing');
  await sleep(300);
}
