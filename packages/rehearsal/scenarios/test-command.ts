// `slotbridge test`: reads, runs, reports. The command line says what to run, and the wiring starts workers.

import type { ConfigChecks } from '../../../src/mapping/mirror-check.ts';
import type { Environment } from '../../../src/mapping/variables.ts';
import { jsonOf, junitOf, type Sink, totalOf, verdictText } from './report.ts';
import { findScenarios, openSuite, runAll } from './suite.ts';
import type { Means } from './world.ts';

export interface TestOptions {
  readonly paths: readonly string[];
  readonly only?: string | undefined;
  readonly json: boolean;
  /** Receives the JUnit report. */
  readonly keepReport?: ((junit: string) => void) | undefined;
  readonly redisUrl?: string | undefined;
  readonly env: Environment;
  readonly checks: ConfigChecks;
  readonly startWorker: Means['startWorker'];
  readonly stdout: Sink;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves with whether all passed. Rejects for wrong input, before anything runs. Ctrl-C leaves nothing behind. */
export async function runTest(options: TestOptions): Promise<boolean> {
  const scenarios = findScenarios(options.paths, options);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort(new Error('interrupted'));
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    const { startWorker, redisUrl, stdout } = options;
    const suite = await openSuite({ startWorker, redisUrl, signal: interrupt.signal });
    try {
      const verdicts = await runAll(scenarios, suite, (verdict) => {
        if (!options.json) stdout.write(verdictText(verdict));
      });
      stdout.write(options.json ? jsonOf(verdicts) : totalOf(verdicts));
      options.keepReport?.(junitOf(verdicts));
      return verdicts.every(({ passed }) => passed);
    } finally {
      await suite.close();
    }
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}
