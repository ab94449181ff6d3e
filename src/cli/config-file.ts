import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { TerminalError } from '../engine/errors.ts';
import type { Config } from '../mapping/config.ts';
import type { ConfigSource } from '../mapping/load.ts';
import type { ConfigChecks } from '../mapping/mirror-check.ts';
import { ConfigError } from '../mapping/problem.ts';
import type { Environment } from '../mapping/variables.ts';

export const CONFIG_OPTION = ['-c, --config <file>', 'path of the YAML', 'config/slotbridge.yaml'] as const;

/** Loads the checks of templates. The schema and the template engine take longer to load than `--help` may take to answer. */
export type LoadChecks = () => Promise<ConfigChecks>;

export interface ConfigReading {
  readonly env: Environment;
  readonly checks: LoadChecks;
}

/** Reads and checks the YAML. Rejects with `ConfigError`, or with `TerminalError` `config-unreadable` for a file that cannot be read. */
export async function readConfig(path: string, parts: ConfigReading): Promise<Config> {
  const text = readText(path);
  return loadText({ text, path }, parts);
}

/**
 * For commands that only need the state in Redis: of a broken YAML, reads the sections that say where it is, and warns. Rejects like
 * `readConfig` if they are broken too.
 */
export async function readStateConfig(
  path: string,
  parts: ConfigReading & { readonly warn: (line: string) => void },
): Promise<Config> {
  try {
    return await readConfig(path, parts);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { loadStateSections } = await import('../mapping/state-sections.ts');
    const config = loadStateSections({ text: readText(path), path }, environmentOf(path, parts.env));
    if (config === undefined) throw error;
    const count = error.problems.length;
    parts.warn(
      `${path} has ${count === 1 ? 'one problem' : `${count} problems`}: \`slotbridge check\` lists ${count === 1 ? 'it' : 'them'}. This command reads only where the state is, and nothing of the mapping.`,
    );
    return config;
  }
}

/** Like `readConfig`, for a text that is not in its file yet. */
export async function loadText(source: ConfigSource, parts: ConfigReading): Promise<Config> {
  const { loadConfig } = await import('../mapping/load.ts');
  return loadConfig(source, environmentOf(source.path, parts.env), await parts.checks());
}

/** The name of the file beside the YAML that holds values of variables. */
export const ENV_FILE = '.env';

/** The environment, and what the file beside the YAML sets. The environment comes first, so that a service manager can overrule the file. */
export function environmentOf(yaml: string, env: Environment): Environment {
  return { ...fileVariables(yaml), ...env };
}

/** What the file beside the YAML sets. */
export function fileVariables(yaml: string): Environment {
  const path = join(dirname(yaml), ENV_FILE);
  return existsSync(path)
    ? parseEnv(textOf(path, 'Let the user of this command read it, or remove it.'))
    : {};
}

export function readText(path: string): string {
  return textOf(
    path,
    'Give another file with --config, or start from a copy of config/slotbridge.example.yaml.',
  );
}

function textOf(path: string, advice: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TerminalError('config-unreadable', `${path} cannot be read (${reason})`, {
      target: 'mapping',
      advice,
      cause,
    });
  }
}
