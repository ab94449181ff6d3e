import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Plan } from './act.ts';
import type { Fixed } from './fixed.ts';
import { main } from './main.ts';
import { planOf } from './plan.ts';
import type { Outcome } from './play.ts';

const BAD = 3;
const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
const said: string[] = [];

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line));
});

afterEach(() => {
  vi.restoreAllMocks();
  said.length = 0;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The plan of one seed fails as long as it has its third act. */
async function fakePlay(plan: Plan): Promise<Outcome> {
  const [, , needed] = planOf(BAD).acts;
  const isBad = plan.seed === BAD && plan.acts.some((act) => JSON.stringify(act) === JSON.stringify(needed));
  return {
    plan,
    violations: isBad ? [{ promise: 'P2', kind: 'double-event', subject: 'A1', text: 'two events' }] : [],
    ...{ story: [], explained: [], tookS: 1, restedAfterS: 0, mendedAfterS: 0, folder: undefined },
    counts: {
      ...{ acts: plan.acts.length, skipped: 0, appointments: 0 },
      ...{ clocksSet: 0, stopsOverDue: 0, rowsPasted: 0 },
    },
  };
}

it('a failing seed prints the command that plays it again, is made smaller and kept', async () => {
  const file = join(folder, 'kept.json');
  expect(await main(['--seeds', '2..4', '--jobs', '2', '--shrink-runs', '300', '--to', file], fakePlay)).toBe(
    1,
  );
  expect(said.join('\n')).toContain(`replay: npm run chaos -- --seed ${BAD} --minutes`);
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Fixed;
  expect(kept).toMatchObject({ found: 'double-event', plan: { seed: BAD, acts: [planOf(BAD).acts[2]] } });
});

it('what it prints plays the same acts', async () => {
  const played: Plan[] = [];
  const player = async (plan: Plan) => {
    played.push(plan);
    return fakePlay(plan);
  };
  await main(['--seed', String(BAD), '--minutes', '0.2', '--without', 'invite', '--no-shrink'], player);
  const command = /replay: npm run chaos -- (.*)/.exec(said.join('\n'))?.[1] ?? '';
  await main([...command.split(' '), '--no-shrink'], player);
  expect(played).toHaveLength(2);
  expect(played[1]).toEqual(played[0]);
});
