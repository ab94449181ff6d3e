import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores: more workers only make the timings of real servers and real Redis noisier.
    maxWorkers: 2,
    // Of the tests of one file that say `concurrent`: worlds of their own that mostly wait.
    maxConcurrency: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
