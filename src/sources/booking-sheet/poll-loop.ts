import { ORIGIN_MARK } from '../../bookings/submit/request.ts';
import { isVisitWord } from '../../bookings/words/outside-words.ts';
import type { Outside } from '../../compose/remotes.ts';
import type { Store } from '../../compose/stores.ts';
import type { Config } from '../../config/config.ts';
import { DeferredError } from '../../domain/errors.ts';
import type { BookingMapping, SheetBookings } from '../../domain/outside-booking.ts';
import { RememberedTabs } from '../../mirrors/sheet/tab/tab-memory.ts';
import { answerTab } from '../../mirrors/sheet/target/answers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Intake } from '../../ports/intake.ts';
import type { Log } from '../../ports/log.ts';
import type { WorkQueue } from '../../ports/work-queue.ts';
import { type Reveille, repeat } from '../../work/loops.ts';
import { IntakeSheets, intakeRead } from './booking-sheets.ts';

/** A holder that was only frozen must not write ids beside another one. */
const POLL_LEASE_MS = 15_000;
/** Part of a pace, at its end, in which a poll waits for a flush whose reading takes it along. */
const ALONG_SHARE = 0.6;
/** No longer than two flushes are apart, nor than this: the lease is held all the while. */
const ALONG_WAIT_MS_MAX = 10_000;
/** One that is polled less often is not said to wait all the while. */
const NEXT_POLL_MS_MAX = 60_000;

export interface IntakeSheetsOptions {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly intake: Intake;
  readonly queue: WorkQueue;
  readonly isCurrent: () => Promise<boolean>;
  /** What Redis knew of the rows may be forgotten. */
  readonly reveille: Reveille;
  readonly clock: Clock;
  readonly log: Log;
}

export function sheetBookings(config: Pick<Config, 'bookings'>): readonly SheetBookings[] {
  return config.bookings.filter(
    (mapping: BookingMapping): mapping is SheetBookings => mapping.kind === 'sheet',
  );
}

/** What the status says of them. */
export function intakeCoverage(config: Pick<Config, 'bookings'>, { memory }: Pick<Store, 'memory'>) {
  return {
    entries: sheetBookings(config),
    readUntilMs: async (entry: string) => {
      const known = await memory.get(intakeRead(entry));
      return known === undefined ? undefined : Number(known);
    },
  };
}

/** Reads every spreadsheet in which people book, at its own pace, one process at a time, until the signal aborts. */
export async function pollIntakeSheets(options: IntakeSheetsOptions, signal: AbortSignal): Promise<void> {
  const { store, log, reveille } = options;
  const sheets = openIntakeSheets(options);
  let called = reveille.signal;
  const wasCalled = (): boolean => {
    const { aborted } = called;
    called = reveille.signal;
    return aborted;
  };
  await Promise.all(
    [...paceOf(sheetBookings(options.config))].map(([spreadsheetId, everyMs]) => {
      const alongMs = alongWaitMs(options.config, everyMs);
      let seen: AbortSignal | undefined;
      return repeat({ name: 'intake sheet', everyMs, signal, log, reveille }, async () => {
        if (wasCalled()) sheets.forget();
        // After a start and after a call nothing is waited for.
        const waitMs = seen === undefined || seen.aborted ? 0 : alongMs;
        seen = reveille.signal;
        if (!(await options.isCurrent())) return undefined;
        try {
          await store.leases.hold(
            `intake:${spreadsheetId}`,
            (lease) => sheets.poll(spreadsheetId, lease.signal, { waitMs }),
            { ttlMs: POLL_LEASE_MS, until: signal },
          );
        } catch (error) {
          await noteWait(options, { spreadsheetId, everyMs, error });
          throw error;
        }
        return everyMs - alongMs;
      });
    }),
  );
}

/** How long a poll waits for a flush, so that polls are `everyMs` apart at the longest. */
export function alongWaitMs(config: Pick<Config, 'worker'>, everyMs: number): number {
  return Math.min(ALONG_SHARE * everyMs, 2 * config.worker.flushEveryMs, ALONG_WAIT_MS_MAX);
}

/** Whoever asks why the sheet is not read has to find it, until the poll that follows has its answer. */
async function noteWait(
  { store, clock }: IntakeSheetsOptions,
  { spreadsheetId, everyMs, error }: { spreadsheetId: string; everyMs: number; error: unknown },
): Promise<void> {
  if (!(error instanceof DeferredError) || error.quota === undefined) return;
  const nextMs = Math.max(error.retryAfterMs, Math.min(everyMs, NEXT_POLL_MS_MAX));
  const untilMs = clock.now() + nextMs + POLL_LEASE_MS;
  await store.budget.waits(`intake:${spreadsheetId}`, [error.quota], untilMs).catch(() => undefined);
}

function openIntakeSheets({
  config,
  store,
  outside,
  intake,
  queue,
  clock,
  log,
}: IntakeSheetsOptions): IntakeSheets {
  const mappings = sheetBookings(config);
  return new IntakeSheets({
    ...{ mappings, intake, clock, log },
    // What people type is noticed a little later rather than what waits shown late.
    api: outside.sheetsFor('catch-up'),
    tabs: new RememberedTabs(store.memory),
    memory: store.memory,
    view: store.ledger,
    reader: outside.platform.reader,
    isAnswer: isVisitWord,
    originMark: ORIGIN_MARK,
    rows: store.sheetRows(queue),
    register: store.rowRegister,
    outbox: store.nudgingOutbox(queue),
    placeOf: (mapping) => {
      const { name: mirror, spreadsheetId, tab } = answerTab(mapping);
      return { mirror, spreadsheetId, tab };
    },
    problems: store.problems,
  });
}

/** Spreadsheet to the shortest pace that one of its entries asks for. */
function paceOf(mappings: readonly SheetBookings[]): ReadonlyMap<string, number> {
  const pace = new Map<string, number>();
  for (const { spreadsheetId, everyMs } of mappings)
    pace.set(spreadsheetId, Math.min(everyMs, pace.get(spreadsheetId) ?? everyMs));
  return pace;
}
