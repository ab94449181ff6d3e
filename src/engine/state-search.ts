import { TerminalError } from './errors.ts';
import type { Memory } from './memory.ts';
import { RedisStore, replyWithin, scanKeys, scanned } from './redis-script.ts';

/** A piece of the stored state: a key's own name, a field, a value, a member or an entry. */
export interface StoredText {
  /** Without the prefix of the installation. */
  readonly key: string;
  readonly text: string;
}

/** Members per read of a list, hash, set or stream. */
const MEMBERS_PER_READ = 500;

/**
 * Every key of this installation and everything stored under it, in parts, so that Redis is never blocked. For questions that no index
 * answers. Its duration grows with the amount.
 */
export class StateSearch extends RedisStore {
  async *all(): AsyncGenerator<StoredText> {
    for await (const names of scanKeys(this.redis, this.keys.everything))
      for (const key of names) yield* this.#of(key);
  }

  /** Names of all known objects, `kind/id`, whose id begins like this. Goes through all keys. */
  async objectsBeginning(id: string): Promise<readonly string[]> {
    const beginning = this.keys.object('');
    const found: string[] = [];
    for await (const names of scanKeys(this.redis, beginning)) {
      for (const name of names) {
        const key = name.slice(beginning.length);
        if (key.slice(key.indexOf('/') + 1).startsWith(id)) found.push(key);
      }
    }
    return [...new Set(found)].sort();
  }

  async *#of(key: string): AsyncGenerator<StoredText> {
    const name = key.slice(this.keys.everything.length);
    yield { key: name, text: name };
    for await (const text of this.#texts(key)) yield { key: name, text };
  }

  async *#texts(key: string): AsyncGenerator<string> {
    const type = await replyWithin(this.redis.type(key));
    if (type === 'string') yield (await replyWithin(this.redis.get(key))) ?? '';
    const scans = {
      hash: (at: string) => this.redis.hscan(key, at, 'COUNT', MEMBERS_PER_READ),
      set: (at: string) => this.redis.sscan(key, at, 'COUNT', MEMBERS_PER_READ),
      zset: (at: string) => this.redis.zscan(key, at, 'COUNT', MEMBERS_PER_READ),
    };
    if (type === 'hash' || type === 'set' || type === 'zset')
      for await (const members of scanned(scans[type])) yield* members;
    if (type === 'list') {
      for (let from = 0; ; from += MEMBERS_PER_READ) {
        const part = await replyWithin(this.redis.lrange(key, from, from + MEMBERS_PER_READ - 1));
        yield* part;
        if (part.length < MEMBERS_PER_READ) return;
      }
    }
    if (type === 'stream') {
      for (let from = '-'; ; ) {
        const part = await replyWithin(this.redis.xrange(key, from, '+', 'COUNT', MEMBERS_PER_READ));
        for (const [, fields] of part) yield fields.join(' ');
        const last = part.at(-1)?.[0];
        if (part.length < MEMBERS_PER_READ || last === undefined) return;
        from = `(${last}`;
      }
    }
  }
}

/**
 * The version of the stored form. 0.2.0 stored no version, and its state is read as it is. Raise it when an older version cannot work with
 * what a newer one writes.
 */
export const STATE_VERSION = 2;
const FACT = 'state-version';

/** Throws `TerminalError` `state-too-new`: this version could misread the newer state and overwrite it. */
export async function assertStateIsKnown(memory: Pick<Memory, 'get'>): Promise<void> {
  const text = await memory.get(FACT);
  if (text === undefined || Number(text) <= STATE_VERSION) return;
  throw new TerminalError(
    'state-too-new',
    `the state in Redis has version ${text.slice(0, 20)}, and this slotbridge knows versions up to ${STATE_VERSION}`,
    {
      target: 'redis',
      advice:
        'Start the newer slotbridge again, or give this one a redis.prefix or a data folder of its own.',
    },
  );
}

/** Stores the version after another check, because a newer worker may have started while this one waited. Rejects likewise. */
export async function stampState(memory: Pick<Memory, 'get' | 'set'>): Promise<void> {
  await assertStateIsKnown(memory);
  await memory.set(FACT, String(STATE_VERSION));
}
