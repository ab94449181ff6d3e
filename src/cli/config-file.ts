import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { ConfigSource } from '../config/load.ts';
import type { ConfigChecks } from '../config/mirrors/check.ts';
import { TerminalError } from '../domain/errors.ts';

export const CONFIG_OPTION = ['-c, --config <file>', 'path of the YAML', 'config/slotbridge.yaml'] as const;

/** Loads the checks of templates. The schema and the template engine take longer to load than `--help` may take to answer. */
export type LoadChecks = () => Promise<ConfigChecks>;

export interface ConfigReading {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly checks: LoadChecks;
}

/** Reads and checks the YAML. Rejects with `ConfigError`, or with `TerminalError` `config-unreadable` for a file that cannot be read. */
export async function readConfig(path: string, parts: ConfigReading): Promise<Config> {
  const text = readText(path);
  return loadText({ text, path }, parts);
}

/** Like `readConfig`, for a text that is not in its file yet. */
export async function loadText(source: ConfigSource, parts: ConfigReading): Promise<Config> {
  const { loadConfig } = await import('../config/load.ts');
  return loadConfig(source, parts.env, await parts.checks());
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TerminalError('config-unreadable', `${path} cannot be read (${reason})`, {
      target: 'mapping',
      advice: 'Give another file with --config, or start from a copy of config/slotbridge.example.yaml.',
      cause,
    });
  }
}
