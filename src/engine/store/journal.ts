import { type EntityKey, parseKey } from '../domain/object.ts';
import type { Journal, JournalEntry } from '../ports/intake.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { KeySpace } from './key-space.ts';
import { replyWithin } from './script.ts';

const PAGE_ENTRIES = 1_000;

/** The journal in Redis: a stream that the intake store appends to, and trims by age, in its own step. */
export class RedisJournal implements Journal {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async *between(bounds: { readonly fromMs: number; readonly toMs: number }): AsyncIterable<JournalEntry> {
    let from = `${bounds.fromMs}`;
    for (;;) {
      const page = await replyWithin(
        this.#redis.xrange(this.#keys.journal, from, `${bounds.toMs}`, 'COUNT', PAGE_ENTRIES),
      );
      for (const [id, fields] of page) {
        const entry = toEntry(id, fields);
        if (entry !== undefined) yield entry;
      }
      const last = page.at(-1)?.[0];
      if (page.length < PAGE_ENTRIES || last === undefined) return;
      from = `(${last}`;
    }
  }

  async objectOf(eventId: string): Promise<EntityKey | undefined> {
    const row = await replyWithin(this.#redis.get(this.#keys.inbox(eventId)));
    return row === null ? undefined : parseKey(row.split('|')[0] ?? '');
  }
}

function toEntry(id: string, flat: readonly string[]): JournalEntry | undefined {
  const fields: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) fields[String(flat[at])] = String(flat[at + 1]);
  const key = parseKey(fields['key'] ?? '');
  if (key === undefined) return undefined;
  return {
    atMs: Number(id.split('-')[0]),
    eventId: fields['event'] ?? '',
    eventType: fields['type'] ?? '',
    key,
    via: fields['via'] ?? '',
  };
}
