import { RetryableError } from '../engine/errors.ts';
import { linksText, type ObjectLinks, parseLinks } from '../engine/link.ts';
import { type EntityKind, parseKey } from '../engine/object.ts';
import { RedisStore, replyWithin, Script } from '../engine/redis-script.ts';
import { type RewriteParts, rewriteObjects, scanObjects } from '../engine/rewrite.ts';
import { LINK_FIELD } from '../engine/work-store.ts';
import type { LinkedObject } from './sighted.ts';

/** Attempts to move the links of one object. Links change between read and write only while handlers of an older mapping are at work. */
const TRIES_MAX = 5;

/**
 * Replaces all fields of one object in one step, so that no crash leaves an event linked twice or nowhere. ARGV: field, old text, new text.
 */
const REARRANGE = new Script(`
local object = KEYS[1]
-- It has expired since. A write would create it again, and nothing would remove it.
if redis.call('EXISTS', object) == 0 then return 0 end
for i = 1, #ARGV, 3 do
  if (redis.call('HGET', object, ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
for i = 1, #ARGV, 3 do
  if ARGV[i + 2] == '' then redis.call('HDEL', object, ARGV[i]) else redis.call('HSET', object, ARGV[i], ARGV[i + 2]) end
end
-- A handler at work has read the links as they were, and would write them back.
redis.call('HINCRBY', object, 'f', 1)
return 1
`);

/** Moves links between mirrors, because an edit of the YAML has renamed, split or joined mirrors. */
export class LinkMoves extends RedisStore {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    super(parts);
    this.#parts = parts;
  }

  /**
   * Calls `decide` with the links of every known object; undefined leaves them unchanged. Fences off a handler at work on a changed object.
   * Returns how many objects were changed. Calling it again changes nothing more.
   */
  async rearrange(
    decide: (kind: EntityKind, links: ObjectLinks) => ObjectLinks | undefined,
  ): Promise<number> {
    let changed = 0;
    await scanObjects(this.#parts, '', async (names) => {
      const done = await Promise.all(names.map((name) => this.#rearrange(name, decide)));
      changed += done.filter((each) => each).length;
    });
    return changed;
  }

  /** Gives a turn to each known object that `needs` one. Returns how many. Calling it again gives them another one. */
  async giveTurns(needs: (object: LinkedObject) => boolean): Promise<number> {
    let given = 0;
    await scanObjects(this.#parts, '', async (names) => {
      const asked = await Promise.all(names.map((name) => this.#needsTurn(name, needs)));
      const keys = names.filter((_, at) => asked[at] === true);
      await rewriteObjects(this.#parts, keys, { mirror: '', kind: 'known' });
      given += keys.length;
    });
    return given;
  }

  async #needsTurn(name: string, needs: (object: LinkedObject) => boolean): Promise<boolean> {
    const key = parseKey(name);
    if (key === undefined) return false;
    const fields = await replyWithin(this.redis.hgetall(this.keys.object(name)));
    const { s: snapshot, t: tombstone = '0' } = fields;
    const object = { isDeleted: Number(tombstone) > 0, hasContent: snapshot !== undefined };
    return needs({ kind: key.kind, links: linksIn(fields), ...object });
  }

  /** Forgets which rows were confirmed in a tab; the next check rebuilds the index from the links. */
  async forgetRows(place: {
    readonly mirror: string;
    readonly spreadsheetId: string;
    readonly tab: string;
  }): Promise<void> {
    await replyWithin(this.redis.del(this.keys.rows(place)));
  }

  async #rearrange(
    name: string,
    decide: (kind: EntityKind, links: ObjectLinks) => ObjectLinks | undefined,
  ): Promise<boolean> {
    const key = parseKey(name);
    if (key === undefined) return false;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const fields = await replyWithin(this.redis.hgetall(this.keys.object(name)));
      if (Object.keys(fields).length === 0) return false;
      const links = linksIn(fields);
      const wanted = decide(key.kind, links);
      if (wanted === undefined) return false;
      const changes = Object.entries(wanted)
        .filter(([mirror, each]) => each !== links[mirror])
        .flatMap(([mirror, each]) => {
          const field = LINK_FIELD + mirror;
          return [field, fields[field] ?? '', Object.keys(each).length === 0 ? '' : linksText(each)];
        });
      if (changes.length === 0) return false;
      if ((await REARRANGE.run(this.redis, [this.keys.object(name)], changes)) === 1) return true;
    }
    throw new RetryableError(
      'links-contended',
      'the links of an object change faster than they can be moved',
    );
  }
}

function linksIn(fields: Readonly<Record<string, string>>): ObjectLinks {
  const known = Object.entries(fields).filter(([field]) => field.startsWith(LINK_FIELD));
  return Object.fromEntries(known.map(([field, text]) => [field.slice(LINK_FIELD.length), parseLinks(text)]));
}
