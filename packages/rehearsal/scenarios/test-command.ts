// `slotbridge test`: reads, runs, reports. The command line says what to run, and the wiring starts workers.

import type { ConfigChecks } from '../../../src/mapping/mirror-check.ts';
import type { Environment } from '../../../src/mapping/variables.ts';
import { jsonOf, junitOf, type Sink, totalOf, updatesOf, verdictText } from './report.ts';
import { assertWritable, updateFiles } from './rewrite.ts';
import { findScenarios, openSuite, runAll } from './suite.ts';
import type { Means } from './world.ts';

export interface TestOptions {
  readonly paths: readonly string[];
  readonly only?: string | undefined;
  readonly json: boolean;
  /** Receives the JUnit report. */
  readonly keepReport?: ((junit: string) => void) | undefined;
  readonly redisUrl?: string | undefined;
  /** Writes what happened into `expect`. */
  readonly update?: boolean | undefined;
  readonly env: Environment;
  readonly checks: ConfigChecks;
  readonly startWorker: Means['startWorker'];
  readonly stdout: Sink;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves with whether all passed. Rejects for wrong input, before anything runs. Ctrl-C leaves nothing behind. */
export async function runTest(options: TestOptions): Promise<boolean> {
  const scenarios = findScenarios(options.paths, options);
  if (options.update === true) assertWritable(scenarios);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort(new Error('interrupted'));
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    const { startWorker, redisUrl, stdout } = options;
    const suite = await openSuite({
      ...{ startWorker, redisUrl, signal: interrupt.signal, isUpdate: options.update },
    });
    try {
      const verdicts = await runAll(scenarios, suite, (verdict) => {
        if (!options.json) stdout.write(verdictText(verdict));
      });
      const updates = options.update === true ? updateFiles(scenarios, verdicts) : undefined;
      if (options.json) stdout.write(jsonOf(verdicts, updates));
      else stdout.write(totalOf(verdicts) + updatesOf(updates ?? new Map()));
      options.keepReport?.(junitOf(verdicts));
      return verdicts.every((verdict) => verdict.passed || updates?.get(verdict)?.isWritten === true);
    } finally {
      await suite.close();
    }
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}
