import { type Command, Option } from 'commander';
import type { Console } from './console.ts';
import { type RunningSandbox, sandboxText } from './sandbox-text.ts';
import { wholeNumberOption } from './whole-number.ts';

export interface SandboxWiring {
  /** Starts both sandboxes with a sample company. */
  readonly startSandbox: (options: {
    platformPort: number;
    googlePort: number;
    pagePort?: number;
    dataDir: string;
    /** A mapping whose company is built, and where its worker will listen. */
    like?: { file: string; workerPort: number };
  }) => Promise<{
    readonly running: RunningSandbox;
    close(): Promise<void>;
  }>;
  /** Both use the sandbox that runs with the same folder. The text says what was booked, or what calendars and tabs contain. */
  readonly book: (dataDir: string) => Promise<string>;
  readonly show: (dataDir: string) => Promise<string>;
}

const DATA = './data/sandbox';

interface SandboxOptions {
  readonly platformPort: number;
  readonly googlePort: number;
  /** Absent: the usual port, or any free one if that is taken. */
  readonly pagePort?: number;
  readonly data: string;
  readonly like?: string;
  readonly book?: boolean;
  readonly show?: boolean;
}

/** The default of `http.port`. */
const WORKER_PORT = 8080;

/** `slotbridge sandbox`: the platform and Google as local servers, until Ctrl-C. */
export function addSandbox(
  program: Command,
  parts: { readonly io: Console; readonly wiring: SandboxWiring },
): void {
  program
    .command('sandbox')
    .description('run a local platform and Google with a small company')
    .addOption(portOption('--platform-port <port>', 'port of the platform').default(4010))
    .addOption(portOption('--google-port <port>', 'port of Google').default(4020))
    .addOption(portOption('--page-port <port>', 'port of the sandbox page (default: 4030)'))
    .option('--data <folder>', "folder for the worker's key file", DATA)
    .option('--like <file>', 'build the company that this YAML names, and write a copy of it that runs here')
    .option('--book', 'book an appointment in the running sandbox, as a customer would')
    .option('--show', 'print the calendars and tabs of the running sandbox')
    .action(async (options: SandboxOptions) => {
      const { io, wiring } = parts;
      if (options.book === true) io.stdout.write(`${await wiring.book(options.data)}\n`);
      if (options.show === true) io.stdout.write(`${await wiring.show(options.data)}\n`);
      if (options.book === true || options.show === true) return;
      // The port on which `slotbridge init --sandbox` lets the worker listen.
      const workerPort = Number(io.env['PORT'] || WORKER_PORT);
      const sandbox = await wiring.startSandbox({
        platformPort: options.platformPort,
        googlePort: options.googlePort,
        ...(options.pagePort === undefined ? {} : { pagePort: options.pagePort }),
        dataDir: options.data,
        ...(options.like === undefined ? {} : { like: { file: options.like, workerPort } }),
      });
      io.stdout.write(
        `${sandboxText(sandbox.running, { workerPort, data: options.data === DATA ? undefined : options.data })}\n`,
      );
      await new Promise<void>((done) => {
        for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done());
      });
      await sandbox.close();
    });
}

/** An environment variable such as `SANDBOX_PLATFORM_PORT` can set it too. */
function portOption(flags: string, description: string): Option {
  const option = new Option(flags, description).argParser((value) => wholeNumberOption(value));
  return option.env(`SANDBOX_${option.name().replaceAll('-', '_').toUpperCase()}`);
}
