import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { marks } from './marks.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');

export default defineConfig({
  root,
  plugins: [marks(root)],
  test: {
    include: ['packages/rehearsal/bench/walk/*.walk.ts'],
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
