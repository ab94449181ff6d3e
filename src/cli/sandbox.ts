import type { Command } from 'commander';
import type { Console } from './console.ts';
import { wholeNumber } from './whole-number.ts';

export interface SandboxWiring {
  /** Starts both sandboxes with a company in them; the text says how to look around. */
  readonly startSandbox: (options: { platformPort: number; googlePort: number; dataDir: string }) => Promise<{
    readonly text: string;
    close(): Promise<void>;
  }>;
}

/** `slotbridge sandbox`: the platform and Google as local servers, until Ctrl-C. */
export function addSandbox(
  program: Command,
  parts: { readonly io: Console; readonly wiring: SandboxWiring },
): void {
  program
    .command('sandbox')
    .description('run a local stand-in for the platform and for Google, with a company in it')
    .option('--platform-port <port>', 'port of the platform', wholeNumber, 4010)
    .option('--google-port <port>', 'port of Google', wholeNumber, 4020)
    .option('--data <folder>', 'where to put the key file for the worker', './data/sandbox')
    .action(async (options: { platformPort: number; googlePort: number; data: string }) => {
      const sandbox = await parts.wiring.startSandbox({
        platformPort: options.platformPort,
        googlePort: options.googlePort,
        dataDir: options.data,
      });
      parts.io.stdout.write(`${sandbox.text}\n`);
      await new Promise<void>((done) => {
        for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done());
      });
      await sandbox.close();
    });
}
