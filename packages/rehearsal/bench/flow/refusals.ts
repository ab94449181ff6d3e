import { setTimeout as sleep } from 'node:timers/promises';
import { trouble } from '@slotbridge/sandbox/google/troubles';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { wrongEvents } from '../stand/wrong-events.ts';
import { onFlowStage } from './flow-stage.ts';
import { median } from './percentile.ts';

const PEOPLE = 10;
const LATENCY_MS = 20;
const LOOK_EVERY_MS = 20;
const WITHIN_MS = 300_000;
const CALENDAR_CALLS = /^\/calendar\/v3\//;

const REASONS = [
  { reason: '403 userRateLimitExceeded', name: 'calendarUserRateLimit' },
  { reason: '403 rateLimitExceeded', name: 'calendarRateLimit' },
  { reason: '429 rateLimitExceeded', name: 'calendarTooMany' },
] as const;

interface Run {
  readonly seconds: number;
  readonly refused: number;
  readonly wrong: number;
}

/**
 * Requirement: with 10 % or 30 % of the calls refused, 200 changes take at most 2 or 4 times as long as undisturbed.
 */
export async function refusals(options: BenchOptions): Promise<Figure[]> {
  const changes = options.isQuick ? 20 : 200;
  const rounds = options.isQuick ? 1 : 3;
  const told = figuresOf('flow: refusals');
  const several = async (share: number, name?: Name): Promise<Run[]> => {
    const runs: Run[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      options.say(`refusals, ${share * 100} % ${name ?? ''}: round ${round}`);
      runs.push(await runOnce(changes, share, name));
    }
    return runs;
  };
  const undisturbed = await several(0);
  const base = median(undisturbed.map(({ seconds }) => seconds));
  const all = [...undisturbed];
  for (const { share, limit } of [
    { share: 0.1, limit: 2 },
    { share: 0.3, limit: 4 },
  ]) {
    for (const { reason, name } of options.isQuick ? REASONS.slice(0, 1) : REASONS) {
      const runs = await several(share, name);
      all.push(...runs);
      const seconds = median(runs.map((run) => run.seconds));
      told.atMost(limit * base, {
        what: `${changes} changes, ${share * 100} % refused with ${reason}`,
        unit: 's',
        figure: seconds,
        reference: base,
        ratio: seconds / base,
        asked: `≤ ${limit} times`,
        needsFullSize: true,
        note: `From the first change until every event stands. ${LATENCY_MS} ms per answer of Google, the worker's own settings, a new worker and Redis for each run. Reference: the same without refusals. Median of ${rounds}.`,
      });
    }
  }
  told.atLeast(1, {
    what: 'calls that were refused, in all runs',
    unit: '',
    figure: all.reduce((sum, { refused }) => sum + refused, 0),
    asked: 'some',
  });
  told.atMost(0, {
    what: 'events not as the platform has them',
    unit: '',
    figure: all.reduce((sum, { wrong }) => sum + wrong, 0),
    asked: 'none',
  });
  return told.figures;
}

type Name = (typeof REASONS)[number]['name'];

async function runOnce(changes: number, share: number, name: Name | undefined): Promise<Run> {
  const google = { latencyMs: LATENCY_MS, quotas: {} };
  const setting = { google, people: PEOPLE, worker: {} };
  return onFlowStage(setting, async ({ stage, clinic, rest }) => {
    if (name !== undefined) stage.google.faults.add({ path: CALENDAR_CALLS, share, fault: trouble(name) });
    const startedAt = performance.now();
    for (let index = 0; index < changes; index += 1) clinic.book(index);
    while (wrongEvents(stage, clinic) > 0) {
      if (performance.now() - startedAt > WITHIN_MS) break;
      await sleep(LOOK_EVERY_MS);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const refused = stage.google.faults.hits();
    stage.google.faults.clear();
    await rest();
    return { seconds, refused, wrong: wrongEvents(stage, clinic) };
  });
}
