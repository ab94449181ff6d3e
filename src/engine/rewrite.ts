import { setTimeout as sleep } from 'node:timers/promises';
import type { KeySpace } from './key-space.ts';
import { inParts } from './object.ts';
import { mastersOf, type RedisClient } from './redis-client.ts';
import { replyWithin, Script, scanKeys } from './redis-script.ts';
import type { Clock } from './runtime.ts';
import type { SheetSpot } from './sheet-row.ts';
import { linkField, MARK_DIRTY } from './work-store.ts';

// Deleted data stays in the append-only file until Redis rewrites it, which a small installation may never do automatically.

/** How long to wait for a running rewrite. It began earlier, so its file still has what was deleted since. */
const WAIT_MAX_MS = 30_000;
const LOOK_EVERY_MS = 250;

/**
 * Starts the rewrite, which Redis does in the background. It skips a Redis that has no such file, or does not allow the command. Never
 * rejects.
 */
export async function rewriteFile(redis: RedisClient): Promise<void> {
  await Promise.all(mastersOf(redis).map((node) => rewriteOn(node).catch(() => undefined)));
}

async function rewriteOn(node: ReturnType<typeof mastersOf>[number]): Promise<void> {
  for (let waitedMs = 0; waitedMs < WAIT_MAX_MS; waitedMs += LOOK_EVERY_MS) {
    const info = await replyWithin(node.info('persistence'));
    if (!info.includes('aof_enabled:1')) return;
    if (!info.includes('aof_rewrite_in_progress:1')) {
      await replyWithin(node.bgrewriteaof());
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

export interface RewriteParts {
  readonly redis: RedisClient;
  readonly keys: KeySpace;
  readonly clock: Clock;
  /** Receives the keys that became dirty. Without it, they wait for the sweep. */
  readonly dirtied?: (keys: readonly string[]) => void;
}

/**
 * - `all`: the cause may also have changed how the row's cells look.
 * - `linked`: as `all`, for objects that have a row.
 * - `restored`: people changed or deleted the row; the look of its cells is theirs.
 * - `known`: a turn and nothing else.
 */
export type RewriteKind = 'all' | 'linked' | 'restored' | 'known';

const KEYS_AT_ONCE = 250;

/** Marks the objects dirty. In their turn, the mirror writes their rows again from the newest known state. */
export async function rewriteObjects(
  parts: RewriteParts,
  keys: readonly string[],
  how: { readonly mirror: string; readonly kind: RewriteKind; readonly place?: SheetSpot },
): Promise<void> {
  const now = parts.clock.now();
  for (const some of inParts(keys, KEYS_AT_ONCE))
    await Promise.all(
      some.map((key) =>
        REWRITE.run(
          parts.redis,
          [parts.keys.object(key), parts.keys.dirty, parts.keys.dirtySince],
          [
            ...[key, linkField(how.mirror), now, how.kind],
            ...(how.place === undefined ? [] : [how.place.spreadsheetId, how.place.tab]),
          ],
        ),
      ),
    );
  parts.dirtied?.(keys);
}

/** Calls `tell` with all known objects whose key has this prefix, some at a time. */
export async function scanObjects(
  { redis, keys }: Pick<RewriteParts, 'redis' | 'keys'>,
  beginning: string,
  tell: (keys: readonly string[]) => Promise<void>,
): Promise<void> {
  const prefix = keys.object('');
  for await (const names of scanKeys(redis, prefix + beginning))
    await tell(names.map((name) => name.slice(prefix.length)));
}

/**
 * Forgets which cells were last written, but not that there is a row. It marks the object dirty, so that its next turn writes the row
 * again. `known` only marks it dirty.
 */
const REWRITE = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local kind = ARGV[4]
-- Nobody has booked in this row yet, or the object was forgotten: a turn would find nothing to look at.
if redis.call('HEXISTS', object, 'd') == 0 then return end
local link = kind ~= 'known' and redis.call('HGET', object, ARGV[2])
if link then
  local decoded = cjson.decode(link)
  if decoded.sheet then
    -- The tab took no row with it that was removed before, or that people had deleted one by one.
    if (decoded.sheet.hash == 'cleared' or decoded.sheet.hash == 'left') and kind == 'linked' then return end
    if ARGV[5] and (decoded.sheet.spreadsheetId ~= ARGV[5] or decoded.sheet.tab ~= ARGV[6]) then return end
    -- An object that had left is not one whose row shall stand: what is found of it is taken away, as where nothing is known.
    local has_left = decoded.sheet.hash == 'cleared' and not decoded.sheet.bound and not decoded.sheet.former
    if has_left then decoded.sheet = nil
    else
      decoded.sheet.hash = ''
      if kind ~= 'restored' then decoded.sheet.formats = nil end
    end
  end
  redis.call('HSET', object, ARGV[2], cjson.encode(decoded))
elseif kind == 'linked' or kind == 'restored' then
  return
end
mark_dirty(object, dirty, since, ARGV[1], ARGV[3])
`);
