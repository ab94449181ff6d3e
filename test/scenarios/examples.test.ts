import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorker } from '../../src/compose/worker.ts';
import { checkTemplate } from '../../src/mirrors/render/check.ts';
import { SILENT } from '../../src/ports/runtime.ts';
import { textOf } from '../../src/scenarios/report.ts';
import { findScenarios, openSuite, type Suite } from '../../src/scenarios/suite.ts';
import { house } from '../house/tree.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';

const scenarios = findScenarios([join(house, 'config/scenarios')], {
  env: {},
  checks: { checkTemplate },
});
let redis: TestRedis;
let suite: Suite;

beforeAll(async () => {
  redis = await startTestRedis();
  suite = await openSuite({
    startWorker: (config, formationMs) =>
      startWorker({ config, version: 'test', clock: { now: Date.now }, log: SILENT, formationMs }),
    redisUrl: redis.url,
    signal: new AbortController().signal,
  });
});

afterAll(async () => {
  await suite.close();
  await redis.stop();
});

describe.concurrent('the scenarios of config/scenarios, as slotbridge test plays them', () => {
  it.each(scenarios)('$name', async (scenario) => {
    const verdict = await suite.run(scenario);
    expect(verdict.passed, textOf(verdict)).toBe(true);
  });
});
