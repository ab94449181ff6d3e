import { defineConfig } from 'vitest/config';
import { SERVER_VARIABLES } from './office/server.ts';

const isForeign = process.env[SERVER_VARIABLES.token] !== undefined;

export default defineConfig({
  test: {
    include: ['packages/sandbox/conformance/google/**/*.test.ts'],
    // Test files share the modules that their process has loaded.
    isolate: false,
    globalSetup: ['packages/sandbox/conformance/office/landlord.ts'],
    // A single token of a real Google account has one quota per minute, so its tests run one after another.
    maxWorkers: isForeign ? 1 : 2,
    testTimeout: isForeign ? 300_000 : 15_000,
    hookTimeout: 30_000,
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
