// Runs each test as it is, and then once per mutant that it reaches and that no test before it has noticed. Loading the code, which takes most
// of the time of a run, happens once for all of them.
import { setMaxListeners } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest';

/** How long a test may take with a mutant that makes it wait for ever. */
const MUTANT_MS_MAX = 30_000;
/** How many times as often as without it a mutant may be reached before its loop counts as endless: as Stryker does it. */
const HITS_FACTOR = 100;
/** Under this name Stryker's switches count what only a repetition reaches: for nobody. */
const REPEATED = 'repeated';

// Each run of a test listens to what a file has once, such as a signal.
setMaxListeners(0);

/** What Stryker's switches in the code read and count. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number;
  mutantCoverage?: {
    static: Record<string, number>;
    perTest: Record<string, Record<string, number>>;
  };
}
const shared = globalThis as { __stryker__?: Switches };
shared.__stryker__ ??= {};
const switches = shared.__stryker__;

interface Judged {
  readonly mutants: readonly string[];
  /** The test that noticed it. */
  readonly killed: Record<string, string>;
  reached: string[];
  /** Run while a file was loaded. */
  atLoad: string[];
  /** Tests that have judged their mutants: a process that begins again does not repeat them. */
  readonly done: string[];
}

export default class MutantRunner extends TestRunner {
  readonly #note = process.env['MUTANTS_NOTE'] ?? '';

  override onBeforeTryTask(test: RunnerTestCase): void {
    super.onBeforeTryTask(test);
    switches.currentTestId = test.id;
  }

  /** The tests' own `beforeEach` has run. */
  async runTask(test: RunnerTestCase): Promise<void> {
    const body = TestRunner.getTestFn(test);
    await body();
    // What runs from here on is no code that runs at load, and none that this test reaches.
    switches.currentTestId = REPEATED;
    const judged = JSON.parse(readFileSync(this.#note, 'utf8')) as Judged;
    if (judged.done.includes(test.id)) return;
    const { static: atLoad = {}, perTest = {} } = switches.mutantCoverage ?? {};
    const reached = judged.mutants.filter((id) => perTest[test.id]?.[id] !== undefined);
    judged.reached = [...new Set([...judged.reached, ...reached])];
    judged.atLoad = [
      ...new Set([...judged.atLoad, ...judged.mutants.filter((id) => atLoad[id] !== undefined)]),
    ];
    const again = attemptOf(test, body);
    for (const id of reached.filter((each) => judged.killed[each] === undefined)) {
      // What is written here when the process dies has killed it.
      writeFileSync(`${this.#note}.running`, id);
      if (await again(id, HITS_FACTOR * (perTest[test.id]?.[id] ?? 1))) continue;
      // Only a test that passes again without the mutant has noticed it. Else something of it is left, and one more try must clear that.
      if (await again()) judged.killed[id] = test.name;
      else if (!(await again())) break;
    }
    // The next file is loaded now.
    switches.currentTestId = undefined;
    judged.done.push(test.id);
    writeFileSync(this.#note, JSON.stringify(judged));
    rmSync(`${this.#note}.running`, { force: true });
  }
}

/** Runs the test once more, with its hooks. True if it passes. */
function attemptOf(test: RunnerTestCase, body: () => unknown) {
  const suites: RunnerTestSuite[] = [];
  for (let suite = test.suite ?? test.file; suite !== undefined; suite = suite.suite ?? test.file) {
    suites.unshift(suite);
    if (suite === test.file) break;
  }
  const hooks = suites.map((suite) => TestRunner.getSuiteHooks(suite));
  const of = (kind: 'beforeEach' | 'afterEach') =>
    hooks.flatMap((each) => each[kind] as ((...given: unknown[]) => unknown)[]);
  const call = async (each: ReturnType<typeof of>) => {
    for (const hook of each) await hook(test.context, test.suite ?? test.file);
  };
  return async (mutant?: string, hitLimit = 0): Promise<boolean> => {
    await call(of('afterEach').reverse()).catch(() => undefined);
    switches.activeMutant = mutant;
    switches.hitCount = 0;
    switches.hitLimit = hitLimit;
    try {
      await inTime(call(of('beforeEach')).then(body));
      return true;
    } catch {
      return false;
    } finally {
      switches.activeMutant = undefined;
      switches.hitCount = undefined;
    }
  };
}

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('takes too long')), MUTANT_MS_MAX);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
