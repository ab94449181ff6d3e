import type { StatusSource } from '../ops/status.ts';
import type { CalendarWatchLoops } from '../sources/calendar/watch-loops.ts';
import type { FeedWatch } from '../sources/feed/feed-watch.ts';
import { boot } from '../upkeep/boot.ts';
import { restartWatch } from '../upkeep/redis-lost/restart-watch.ts';
import { ringEvery } from '../upkeep/schedule.ts';
import { every, WakeAll } from '../work/loops.ts';
import type { Part, Supervisor } from '../work/supervisor.ts';
import { startTakeover } from '../work/takeover.ts';
import { blockPolls, openBlockHandlers } from './blocks.ts';
import { openBookingHandlers } from './booking-handlers.ts';
import { calendarNotes } from './calendar-notes.ts';
import { classHandlers } from './classes.ts';
import type { Core } from './core.ts';
import { customerHandlers, openCustomers } from './customers.ts';
import { feedHandlers, feedUpkeep } from './feeds.ts';
import { forgetDeleted } from './forgetting.ts';
import { bookingSources, type WebhookWatches } from './sources.ts';
import { openEditCarrier, openEditGuard, openSubmitter } from './staff-edits.ts';
import { statusTabs } from './status-tabs.ts';
import { createTargets } from './targets.ts';
import { sheetChecks, startTurns, sweeps } from './turns.ts';
import { openUpkeep } from './upkeep.ts';

/** How often the worker checks whether webhooks are still refused. */
const REFUSED_LOOK_EVERY_MS = 60_000;

interface WorkParts {
  readonly supervisor: Supervisor;
  readonly watch: FeedWatch;
  readonly calendarWatch: CalendarWatchLoops;
  readonly webhooks: WebhookWatches;
  readonly onNamesResolved: () => void;
  readonly status: StatusSource;
}

/** Boots, then starts the handlers and everything that runs beside them. */
export function workPart(core: Core, parts: WorkParts): Part {
  const { store, queues, mark, log } = core;
  const { supervisor, watch, calendarWatch, webhooks, onNamesResolved } = parts;
  const submitter = openSubmitter(core);
  const guard = openEditGuard(core);
  const customerOf = openCustomers(core);
  const targets = createTargets({ ...core, guard, customerOf, bell: queues.bell, queue: queues.objects });
  const handlers = [
    ...openBookingHandlers(core, { ...targets, submitter, guard }),
    ...targets.mirrors,
    ...classHandlers(core),
    ...customerHandlers(core),
    ...feedHandlers(core, customerOf),
    ...openBlockHandlers(core),
    ...forgetDeleted(core),
  ];
  const upkeep = openUpkeep(core, targets.marked);
  const wakeAll = new WakeAll();
  const wakeAllSources = (): void => {
    watch.ring({ insisting: true });
    calendarWatch.lookAtAll();
    wakeAll.call();
  };
  return {
    name: 'work',
    async run(signal) {
      const redisRun = () => store.redisRun();
      // Take over first: a dead process may hold a turn that the boot needs.
      const heirs = await startTakeover({ processes: store.processes, queues, log }, signal);
      const booted = await boot({ ...upkeep, mark, redisRun, onNamesResolved, log }, signal);
      if (booted === undefined) return heirs.rest;
      startTurns(core, {
        supervisor,
        targets,
        handlers,
        editCarrier: openEditCarrier(core, { submitter, guard, customerOf }),
      });
      watch.ring();
      const started: readonly Part[] = [
        ringEvery('feed bell', core.config.platform.feed.everyMs, () => watch.ring()),
        restartWatch({
          redisRun,
          knownRun: booted.redisRun,
          adopt: upkeep.adopt,
          lookAtAll: wakeAllSources,
          log,
        }),
        sweeps(core),
        ...upkeep.parts(wakeAllSources),
        sheetChecks(core, { targets, wakeAll }),
        ...statusTabs(core, { zones: targets.zones, status: parts.status }),
        calendarNotes(core, { status: parts.status }),
        every({ name: 'refused webhooks', everyMs: REFUSED_LOOK_EVERY_MS, log }, () =>
          Promise.all([webhooks.refused.look(), webhooks.secrets.look()]),
        ),
        ...bookingSources(core, wakeAll),
        feedUpkeep(core),
        blockPolls(core, wakeAll),
        calendarWatch,
      ];
      for (const part of started) supervisor.start(part);
      await Promise.all([heirs.rest, booted.adopting]);
    },
  };
}
