import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SILENT } from '../../../../src/engine/runtime.ts';
import { compileCondition } from '../../../../src/mapping/filter-condition.ts';
import { checkTemplate } from '../../../../src/mapping/render-check.ts';
import { startWorker } from '../../../../src/worker/worker.ts';
import { house } from '../../../../test/house/tree.ts';
import { PATIENCE_MS } from '../../../../test/stand/patience.ts';
import { startTestRedis, type TestRedis } from '../../../../test/stand/redis.ts';
import { rowsOf } from '../../../../test/stand/runs.ts';
import { verdictText } from '../../scenarios/report.ts';
import { findScenarios, openSuite, type Suite } from '../../scenarios/suite.ts';

const scenarios = findScenarios([join(house, 'config/scenarios')], {
  env: {},
  checks: { checkTemplate, compileCondition },
});
const TRADES = ['clinic', 'coworking', 'equipment', 'salon', 'school'];
/** Files that show one feature of a mapping each. */
const FEATURES = ['filters', 'office', 'private-time', 'team'];
const FAULTS = ['lose-webhooks', 'lose-answers', 'refuse-calls', 'unshare-calendar', 'stop-worker'];
const STAFF = [
  ...['create-event', 'drag-event', 'hand-over-event', 'delete-event'],
  ...['type-row', 'change-row'],
];

let redis: TestRedis;
let suite: Suite;

beforeAll(async () => {
  redis = await startTestRedis();
  suite = await openSuite({
    startWorker: (config, formationMs) =>
      startWorker({ config, version: 'test', clock: { now: Date.now }, log: SILENT, formationMs }),
    redisUrl: redis.url,
    signal: new AbortController().signal,
    settledWithinMs: PATIENCE_MS,
  });
});

afterAll(async () => {
  await suite.close();
  await redis.stop();
});

describe('every file of config/examples', () => {
  it('has scenarios, and they are all of them', () => {
    const names = (folder: string) => readdirSync(join(house, folder)).sort();
    expect(names('config/examples')).toEqual([...TRADES, ...FEATURES].sort().map((name) => `${name}.yaml`));
    expect(names('config/scenarios')).toEqual(names('config/examples'));
  });

  it.each([...TRADES, ...FEATURES])(
    '%s: three to five, one in which staff act and one with a fault',
    (trade) => {
      const own = scenarios.filter(({ file }) => file.endsWith(`/${trade}.yaml`));
      const steps = own.flatMap(({ when }) => when.flatMap(({ step }) => Object.keys(step)));
      expect(own.length).toBeGreaterThanOrEqual(3);
      expect(own.length).toBeLessThanOrEqual(5);
      expect(steps.some((step) => STAFF.includes(step))).toBe(true);
      expect(steps.some((step) => FAULTS.includes(step))).toBe(true);
    },
  );
});

describe.concurrent('the scenarios of config/scenarios, as slotbridge test plays them', () => {
  it.each(rowsOf(scenarios, 13))('$name', async (scenario) => {
    const verdict = await suite.run(scenario);
    expect(verdict.passed, verdictText(verdict)).toBe(true);
  });
});
