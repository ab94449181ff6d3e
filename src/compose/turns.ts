import { watchSheets } from '../mirrors/sheet/check/check-loop.ts';
import { flushHandler } from '../mirrors/sheet/flush/flush-handler.ts';
import type { Lease } from '../ports/leases.ts';
import { steadyClock } from '../ports/runtime.ts';
import type { WakeAll } from '../work/loops.ts';
import { reconcile } from '../work/reconcile.ts';
import type { Part, Supervisor } from '../work/supervisor.ts';
import { runSweep } from '../work/sweep.ts';
import { openClassReader } from './classes.ts';
import type { Core } from './core.ts';
import type { Targets } from './targets.ts';

/** Extra time for the queues to abandon their handlers. A handler may be in a call to Google that takes minutes. */
const HANDLERS_LEFT_MS = 500;

/** The handlers of both queues. */
export function startTurns(
  core: Core,
  parts: { readonly supervisor: Supervisor; readonly targets: Targets } & Pick<
    Parameters<typeof reconcile>[0],
    'handlers' | 'editCarrier'
  >,
): void {
  const { config, store, remotes, queues, mark, clock, log, meter } = core;
  const { handlers, editCarrier } = parts;
  const turn = {
    ...config.worker,
    ...{ work: store.work, history: store.history, reader: remotes.platform.reader },
    ...{ classes: openClassReader(core), editCarrier, handlers, clock, log, meter },
  };
  const flush = flushHandler({
    ...config.worker,
    ...{ leases: store.leases, flusher: parts.targets.flusher, log },
    ...{ clock: steadyClock, stopping: parts.supervisor.signal },
  });
  const work = { reconcile: (key: string) => reconcile(turn, key), flush, isCurrent: () => mark.isCurrent() };
  const handling: Part = { name: 'handlers', run: (signal) => queues.work(work, signal) };
  parts.supervisor.start(handling, config.worker.shutdownMs + HANDLERS_LEFT_MS);
}

/** Finds due work that no bell announced. */
export function sweeps({ config, store, queues, clock, log }: Core): Part {
  const { work, later, putOff, outbox } = store;
  const parts = {
    ...config.worker,
    ...{ work, later, putOff, outbox, queue: queues.objects, bell: queues.bell, clock, log },
    promoteDelayed: () => queues.promoteDelayed(),
  };
  return { name: 'sweep', run: (signal) => runSweep(parts, signal) };
}

/** Compares every spreadsheet with what the worker wrote, never during a flush. */
export function sheetChecks(
  { config, store, mark, log }: Core,
  { targets, wakeAll }: { readonly targets: Targets; readonly wakeAll: WakeAll },
): Part {
  const parts = {
    ...{ mirrors: config.mirrors, leases: store.leases, isCurrent: () => mark.isCurrent(), wakeAll, log },
    check: async (spreadsheetId: string, lease: Lease) => {
      await targets.lateDoubles.takeBack(spreadsheetId, lease);
      await targets.checker.check(spreadsheetId);
      await targets.blankRows.remove(spreadsheetId, lease);
    },
  };
  return { name: 'sheet checks', run: (signal) => watchSheets(parts, signal) };
}
