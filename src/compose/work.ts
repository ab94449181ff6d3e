import { watchSheets } from '../mirrors/sheet/check/check-loop.ts';
import { flushHandler } from '../mirrors/sheet/flush/flush-handler.ts';
import type { StatusSource } from '../ops/status.ts';
import { steadyClock } from '../ports/runtime.ts';
import type { FeedWatch } from '../sources/feed/feed-watch.ts';
import type { RefusedWatch } from '../sources/webhook/refused-watch.ts';
import { boot } from '../upkeep/boot.ts';
import { restartWatch } from '../upkeep/redis-lost/restart-watch.ts';
import { ringEvery } from '../upkeep/schedule.ts';
import { aborted, every, WakeAll } from '../work/loops.ts';
import { reconcile } from '../work/reconcile.ts';
import type { Part, Supervisor } from '../work/supervisor.ts';
import { runSweep } from '../work/sweep.ts';
import { inheritTurns } from '../work/takeover.ts';
import { blockPolls, openBlockHandlers } from './blocks.ts';
import { openBookingHandlers } from './booking-handlers.ts';
import { calendarNotes } from './calendar-notes.ts';
import type { Core } from './core.ts';
import { customerHandlers, openCustomers } from './customers.ts';
import { bookingDropDowns } from './drop-downs.ts';
import { feedHandlers, feedUpkeep } from './feeds.ts';
import { forgetDeleted } from './forgetting.ts';
import { bookingSheetPolls, type openCalendarWatch } from './sources.ts';
import { openEditCarrier, openEditGuard, openSubmitter } from './staff-edits.ts';
import { statusTabs } from './status-tabs.ts';
import { createTargets, type Targets } from './targets.ts';
import { openUpkeep } from './upkeep.ts';

/** Between two looks whether webhooks are still refused. */
const REFUSED_LOOK_EVERY_MS = 60_000;
/** The queues leave their handlers when their time is over; a handler may be at a call to Google that takes minutes. */
const HANDLERS_LEFT_MS = 500;

interface WorkParts {
  readonly supervisor: Supervisor;
  readonly watch: FeedWatch;
  readonly calendarWatch: ReturnType<typeof openCalendarWatch>;
  readonly refused: RefusedWatch;
  readonly onNamesResolved: () => void;
  readonly status: StatusSource;
}

/** Boots, then starts the handlers and all that goes on beside them. */
export function workPart(core: Core, parts: WorkParts): Part {
  const { store, queues, mark, log } = core;
  const { supervisor, watch, calendarWatch, refused, onNamesResolved } = parts;
  const submitter = openSubmitter(core);
  const guard = openEditGuard(core);
  const customerOf = openCustomers(core);
  const targets = createTargets({ ...core, guard, customerOf, bell: queues.bell, queue: queues.objects });
  const handlers = [
    ...openBookingHandlers(core, { ...targets, submitter, guard }),
    ...targets.mirrors,
    ...customerHandlers(core),
    ...feedHandlers(core, customerOf),
    ...openBlockHandlers(core),
    ...forgetDeleted(core),
  ];
  const upkeep = openUpkeep(core, targets.marked);
  const wakeAll = new WakeAll();
  const lookAtAll = (): void => {
    watch.ring({ insisting: true });
    calendarWatch.lookAtAll();
    wakeAll.call();
  };
  return {
    name: 'work',
    async run(signal) {
      const redisRun = () => store.redisRun();
      // Before anything asks for a turn that a dead process holds.
      const heirs = await inheritTurns({ processes: store.processes, queues, log }, signal);
      const booted = await boot({ ...upkeep, mark, redisRun, onNamesResolved, log }, signal);
      if (booted === undefined) return heirs.rest;
      startTurns(core, {
        supervisor,
        targets,
        handlers,
        editCarrier: openEditCarrier(core, { submitter, guard, customerOf }),
      });
      watch.ring();
      supervisor.own(
        'feed bell',
        ringEvery(core.config.platform.feed.everyMs, () => watch.ring()),
      );
      const started: readonly Part[] = [
        restartWatch({ redisRun, knownRun: booted.redisRun, adopt: upkeep.adopt, lookAtAll, log }),
        sweeps(core),
        ...upkeep.parts(lookAtAll),
        sheetChecks(core, { targets, wakeAll }),
        ...statusTabs(core, { zones: targets.zones, status: parts.status }),
        calendarNotes(core, { status: parts.status }),
        every({ name: 'refused webhooks', everyMs: REFUSED_LOOK_EVERY_MS, log }, () => refused.look()),
        bookingSheetPolls(core, wakeAll),
        ...bookingDropDowns(core),
        feedUpkeep(core),
        blockPolls(core, wakeAll),
        { name: 'calendar watch', run: (signal) => calendarWatch.run(signal) },
      ];
      for (const part of started) supervisor.start(part);
      await Promise.all([heirs.rest, booted.adopting]);
    },
  };
}

/** The handlers of both queues. */
function startTurns(
  core: Core,
  parts: { readonly supervisor: Supervisor; readonly targets: Targets } & Pick<
    Parameters<typeof reconcile>[0],
    'handlers' | 'editCarrier'
  >,
): void {
  const { config, store, remotes, queues, mark, clock, log, meter } = core;
  const { handlers, editCarrier } = parts;
  const { attempts, flushEveryMs, shutdownMs } = config.worker;
  const turn = {
    ...{ work: store.work, history: store.history, reader: remotes.platform.reader },
    ...{ editCarrier, handlers, attempts, clock, log, meter },
  };
  const flush = flushHandler({
    ...{ leases: store.leases, flushEveryMs, flusher: parts.targets.flusher, log },
    ...{ clock: steadyClock, stopping: parts.supervisor.signal },
  });
  const isCurrent = () => mark.isCurrent();
  queues.work({ reconcile: (key) => reconcile(turn, key), flush, isCurrent });
  // They take nothing new from the moment the worker stops, whatever else it still waits for.
  parts.supervisor.start(
    {
      name: 'handlers',
      async run(signal) {
        await aborted(signal);
        await queues.stopWork();
      },
    },
    shutdownMs + HANDLERS_LEFT_MS,
  );
}

function sweeps({ store, queues, clock, log }: Core): Part {
  const { work, later, putOff, outbox } = store;
  const parts = {
    ...{ work, later, putOff, outbox, queue: queues.objects, bell: queues.bell, clock, log },
    promoteDelayed: () => queues.promoteDelayed(),
  };
  return { name: 'sweep', run: (signal) => runSweep(parts, signal) };
}

/** Holds every spreadsheet against what was written, never while a flush is under way. */
function sheetChecks(
  { config, store, mark, log }: Core,
  { targets, wakeAll }: { readonly targets: Targets; readonly wakeAll: WakeAll },
): Part {
  const parts = {
    ...{ mirrors: config.mirrors, leases: store.leases, isCurrent: () => mark.isCurrent(), wakeAll, log },
    check: async (spreadsheetId: string) => {
      await targets.lateDoubles.takeBack(spreadsheetId);
      await targets.checker.check(spreadsheetId);
      await targets.blankRows.remove(spreadsheetId);
    },
  };
  return { name: 'sheet checks', run: (signal) => watchSheets(parts, signal) };
}
