// Commands that only need the state in Redis must work while the YAML is being repaired: then they are needed most.
import { isRecord } from '../engine/object.ts';
import { eachKind, KIND_SECTIONS } from './calendar-kinds.ts';
import type { Config } from './config.ts';
import { ConfigDocument, isTooDeep, TEXT_LENGTH_MAX } from './document.ts';
import { type ConfigSource, ONCE, toConfig } from './load.ts';
import { ProblemList } from './problem.ts';
import { alertsSection } from './schema/alerts.ts';
import { consoleSection } from './schema/console.ts';
import { googleSection } from './schema/google.ts';
import { platformSection } from './schema/platform.ts';
import { privacySection } from './schema/privacy.ts';
import { redisSection } from './schema/redis.ts';
import type { WrittenConfig } from './schema/root.ts';
import { httpSection, logSection, workerSection } from './schema/worker.ts';
import { type Environment, fillVariables } from './variables.ts';

/** Sections that say nothing about what is mirrored, each with its schema and what stands for it when it is broken. */
const SECTIONS = {
  redis: { schema: redisSection, substitute: {} },
  http: { schema: httpSection, substitute: {} },
  platform: {
    schema: platformSection,
    substitute: { base_url: 'https://platform.invalid/v1', api_key: 'not-readable' },
  },
  google: { schema: googleSection, substitute: {} },
  ...eachKind((name) => ({ schema: KIND_SECTIONS[name], substitute: {} })),
  worker: { schema: workerSection, substitute: {} },
  log: { schema: logSection, substitute: {} },
  alerts: { schema: alertsSection, substitute: {} },
  console: { schema: consoleSection, substitute: {} },
  privacy: { schema: privacySection, substitute: {} },
};
const MAPPING: readonly string[] = ['mirrors', 'bookings', 'feeds', 'blocks', 'classes'];

/**
 * The sections of a broken YAML that can be read, without any mapping. Undefined if it is uncertain where Redis is: another Redis would show
 * another state.
 */
export function loadStateSections({ text }: ConfigSource, env: Environment): Config | undefined {
  if (text.length > TEXT_LENGTH_MAX || isTooDeep(text)) return undefined;
  const document = new ConfigDocument(text);
  const problems = new ProblemList();
  fillVariables(document, env, problems);
  const value = groupIn(document);
  if (value === undefined || (!('redis' in value) && mayHideRedis(text, value))) return undefined;
  const unfilled = problems.toError('').problems.map(({ path }) => path);
  const written: Record<string, unknown> = { mirrors: {} };
  for (const [name, { schema, substitute }] of Object.entries(SECTIONS)) {
    const isFilled = !unfilled.some((path) => path === name || path.startsWith(`${name}.`));
    const own = schema.safeParse(value[name] ?? {}, ONCE);
    if (isFilled && own.success) written[name] = own.data;
    else if (name === 'redis') return undefined;
    else written[name] = schema.parse(substitute, ONCE);
  }
  return toConfig(written as WrittenConfig, { document, compile: noMapping });
}

function noMapping(): never {
  throw new Error('a configuration without a mapping has no conditions');
}

function groupIn(document: ConfigDocument): Record<string, unknown> | undefined {
  try {
    const value = document.toValue();
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A mistake may have swallowed the section, or its name may be misspelt. */
function mayHideRedis(text: string, value: Record<string, unknown>): boolean {
  return (
    /redis/i.test(text) || Object.keys(value).some((name) => !(name in SECTIONS) && !MAPPING.includes(name))
  );
}
