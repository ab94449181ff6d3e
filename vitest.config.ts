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

/** Files that wait for whole workers come first, so that none of them is left for the end, when the other processes have nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/test\/(?:browser|chaos|flow|cli)\/|conformance/.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    // Files share the modules that their process has loaded: loading them anew for each file took a third of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Two cores, and tests that mostly wait for real servers. Each process loads all modules for itself.
    maxWorkers: 5,
    // Bounds the tests of one file that say `concurrent`: each has a world of its own and mostly waits.
    maxConcurrency: 3,
    // No test asks how fast it is: these only end one that hangs, also on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
