import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { wrongEvents } from '../stand/wrong-events.ts';
import { EventLag } from './event-lag.ts';
import { onFlowStage, UNLIMITED } from './flow-stage.ts';
import { percentile } from './percentile.ts';
import { steadily } from './steady.ts';

const CHANGES_PER_SECOND = 1;
/** Google's own quota per user, and the worker's default. */
const PER_MINUTE = 600;
const LOOK_EVERY_MS = 500;
/** Calls made before the quota took effect count against it for this long. */
const QUOTA_WINDOW_MS = 61_000;
const ASKED_MS = { push: 2_000, poll: 10_000 } as const;

/** Requirement: with 2,000 calendars and 60 changes a minute, p99 below 2 s with push and below 10 s without. */
export async function watch(options: BenchOptions): Promise<Figure[]> {
  return [...(await measure('push', options)), ...(await measure('poll', options))];
}

async function measure(way: 'push' | 'poll', options: BenchOptions): Promise<Figure[]> {
  const calendars = options.isQuick ? 20 : 2_000;
  const seconds = options.isQuick ? 3 : 120;
  const told = figuresOf('flow: watch');
  const wish = { push: way === 'push', calendarPerMinute: UNLIMITED };
  return onFlowStage({ people: calendars, worker: wish }, async ({ stage, clinic, rest, restart }) => {
    options.say(`watch (${way}): ${calendars.toLocaleString('en')} calendars are read for the first time`);
    while (way === 'push' && stage.google.channels().length < calendars) await sleep(LOOK_EVERY_MS);
    // Google's own quota applies only from here: under it, the first round through so many calendars takes
    // minutes.
    stage.google.changeQuotas({ calendarPerMinutePerUser: PER_MINUTE });
    await restart(({ calendarPerMinute: _, ...wish }) => wish);
    if (!options.isQuick) await sleep(QUOTA_WINDOW_MS);
    const lag = new EventLag(stage, clinic);
    options.say(`watch (${way}): ${CHANGES_PER_SECOND * 60} changes a minute for ${seconds} s`);
    stage.google.resetCounts();
    await steadily((nth) => lag.changed(clinic.book(nth)), { perSecond: CHANGES_PER_SECOND, seconds });
    const { calls, quotaRefusals } = stage.google.stats();
    await rest();
    const { lags, unseen } = lag.take();
    told.atMost(ASKED_MS[way], {
      what: `lag of an event with ${calendars.toLocaleString('en')} calendars, ${way === 'push' ? 'Google pings' : 'without pings'}, p99`,
      unit: 'ms',
      figure: percentile(lags, 0.99),
      needsFullSize: true,
      note: `${CHANGES_PER_SECOND * 60} changes a minute for ${seconds} s, ${PER_MINUTE} Calendar calls a minute. ${calls} calls, of which ${quotaRefusals} were refused. p50 ${Math.round(percentile(lags, 0.5))} ms.`,
    });
    told.atMost(0, { what: 'changes that no event showed', unit: '', figure: unseen, asked: 'none' });
    told.atMost(0, {
      what: 'events not as the platform has them',
      unit: '',
      figure: wrongEvents(stage, clinic),
      asked: 'none',
    });
    return told.figures;
  });
}
