// Only the tests that `npm run mutants` names, in one process, with the mutants in the code.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const sources = new Map<string, string>(
  JSON.parse(readFileSync(process.env['MUTANTS_SOURCES'] ?? '', 'utf8')) as [string, string][],
);
const tests = (process.env['MUTANTS_TESTS'] ?? '').split(',').filter((path) => path !== '');
const isJudging = process.env['MUTANTS_NOTE'] !== undefined;
/** One test is run once per mutant. */
const TEST_TIMEOUT_MS = 3_600_000;

/** As they are named: the first test that notices a mutant spares all others. */
class AsNamed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const at = ({ moduleId }: TestSpecification) => tests.findIndex((path) => moduleId.endsWith(`/${path}`));
    return files.sort((a, b) => at(a) - at(b));
  }
}

export default defineConfig({
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: (id) => sources.get(id.split('?')[0] ?? ''),
    },
  ],
  test: {
    include: tests,
    sequence: { sequencer: AsNamed },
    exclude: ['**/*.soak.test.ts', '**/*.long.test.ts', '**/node_modules/**'],
    ...{ testTimeout: TEST_TIMEOUT_MS, hookTimeout: TEST_TIMEOUT_MS, reporters: ['dot'] },
    ...{ pool: 'threads', maxWorkers: 1, fileParallelism: false, isolate: false },
    ...(isJudging ? { runner: fileURLToPath(new URL('runner.ts', import.meta.url)) } : { bail: 1 }),
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
