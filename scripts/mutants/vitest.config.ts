// Only the tests that `npm run mutants` names. Its runner starts them once per mutant, so they must be few and fast.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: (process.env['MUTANTS_TESTS'] ?? '').split(',').filter((path) => path !== ''),
    exclude: ['**/*.soak.test.ts', '**/*.long.test.ts', '**/node_modules/**'],
    testTimeout: 60_000,
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
