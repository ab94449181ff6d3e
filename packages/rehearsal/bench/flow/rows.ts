import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import type { Stage } from '../stand/stage.ts';
import { onFlowStage } from './flow-stage.ts';
import { percentile } from './percentile.ts';
import { steadily } from './steady.ts';

const BOOK = 'bench-office';
const TAB = 'Contacts';
const DESK = 'Front desk';
const DESK_HEADERS = ['Service', 'Start', 'Name', 'Phone', 'Ready', 'Cancel', 'ID', 'Status'];
const CHANGES_PER_SECOND = 50;
/** Google's own quota per user, for reads and for writes. */
const PER_MINUTE = 60;

const MAPPING = `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: ${TAB} }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
bookings:
  front-desk:
    from: { spreadsheet: ${BOOK}, tab: ${DESK}, timezone: Europe/Moscow, every: 5s, rows_per_hour: 10000 }
    columns:
      service: Service
      starts_at: Start
      name: Name
      phone: Phone
      ready: Ready
      cancel: Cancel
      id: ID
      status: Status
    region: RU
`;

/**
 * Requirement: 50 changes a second for two minutes, with 60 reads and 60 writes a minute and a booking tab polled every 5 s. Row
 * lag p50 below 3 s, p99 below 8 s; at most 1.1 reads per flush.
 */
export async function rows(options: BenchOptions): Promise<Figure[]> {
  const seconds = options.isQuick ? 4 : 120;
  const changes = seconds * CHANGES_PER_SECOND;
  const told = figuresOf('flow: rows');
  const setting = {
    people: 1,
    google: { quotas: { sheetsReadsPerMinutePerUser: PER_MINUTE, sheetsWritesPerMinutePerUser: PER_MINUTE } },
    worker: { mirrors: MAPPING },
    prepare: ({ google }: Stage) =>
      google.addSpreadsheet(BOOK, {
        shareWith: [defaultAccount],
        tabs: [{ title: TAB }, { title: DESK, values: [DESK_HEADERS] }],
      }),
  };
  return onFlowStage(setting, async ({ stage, clinic, rest }) => {
    const { dashboard } = clinic.platform;
    options.say(`rows: ${changes.toLocaleString('en')} contacts`);
    const ids = dashboard.importContacts(
      Array.from({ length: changes }, (_, nth) => ({
        projectId: clinic.projectId,
        name: `Customer ${nth}`,
        phone: `+7912${String(1_000_000 + nth)}`,
      })),
    );
    await rest();
    const wanted = new Map<string, { readonly phone: string; readonly atMs: number }>();
    const lags: number[] = [];
    stage.google.onSheetWrite(() => {
      const nowMs = performance.now();
      for (const [id, , phone] of stage.google.truth.values(BOOK, TAB)) {
        const change = wanted.get(String(id));
        if (change === undefined || change.phone !== phone) continue;
        lags.push(nowMs - change.atMs);
        wanted.delete(String(id));
      }
    });
    options.say(`rows: ${CHANGES_PER_SECOND} changes a second for ${seconds} s`);
    const before = countsOf(stage);
    await steadily(
      (nth) => {
        const id = ids[nth] ?? '';
        const phone = `+7913${String(1_000_000 + nth)}`;
        dashboard.changeContact(id, { phone });
        wanted.set(id, { phone, atMs: performance.now() });
      },
      { perSecond: CHANGES_PER_SECOND, seconds },
    );
    const counted = countsOf(stage);
    await rest();
    const [reads, writes] = [counted.reads - before.reads, counted.writes - before.writes];
    const note = `${CHANGES_PER_SECOND} changes a second for ${seconds} s, each of another contact; ${PER_MINUTE} reads and ${PER_MINUTE} writes a minute; a booking tab of the same spreadsheet is polled every 5 s. ${reads} reads, ${writes} writes.`;
    const needsFullSize = true;
    const lagAt = (share: number) => percentile(lags, share) / 1_000;
    told.atMost(3, { what: 'lag of a row, p50', unit: 's', figure: lagAt(0.5), needsFullSize, note });
    told.atMost(8, { what: 'the same, p99', unit: 's', figure: lagAt(0.99), needsFullSize });
    told.atMost(1.1, { what: 'reads per flush', unit: '', figure: reads / writes, needsFullSize });
    told.atMost(0, {
      what: 'requests refused by a quota',
      unit: '',
      figure: stage.google.stats().quotaRefusals,
      asked: 'none',
    });
    told.atMost(0, {
      what: 'changes that no row showed',
      unit: '',
      figure: wanted.size,
      asked: 'none',
    });
    return told.figures;
  });
}

function countsOf(stage: Stage): { readonly reads: number; readonly writes: number } {
  let [reads, writes] = [0, 0];
  for (const [method, calls] of Object.entries(stage.google.stats().callsByMethod)) {
    if (!method.startsWith('spreadsheets.')) continue;
    if (method === 'spreadsheets.batchUpdate') writes += calls;
    else reads += calls;
  }
  return { reads, writes };
}
