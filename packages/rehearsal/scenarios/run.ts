// Runs one scenario: it passes, fails with the differences, or breaks off at a step.
import { type Difference, judgeExpectation } from './judge.ts';
import type { Scenario } from './read.ts';
import { performGiven, performStep } from './steps.ts';
import { errorMessage, type Means, World } from './world.ts';

export interface Verdict {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly passed: boolean;
  readonly differences: readonly Difference[];
  /** The step that could not be done, and why. */
  readonly brokenOff?: { readonly line: number; readonly why: string };
  readonly seconds: number;
}

/** How often a difference is looked at again after another rest: the expected change may still be on its way. */
const MORE_LOOKS = 3;

export async function runScenario(scenario: Scenario, means: Means): Promise<Verdict> {
  const startedMs = performance.now();
  const about = { name: scenario.name, file: scenario.file, line: scenario.line };
  const seconds = () => Math.round(performance.now() - startedMs) / 1_000;
  let line = scenario.line;
  try {
    const differences = await World.use(scenario, means, async (world) => {
      const { appointments = [], events = [], rows = [] } = scenario.given;
      performGiven(world, { book: appointments, 'create-event': events, 'type-row': rows });
      await world.startWorker();
      await world.settle();
      for (const { line: at, step } of scenario.when) {
        line = at;
        await performStep(world, step);
      }
      const found = await finalDifferences(world, scenario);
      if (found.length === 0 || means.isUpdate === true) world.assertTroublesStruck();
      return found;
    });
    return { ...about, passed: differences.length === 0, differences, seconds: seconds() };
  } catch (error) {
    means.signal.throwIfAborted();
    const brokenOff = { line, why: errorMessage(error) };
    return { ...about, passed: false, differences: [], brokenOff, seconds: seconds() };
  }
}

async function finalDifferences(world: World, { expect }: Scenario): Promise<readonly Difference[]> {
  // A worker that stays stopped changes nothing more.
  if (!world.isWorking) return judgeExpectation(world, expect, expect['dead-letters'] ?? 0);
  for (let look = 0; ; look += 1) {
    const differences = judgeExpectation(world, expect, await world.settle());
    if (differences.length === 0 || look === MORE_LOOKS) return differences;
  }
}
