import { Liquid } from 'liquidjs';
import type { EntityKind } from '../../src/engine/object.ts';
import type { Config } from '../../src/mapping/config.ts';
import { compileCondition, conditionTemplate } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { ConfigError, type ConfigProblem } from '../../src/mapping/problem.ts';

export type Env = Readonly<Record<string, string | undefined>>;

const liquid = new Liquid();

/** The real parser of the language, as the renderer uses it. */
export const checks = {
  compileCondition,
  checkTemplate(
    source: string,
    _kind?: EntityKind,
    form?: 'template' | 'condition',
  ): { message: string; line?: number; column?: number } | undefined {
    try {
      liquid.parse(form === 'condition' ? conditionTemplate(source) : source);
      return undefined;
    } catch (error) {
      return { message: error instanceof Error ? error.message : String(error), line: 1, column: 1 };
    }
  },
};

export const PLATFORM = `platform:
  base_url: https://api.example.com/v1
  api_key: key-1
`;

export const MIRRORS = `mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: 1AbC, tab: Contacts }
    columns:
      ID: "{{ id }}"
      Name: "{{ name }}"
`;

export const STAFF = `  staff:
    from: appointments
    calendars:
      map:
        "Anna Petrova": anna@clinic.example
    event:
      title: "{{ service_name }}"
`;

export function load(text: string, env: Env = {}): Config {
  return loadConfig({ text, path: 'slotbridge.yaml' }, env, checks);
}

/** A whole file around the sections of a test; those that it does not write are the smallest that work. */
export function file(parts: { platform?: string; mirrors?: string; more?: string }): string {
  return `${parts.platform ?? PLATFORM}${parts.more ?? ''}${parts.mirrors ?? MIRRORS}`;
}

export function errorOf(text: string, env: Env = {}): ConfigError {
  try {
    load(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the file was accepted');
}

export function problemsOf(text: string, env: Env = {}): readonly ConfigProblem[] {
  return errorOf(text, env).problems;
}

/** The one problem of the file. */
export function problemOf(text: string, env: Env = {}): ConfigProblem {
  const [first, ...others] = problemsOf(text, env);
  if (first === undefined || others.length > 0) throw new Error(errorOf(text, env).format());
  return first;
}
