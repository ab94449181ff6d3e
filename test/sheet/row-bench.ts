import type { SheetLink } from '../../src/engine/link.ts';
import type { AppointmentSheetMirror, Directory, SheetMirror } from '../../src/engine/mirror.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { Outbox, Put } from '../../src/engine/outbox.ts';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import type { Claim } from '../../src/engine/work.ts';
import { createSheetTarget } from '../../src/sheet/target.ts';
import type { SheetZones } from '../../src/sheet/typed-cell.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { CountingWaker } from '../doubles/waker.ts';
import { double } from '../stand/double.ts';

export const NOW = Date.parse('2026-05-04T08:00:00Z');
export const DAY_MS = 86_400_000;
export const ID = '00000000-0000-4000-8000-000000000001';
export const day = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
export const MEETINGS: AppointmentSheetMirror = {
  ...{ kind: 'sheet', name: 'visits', from: 'appointment', where: { sinceMs: 3_650 * DAY_MS } },
  ...{ spreadsheetId: 'office', tab: 'Visits', timezone: 'UTC' },
  columns: [
    { header: ' ID ', template: '{{ status }}' },
    { header: ' Who ', template: '{{ customer_name }}' },
    { header: 'Status', template: '{{ status }}' },
  ],
  ...{ keyHeader: 'ID ', unmatched: 'clear', deleted: 'clear' },
};
export const HOME = { spreadsheetId: 'office', tab: 'Visits' };
export const OLD = { spreadsheetId: 'cellar', tab: 'Old' };
export const GONE = { spreadsheetId: 'former', tab: 'Visits' };
export const ARCHIVED: AppointmentSheetMirror = {
  ...MEETINGS,
  archive: { ...OLD, by: 'starts_at', afterMs: 30 * DAY_MS, blankRows: 'delete' },
};
export const CONFIRMED = { ...MEETINGS, where: { ...MEETINGS.where, statuses: ['confirmed'] } };
export const [AT_HOME, AT_OLD] = ['spreadsheet:office/Visits', 'spreadsheet:cellar/Old'];
export const DIRECTORY: Directory = { resources: new Map(), branches: new Map(), services: new Map() };

export const meeting = (about: object = {}): Snapshot => ({
  ...{ id: ID, project_id: 'p1', status: 'confirmed', customer_name: 'Ada', resource_ids: [] },
  ...{ starts_at: day(1), created_at: day(-1), ...about },
});

export function bench(mirror: SheetMirror, zones?: SheetZones) {
  const clock = new HandClock(NOW);
  const waker = new CountingWaker();
  const puts: { row: OutboxRow; others: readonly string[] }[] = [];
  const asked: unknown[] = [];
  const said = { put: 'queued' as Put, waits: new Set<string>() };
  const outbox = double<Outbox>({
    put: async (_: Claim, row: OutboxRow, others: readonly string[]) => {
      puts.push({ row, others });
      return said.put;
    },
    waits: async (row: { readonly spreadsheetId: string }) => {
      asked.push(row);
      return said.waits.has(row.spreadsheetId);
    },
  });
  const target = createSheetTarget({
    ...{ mirror, outbox, waker, clock, log: new KeptLog(), meter: new KeptMeter() },
    ...(zones !== undefined && { zones }),
    directory: { current: () => DIRECTORY },
  });
  const claim = (snapshot: Snapshot | undefined, sheet?: Partial<SheetLink>, about: Partial<Claim> = {}) =>
    ({
      ...{ key: { kind: mirror.from, id: ID }, fence: '1', desiredRev: 1, syncedRev: 0, snapshot },
      ...{ deleted: false, verify: false, sightings: [], projectId: 'p1', pendingSinceMs: NOW },
      links: sheet === undefined ? {} : { [mirror.name]: { sheet: { ...HOME, hash: 'x', ...sheet } } },
      ...about,
    }) as Claim;
  /** The row that a turn puts; undefined if it puts none. */
  const put = async (...about: Parameters<typeof claim>): Promise<OutboxRow | undefined> => {
    puts.splice(0);
    await target.reconcile(claim(...about));
    return puts[0]?.row;
  };
  return { target, clock, waker, puts, asked, said, claim, put };
}

/** What a look at the tab would say of the row that the mirror writes now. */
export async function hashOf(mirror: SheetMirror, snapshot: Snapshot): Promise<string> {
  return (await bench(mirror).put(snapshot))?.hash ?? '';
}
