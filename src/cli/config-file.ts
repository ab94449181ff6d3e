import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { ConfigChecks } from '../config/mirrors/check.ts';
import { TerminalError } from '../domain/errors.ts';

export const CONFIG_OPTION = ['-c, --config <file>', 'the YAML to use', 'config/slotbridge.yaml'] as const;

/** Reads and checks the YAML. Throws `ConfigError`, or `TerminalError` `config-unreadable` when there is no such file. */
export function readConfig(
  path: string,
  parts: { readonly env: Readonly<Record<string, string | undefined>>; readonly checks: ConfigChecks },
): Config {
  return loadConfig({ text: readText(path), path }, parts.env, parts.checks);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TerminalError('config-unreadable', `${path} cannot be read (${reason})`, {
      target: 'mapping',
      advice: 'Give another file with --config, or copy config/slotbridge.example.yaml to begin with.',
      cause,
    });
  }
}
