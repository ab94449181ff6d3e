import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import type { WorkerProcess } from '../../demo/worker-process.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { appendRowByRow } from '../reference/row-appender.ts';
import { type Clinic, openClinic } from '../stand/clinic.ts';
import { untilAtRest } from '../stand/rest.ts';
import { type Stage, setStage } from '../stand/stage.ts';

const BOOK = 'bench-office';
const TAB = 'Contacts';
const WITHIN_MS = 600_000;
/** Google's write quota per user. The reference sends more rows than this, so that it hits the quota. */
const QUOTA_PER_MINUTE = 60;
const REFERENCE_ROWS = 90;
const CHANGES_PER_SECOND = 50;

const MIRRORS = `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: ${TAB} }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
`;

/**
 * Requirement: 20,000 rows with at least 1,000 per write request; 50 changes a second within 60 writes a minute. All of Google's quotas are
 * on.
 */
export async function sheet(options: BenchOptions): Promise<Figure[]> {
  const rows = options.isQuick ? 300 : 20_000;
  const steadySeconds = options.isQuick ? 2 : 60;
  const told = figuresOf('google: sheet');
  const reference = await appendRowByRow(REFERENCE_ROWS);
  const stage = await setStage();
  try {
    const clinic = await openClinic(stage.google, 1);
    stage.push(() => clinic.platform.close());
    const contactIds = importContacts(clinic, rows);
    stage.google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs: [{ title: TAB }] });
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);

    options.say(`sheet: ${rows.toLocaleString('en')} rows`);
    const startedAt = performance.now();
    const worker = await stage.startWorker({
      ...{ platformUrl: clinic.platform.url, apiKey: clinic.apiKey, secret },
      mirrors: MIRRORS,
    });
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    const minutes = (performance.now() - startedAt) / 60_000;
    const filling = writesOf(stage);
    const note = `Reference: values.append, one row a request; ${REFERENCE_ROWS} requests within one minute of the sandbox's clock, of which ${reference.perMinute} were taken and the others refused by the quota of ${QUOTA_PER_MINUTE}.`;
    const rowsPerWrite = rows / filling;
    told.atLeast(1_000, {
      what: `filling a tab with ${rows.toLocaleString('en')} rows, rows per write request`,
      unit: '',
      figure: rowsPerWrite,
      reference: reference.perWrite,
      ratio: rowsPerWrite / reference.perWrite,
      needsFullSize: true,
      note,
    });
    told.note('rows a minute', [rows / minutes, ''], { reference: reference.perMinute });

    options.say(`sheet: ${CHANGES_PER_SECOND} changes a second for ${steadySeconds} s`);
    const steady = await changeSteadily(stage, { clinic, worker, contactIds, seconds: steadySeconds });
    told.atMost(QUOTA_PER_MINUTE, {
      what: `${CHANGES_PER_SECOND} changes a second for ${steadySeconds} s, write requests a minute`,
      unit: '',
      figure: steady.writesPerMinute,
      needsFullSize: true,
      reference: CHANGES_PER_SECOND * 60,
      ratio: (CHANGES_PER_SECOND * 60) / steady.writesPerMinute,
      note: 'Reference: one row a request needs as many writes as there are changes, and is refused all but 60 of them a minute.',
    });
    told.note('behind at the end of these changes', [steady.behindSeconds, 's']);
    told.atMost(0, {
      what: 'requests refused by a quota',
      unit: '',
      figure: stage.google.stats().quotaRefusals,
      asked: 'none',
    });
    told.atMost(0, {
      what: 'rows not as the platform has them',
      unit: '',
      figure: wrongRows(stage, clinic),
      asked: 'none',
    });
    return told.figures;
  } finally {
    await stage.close();
  }
}

function importContacts({ platform, projectId }: Clinic, rows: number): string[] {
  const contacts = Array.from({ length: rows - 1 }, (_, index) => ({
    projectId,
    name: `Customer ${index}`,
    phone: `+7912${String(1_000_000 + index)}`,
  }));
  return platform.dashboard.importContacts(contacts);
}

/** Makes changes evenly, the same number in each tenth of a second, and measures the whole period. */
async function changeSteadily(
  stage: Stage,
  how: { clinic: Clinic; worker: WorkerProcess; contactIds: readonly string[]; seconds: number },
): Promise<{ writesPerMinute: number; behindSeconds: number }> {
  const { dashboard } = how.clinic.platform;
  const ticks = how.seconds * 10;
  const writesBefore = writesOf(stage);
  const startedAt = performance.now();
  for (let tick = 0; tick < ticks; tick += 1) {
    for (let nth = 0; nth < CHANGES_PER_SECOND / 10; nth += 1) {
      const change = tick * (CHANGES_PER_SECOND / 10) + nth;
      const id = how.contactIds[(change * 7) % how.contactIds.length] ?? '';
      dashboard.changeContact(id, { phone: `+7913${String(1_000_000 + change)}` });
    }
    await sleep(Math.max(0, startedAt + (tick + 1) * 100 - performance.now()));
  }
  const endedAt = performance.now();
  const writes = writesOf(stage) - writesBefore;
  await how.clinic.platform.whenDeliveriesSettle(WITHIN_MS);
  await untilAtRest(how.worker, { withinMs: WITHIN_MS });
  return {
    writesPerMinute: writes / ((endedAt - startedAt) / 60_000),
    behindSeconds: (performance.now() - endedAt) / 1_000,
  };
}

/** Write requests, including refused ones. */
function writesOf(stage: Stage): number {
  return stage.google.stats().callsByMethod['spreadsheets.batchUpdate'] ?? 0;
}

function wrongRows(stage: Stage, { platform }: Clinic): number {
  const rows = new Map(stage.google.truth.values(BOOK, TAB).map((row) => [row[0], row]));
  const contacts = platform.truth.contacts();
  const wrong = contacts.filter(({ id, name, phone }) => {
    const row = rows.get(String(id));
    return row?.[1] !== name || row?.[2] !== phone;
  });
  // Subtract the header row.
  return wrong.length + Math.abs(stage.google.truth.values(BOOK, TAB).length - 1 - contacts.length);
}
