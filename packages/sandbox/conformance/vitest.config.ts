import { defineConfig } from 'vitest/config';
import { SERVER_VARIABLES } from './stage/server.ts';

const isForeign = process.env[SERVER_VARIABLES.baseUrl] !== undefined;

export default defineConfig({
  test: {
    include: ['packages/sandbox/conformance/platform/**/*.test.ts'],
    globalSetup: ['packages/sandbox/conformance/stage/landlord.ts'],
    // A single key of a foreign server has one request budget, so its tests run one after another.
    maxWorkers: isForeign ? 1 : 2,
    testTimeout: isForeign ? 300_000 : 15_000,
    hookTimeout: 30_000,
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
