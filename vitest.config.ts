import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const EVERY = 'test/**/*.test.ts';
const LONG = 'test/**/*.long.test.ts';
const SOAK = 'test/**/*.soak.test.ts';
const PROPERTIES = 'test/**/*.property.test.ts';
/** Set by scripts/test.mjs. What alone takes more than a minute is a soak test, and not even among all that a change has to pass. */
const { include, exclude } = {
  short: { include: [EVERY], exclude: [LONG, SOAK] },
  long: { include: [EVERY], exclude: [SOAK] },
  soak: { include: [SOAK, PROPERTIES], exclude: [] },
}[process.env['SLOTBRIDGE_TESTS'] ?? 'short'] ?? { include: [], exclude: [] };

/** Files that mostly wait, for whole workers, processes and pages. */
const WAITING = /\/test\/(?:browser|chaos|flow|cli)\/|conformance/;
/** Files of a few lines that take longest: what they play stands beside them. Otherwise the largest file comes first. */
const LONGEST = /killed|deaths|every-call|fixed/;
/** These are through when so much of all has begun, so that none of them is left for the end, when nothing else is to do. */
const WAITING_WITHIN = 0.8;

/** What mostly waits and what mostly computes take turns: so the processor is neither idle at first nor all that the rest waits for. */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    const waiting = sorted
      .filter(({ moduleId }) => WAITING.test(moduleId))
      .sort((a, b) => Number(isLongest(b)) - Number(isLongest(a)));
    const working = sorted.filter(({ moduleId }) => !WAITING.test(moduleId));
    const step = (WAITING_WITHIN * working.length) / Math.max(1, waiting.length);
    const mixed = waiting.flatMap((file, at) => [
      file,
      ...working.slice(Math.round(at * step), Math.round((at + 1) * step)),
    ]);
    return [...mixed, ...working.slice(Math.round(waiting.length * step))];
  }
}

export default defineConfig({
  test: {
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    // Files share the modules that their process has loaded: loading them anew for each file took a third of the time.
    isolate: false,
    sequence: { sequencer: Mixed },
    // Two cores, and tests that mostly wait for real servers. Each process loads all modules for itself.
    maxWorkers: 8,
    // Bounds the tests of one file that say `concurrent`: each has a world of its own and mostly waits.
    maxConcurrency: 3,
    // No test asks how fast it is: these only end one that hangs, also on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
