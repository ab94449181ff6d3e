import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PATIENCE_MS } from './test/stand/patience.ts';

/** Patterns of the test files that end so, of the worker and of the packages. */
const ending = (end: string) =>
  ['test', 'packages/*/test', 'packages/rehearsal/chaos'].map((folder) => `${folder}/**/*.${end}.ts`);
const EVERY = ending('test');
const LONG = ending('long.test');
const SOAK = ending('soak.test');
/** Set by scripts/test.mjs. Every change must pass the long tests. The soak tests try everything at full length, before a release. */
const { include, exclude } = {
  short: { include: EVERY, exclude: [...LONG, ...SOAK] },
  long: { include: EVERY, exclude: SOAK },
  soak: { include: EVERY, exclude: [] },
}[process.env['SLOTBRIDGE_TESTS'] ?? 'short'] ?? { include: [], exclude: [] };

/** Files that mostly wait for whole workers, processes and pages. */
const WAITING = /\/test\/(?:browser|cli|flow|hosts)\/|\/chaos\/|conformance|walk\.long/;
/**
 * Short files that take longest, because their content is in other files. They start first. The largest files would otherwise start first,
 * and these would run alone at the end.
 */
const LONGEST =
  /killed|deaths|every-call|fixed|closed-pipe|walk\.long|scenarios\/examples|empty-values|any-seed|-servers|awaits|linear-work|conformance\.long/;
/**
 * Spreads the waiting files over this share of the others. Otherwise some would be left for the end, when nothing else runs beside
 * them.
 */
const WAITING_WITHIN = 0.8;

/**
 * Interleaves files that mostly wait with files that mostly compute. The processor is then neither idle at first nor the bottleneck
 * later.
 */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = sorted.filter(({ moduleId }) => LONGEST.test(moduleId));
    const others = sorted.filter(({ moduleId }) => !LONGEST.test(moduleId));
    const waiting = others.filter(({ moduleId }) => WAITING.test(moduleId));
    const working = others.filter(({ moduleId }) => !WAITING.test(moduleId));
    const step = (WAITING_WITHIN * working.length) / Math.max(1, waiting.length);
    const mixed = waiting.flatMap((file, at) => [
      file,
      ...working.slice(Math.round(at * step), Math.round((at + 1) * step)),
    ]);
    return [...longest, ...mixed, ...working.slice(Math.round(waiting.length * step))];
  }
}

export default defineConfig({
  test: {
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    setupFiles: ['test/stand/seed.ts'],
    // Test files share the modules that their process has loaded. Loading them again for each file took a third of the time.
    isolate: false,
    sequence: { sequencer: Mixed },
    // Two cores, and tests that often wait for real servers. Each process loads and compiles all modules again: eight took a third more
    // processor time than four.
    maxWorkers: 5,
    // Limits concurrent tests within one file. Each has its own environment and mostly waits.
    maxConcurrency: 3,
    // No test measures speed. These limits only end a hanging test, even on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    env: { NO_PROXY: '127.0.0.1,localhost' },
  },
});
