import { configDefaults, defineConfig } from 'vitest/config';

const LONG = 'test/**/*.long.test.ts';
/** Set by scripts/test.mjs: `long`, `all`, or the short ones. */
const chosen = process.env['SLOTBRIDGE_TESTS'];

export default defineConfig({
  test: {
    include: [chosen === 'long' ? LONG : 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(chosen === undefined ? [LONG] : [])],
    // Files share the modules that their process has loaded: loading them anew for each file took a third of the time.
    isolate: false,
    // Two cores, and tests that mostly wait for real servers: with more workers their timings would become noise.
    maxWorkers: 4,
    // Of the tests of one file that say `concurrent`: worlds of their own that mostly wait.
    maxConcurrency: 3,
    // No test asks how fast it is: these only end one that hangs, also on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 60_000,
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
