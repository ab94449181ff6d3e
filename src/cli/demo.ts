import type { Command } from 'commander';
import type { Console } from './console.ts';
import { wholeNumberOption } from './whole-number.ts';

export interface DemoOptions {
  readonly json: boolean;
  readonly keep: boolean;
  readonly seed?: number;
  readonly changes?: number;
}

/** `slotbridge demo`: plays a busy day on the sandboxes and judges the result. */
export function addDemo(
  program: Command,
  parts: { readonly io: Console; readonly runDemo: (options: DemoOptions) => Promise<void> },
): void {
  program
    .command('demo')
    .description(
      'simulate a busy day with lost, doubled and shuffled webhooks and a kill, then compare everything',
    )
    .option('--json', 'print one JSON object as the last line')
    .option('--keep', 'leave everything running and print how to look around')
    .option(
      '--seed <number>',
      'number that selects the day; the same number makes the same changes',
      wholeNumberOption,
    )
    .option('--changes <number>', 'minimum number of changes in the day', wholeNumberOption)
    .action(async (options: { json?: boolean; keep?: boolean; seed?: number; changes?: number }) => {
      await parts.runDemo({ ...options, json: options.json === true, keep: options.keep === true });
    });
}
