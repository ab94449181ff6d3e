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

interface Grown {
  readonly rows: number;
  readonly changeBytes: number;
  readonly changeMs: number;
  readonly fillBytes: number;
  readonly fillMs: number;
  readonly peak: number;
}

/** Requirement: a changed row, and a new one, cost the same in a tab of any size. */
export async function tabs(options: BenchOptions): Promise<Figure[]> {
  const sizes = options.isQuick ? [200, 400, 600] : [5_000, 60_000, 500_000];
  const grown: Grown[] = [];
  for (const rows of sizes) {
    options.say(`tabs: ${rows.toLocaleString('en')} rows`);
    grown.push(await inTab(rows, options.isQuick));
  }
  const told = figuresOf('tabs');
  const [small] = grown;
  if (small === undefined) return [];
  for (const [at, { rows, ...figures }] of grown.entries()) {
    const inRows = `in a tab of ${rows.toLocaleString('en')} rows`;
    const limits = { bytes: [50_000, 1.2, 1.3], ms: [40, 1.2, 1.3] } as const;
    for (const [what, unit, key, limit] of [
      ['a changed contact, bytes read', 'bytes', 'changeBytes', limits.bytes[at]],
      ['a changed contact, processor', 'ms', 'changeMs', limits.ms[at]],
    ] as const) {
      const figure = figures[key];
      const about = { what: `${what}, ${inRows}`, unit, figure, needsFullSize: true };
      if (at === 0) told.atMost(limit ?? 0, about);
      else
        told.atMost((limit ?? 0) * small[key], {
          ...{ ...about, reference: small[key], ratio: figure / small[key] },
          asked: `≤ ${limit} times`,
        });
    }
    for (const [what, unit, key] of [
      ['a new row, bytes read', 'bytes', 'fillBytes'],
      ['a new row, processor', 'ms', 'fillMs'],
      ['peak memory', 'MiB', 'peak'],
    ] as const) {
      const figure = figures[key];
      const about = { what: `${what}, ${inRows}`, unit, figure, needsFullSize: true };
      if (at === 0) told.note(about.what, [figure, unit]);
      else
        told.atMost(1.3 * small[key], {
          ...{ ...about, reference: small[key], ratio: figure / small[key] },
          asked: '≤ 1.3 times',
        });
    }
  }
  return told.figures;
}

async function inTab(rows: number, isQuick: boolean): Promise<Grown> {
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
    const idleMs = await processorWhile(worker.pid, () => sleep(10_000));
    const from = stage.google.stats().bytesSent;
    const changes = isQuick ? 3 : 30;
    const startedAt = performance.now();
    const spent = await processorWhile(worker.pid, async () => {
      for (let n = 0; n < changes; n += 1) await change();
    });
    const changeBytes = (stage.google.stats().bytesSent - from) / changes;
    const changeMs = (spent - (idleMs * (performance.now() - startedAt)) / 10_000) / changes;

    const fresh = isQuick ? 50 : 6_000;
    const atFill = stage.google.stats().bytesSent;
    const fillMs = await processorWhile(worker.pid, async () => {
      for (let nth = 0; nth < fresh; nth += 1) contact(OWN + nth);
      await platform.whenDeliveriesSettle(WITHIN_MS);
      await untilAtRest(worker, { withinMs: WITHIN_MS });
    });
    const fillBytes = (stage.google.stats().bytesSent - atFill) / fresh;
    return {
      ...{ rows, changeBytes, changeMs, fillBytes, fillMs: fillMs / fresh },
      peak: peakMib(worker.pid),
    };
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
