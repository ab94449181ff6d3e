import type { Command } from 'commander';
import { TerminalError } from '../engine/errors.ts';
import { ConfigError } from '../mapping/problem.ts';
import type { Console } from './console.ts';
import { EXIT } from './exit.ts';
import { writePrivateFile } from './private-file.ts';
import { UsageError } from './usage-error.ts';

export interface TestWishes {
  readonly paths: readonly string[];
  readonly only?: string | undefined;
  readonly json: boolean;
  readonly keepReport?: ((junit: string) => void) | undefined;
  readonly redisUrl?: string | undefined;
  readonly update?: boolean | undefined;
}

const USAGE: ReadonlySet<string> = new Set(['scenario-unknown', 'scenario-not-writable']);
const DEFAULT_PATH = 'config/scenarios';

/** `slotbridge test`: plays scenarios of a mapping on the sandboxes. Wrong input exits with 2 before anything runs. */
export function addTest(
  program: Command,
  parts: {
    readonly io: Console;
    readonly runTest: (wishes: TestWishes) => Promise<boolean>;
    readonly onEnd: (exitCode: number) => void;
  },
): void {
  program
    .command('test')
    .description('run scenarios of a mapping on the sandboxes, and compare the outcome')
    .argument('[paths...]', `scenario files, or folders with them (default: ${DEFAULT_PATH})`)
    .option('--only <name>', 'only scenarios whose name contains this')
    .option('--junit <file>', 'also write a JUnit report')
    .option('--update', 'write what happened into `expect` of the scenarios that differ')
    .option('--json', 'print one JSON object instead of text')
    .option('--redis <url>', 'use this Redis instead of a private one')
    .action(
      async (
        paths: readonly string[],
        options: { only?: string; junit?: string; json?: boolean; redis?: string; update?: boolean },
      ) => {
        const { junit } = options;
        try {
          const passed = await parts.runTest({
            paths: paths.length === 0 ? [DEFAULT_PATH] : paths,
            ...{ only: options.only, redisUrl: options.redis, update: options.update },
            ...(junit !== undefined && { keepReport: (report) => writePrivateFile(junit, report) }),
            json: options.json === true,
          });
          parts.onEnd(passed ? EXIT.ok : EXIT.failed);
        } catch (error) {
          if (error instanceof ConfigError) {
            parts.io.stderr.write(`${error.format()}\n`);
            parts.onEnd(EXIT.usage);
          } else if (error instanceof TerminalError && USAGE.has(error.code)) {
            throw new UsageError(error.code, error.message, { advice: error.advice ?? '' });
          } else throw error;
        }
      },
    );
}
