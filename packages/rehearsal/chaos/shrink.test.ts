import { expect, it } from 'vitest';
import type { Act, Plan } from './act.ts';
import { planOf } from './plan.ts';
import { shrink } from './shrink.ts';

const has = (plan: Plan, what: Act['do']) => plan.acts.some((act) => act.do === what);

const PLAN: Plan = {
  ...planOf(1),
  acts: [
    ...planOf(1).acts.filter((act) => act.do !== 'redis-wipe' && act.do !== 'own-event'),
    { at: 8_000, do: 'own-event', as: 'O9', in: 'anna', slot: 900 },
    { at: 9_000, do: 'redis-wipe' },
  ],
};

it('keeps the acts that the failure needs, and no others', async () => {
  const smaller = await shrink(PLAN, {
    runsMax: 200,
    fails: async (plan) => has(plan, 'own-event') && has(plan, 'redis-wipe'),
  });
  expect(smaller.acts.map((act) => act.do)).toEqual(['own-event', 'redis-wipe']);
});

it('leaves a plan whose failure needs all of it', async () => {
  const smaller = await shrink(PLAN, {
    runsMax: 500,
    fails: async (plan) => plan.acts.length === PLAN.acts.length,
  });
  expect(smaller.acts).toEqual(PLAN.acts);
});

it('plays no more runs than it may', async () => {
  let runs = 0;
  await shrink(PLAN, {
    runsMax: 7,
    tries: 3,
    fails: async () => {
      runs += 1;
      return false;
    },
  });
  expect(runs).toBe(7);
});

it('tries a candidate again that failed to fail by luck', async () => {
  let runs = 0;
  const smaller = await shrink(PLAN, {
    ...{ runsMax: 500, tries: 2 },
    fails: async (plan) => {
      runs += 1;
      return runs % 2 === 0 && has(plan, 'redis-wipe');
    },
  });
  expect(smaller.acts.map((act) => act.do)).toEqual(['redis-wipe']);
});
