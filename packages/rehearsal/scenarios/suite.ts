// All scenarios of a call: found, read, checked, and run a few at a time. Nothing runs while one of the files has mistakes.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TerminalError } from '../../../src/engine/errors.ts';
import { startPrivateRedis } from '../../../src/engine/private-redis.ts';
import { mastersOf, openRedis, type RedisClient } from '../../../src/engine/redis-client.ts';
import type { ConfigChecks } from '../../../src/mapping/mirror-check.ts';
import { didYouMean } from '../../../src/mapping/problem.ts';
import type { Environment } from '../../../src/mapping/variables.ts';
import { readScenarios, type Scenario } from './read.ts';
import { runScenario, type Verdict } from './run.ts';
import type { Means } from './world.ts';

/** How many scenarios run at the same time: they mostly wait for servers. */
const PARALLEL_MAX = 3;
const SCENARIO_FILE = /\.ya?ml$/;

/**
 * Reads every file, and every YAML file of a folder. Throws a `ConfigError` for a file with mistakes, and a `TerminalError` for a path or a
 * name (`only`) that does not exist.
 */
export function findScenarios(
  paths: readonly string[],
  options: {
    readonly env: Environment;
    readonly checks: ConfigChecks;
    /** Part of a scenario's name; ignores case. */
    readonly only?: string | undefined;
  },
): readonly Scenario[] {
  const files = [...new Set(paths.flatMap(filesAt))];
  const all = files.flatMap((file) => readScenarios(file, options.env, options.checks));
  const { only } = options;
  if (only === undefined) return all;
  const chosen = all.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (chosen.length > 0) return chosen;
  const names = all.map(({ name }) => name);
  throw new TerminalError('scenario-unknown', `no scenario is called "${only}"`, {
    advice: `${didYouMean(only, names)}There are: ${names.join('; ')}.`,
  });
}

function filesAt(path: string): readonly string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch {
    throw new TerminalError('scenario-unknown', `there is no file or folder ${path}`, {
      advice: 'Name scenario files, or a folder with them: slotbridge test config/scenarios',
    });
  }
  if (!isFolder) return [path];
  const files = readdirSync(path)
    .filter((name) => SCENARIO_FILE.test(name))
    .sort();
  if (files.length > 0) return files.map((name) => join(path, name));
  throw new TerminalError('scenario-unknown', `the folder ${path} holds no .yaml file`, {
    advice: 'docs/scenarios.md tells how to write one.',
  });
}

/** What all scenarios of a call share: a Redis and a folder. */
export interface Suite {
  run(scenario: Scenario): Promise<Verdict>;
  close(): Promise<void>;
}

export async function openSuite(parts: {
  readonly startWorker: Means['startWorker'];
  /** An existing Redis, in which the suite writes only keys of its own and removes them. Absent: a private one. */
  readonly redisUrl?: string | undefined;
  readonly signal: AbortSignal;
  readonly settledWithinMs?: number | undefined;
  readonly isUpdate?: boolean | undefined;
}): Promise<Suite> {
  const folder = mkdtempSync(join(tmpdir(), 'slotbridge-scenarios-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const { startWorker, signal, redisUrl, settledWithinMs, isUpdate } = parts;
    if (redisUrl !== undefined) await withRedis(redisUrl, () => Promise.resolve());
    const redis =
      redisUrl === undefined
        ? await startPrivateRedis(folder, { signal })
        : { url: redisUrl, stop: () => Promise.resolve() };
    return {
      async run(scenario) {
        const prefix = `scenario-${randomBytes(6).toString('hex')}`;
        try {
          const means = {
            startWorker,
            redisUrl: redis.url,
            prefix,
            folder,
            signal,
            settledWithinMs,
            isUpdate,
          };
          return await runScenario(scenario, means);
        } finally {
          if (redisUrl !== undefined) await removeKeys(redis.url, prefix);
        }
      },
      async close() {
        await redis.stop();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** Runs a few scenarios at a time, and calls `onEnd` with each result in the order of the list. */
export async function runAll(
  scenarios: readonly Scenario[],
  suite: Suite,
  onEnd: (verdict: Verdict) => void,
): Promise<readonly Verdict[]> {
  const verdicts: (Verdict | undefined)[] = scenarios.map(() => undefined);
  let [next, told] = [0, 0];
  const lane = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index];
      if (scenario === undefined) return;
      verdicts[index] = await suite.run(scenario);
      for (let ended = verdicts[told]; ended !== undefined; ended = verdicts[told]) {
        onEnd(ended);
        told += 1;
      }
    }
  };
  // If one of them fails, the others finish before the shared Redis is stopped.
  const ends = await Promise.allSettled(Array.from({ length: PARALLEL_MAX }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return verdicts.filter((verdict) => verdict !== undefined);
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  await withRedis(url, async (client) => {
    for (const node of mastersOf(client)) {
      let cursor = '0';
      do {
        const [following, keys] = await node.scan(cursor, 'MATCH', `{${prefix}}*`, 'COUNT', 1_000);
        cursor = following;
        if (keys.length > 0) await node.unlink(...keys);
      } while (cursor !== '0');
    }
  });
}

/** Fails within seconds if no Redis answers. */
async function withRedis(url: string, work: (client: RedisClient) => Promise<unknown>): Promise<void> {
  const client = openRedis(url, 'commands');
  try {
    // A cluster client knows its nodes only once it is connected.
    await client.ping();
    await work(client);
  } catch (cause) {
    throw new TerminalError('redis-unreachable', 'the Redis that --redis names does not answer', {
      advice: 'Start it, or leave --redis out: then a private one is started.',
      ...{ target: 'redis', cause },
    });
  } finally {
    client.disconnect();
  }
}
