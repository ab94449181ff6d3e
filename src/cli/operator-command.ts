import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';

/** What operator commands work on: the state in Redis, and the platform where it has to be asked. */
export interface OperatorParts<Session extends { close(): Promise<void> }> {
  readonly io: Console;
  readonly checks: LoadChecks;
  /** Works beside a running worker, and without one. */
  readonly open: (config: Config) => Promise<Session>;
}

export interface OperatorOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** Adds the options that all operator commands have. */
export function operatorCommand(command: Command): Command {
  return command.option(...CONFIG_OPTION).option('--json', 'print JSON');
}

/** Opens the session, runs, and always closes it. */
export async function inSession<Session extends { close(): Promise<void> }>(
  parts: OperatorParts<Session>,
  options: OperatorOptions,
  run: (session: Session, config: Config) => Promise<void>,
): Promise<void> {
  const config = await readConfig(options.config, { env: parts.io.env, checks: parts.checks });
  const session = await parts.open(config);
  try {
    await run(session, config);
  } finally {
    await session.close();
  }
}

/** Prints a text or, with `--json`, one JSON object. */
export function say(io: Console, options: OperatorOptions, told: { text: string; json: unknown }): void {
  io.stdout.write(`${options.json === true ? JSON.stringify(told.json) : told.text}\n`);
}
