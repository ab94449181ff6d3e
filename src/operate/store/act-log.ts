import type { Act } from '../../engine/domain/role.ts';
import type { ActLog } from '../../engine/ports/console.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { NamedScript, replyWithin } from '../../engine/store/script.ts';

/** Entries of the audit log; a finished act has two. */
const ACT_ENTRIES_MAX = 4_000;
/** How many entries a full log drops at once, so that a flood seldom costs a reading of the whole log. */
const DROPPED_AT_ONCE = 200;
/** How long entries of the audit log are kept. */
export const ACTS_KEPT_MS = 400 * 86_400_000;

/**
 * A full log drops the oldest entries of the person and the kind with the most, so that a flood removes only itself. A marker in their place
 * counts them. Markers are a kind of their own.
 */
const NOTE_ACT = new NamedScript(
  { keys: ['acts'], args: ['entry', 'most', 'at_once', 'since', 'ttl'] },
  `
local function drop()
  local texts = redis.call('LRANGE', acts, 0, -1)
  local decoded, groups, counts, largest = {}, {}, {}, nil
  for at, text in ipairs(texts) do
    local act = cjson.decode(text)
    local group = act.what == 'entries-dropped' and act.what or act.who .. '\\n' .. act.what
    decoded[at], groups[at] = act, group
    counts[group] = (counts[group] or 0) + 1
    if not largest or counts[group] > counts[largest] then largest = group end
  end
  local left, dropped, last = math.min(tonumber(at_once), counts[largest]), 0, nil
  local kept, marker_at = {}, 1
  local id = 'dropped ' .. largest
  for at, text in ipairs(texts) do
    if groups[at] == largest and left > 0 then
      left, dropped, last, marker_at = left - 1, dropped + 1, decoded[at], #kept + 1
    elseif decoded[at].id == id then
      dropped = dropped + tonumber(decoded[at].about.entries)
    else
      kept[#kept + 1] = text
    end
  end
  if largest ~= 'entries-dropped' then
    local about = { act = last.what, entries = tostring(dropped) }
    local marker = { id = id, atMs = last.atMs, role = last.role, who = last.who, what = 'entries-dropped', why = '', about = about }
    table.insert(kept, marker_at, cjson.encode(marker))
  end
  redis.call('DEL', acts)
  for _, text in ipairs(kept) do redis.call('RPUSH', acts, text) end
end
redis.call('RPUSH', acts, entry)
if redis.call('LLEN', acts) > tonumber(most) then
  drop()
  -- Many people with few entries each: the oldest of all go.
  local aim = tonumber(most) - tonumber(at_once) / 2
  if redis.call('LLEN', acts) > aim then redis.call('LTRIM', acts, -aim, -1) end
end
local oldest = redis.call('LINDEX', acts, 0)
while oldest and cjson.decode(oldest).atMs < tonumber(since) do
  redis.call('LPOP', acts)
  oldest = redis.call('LINDEX', acts, 0)
end
redis.call('PEXPIRE', acts, ttl)
return 1
`,
);

/** The audit log as a bounded list in Redis. */
export class RedisActLog implements ActLog {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async note(act: Act): Promise<void> {
    await NOTE_ACT.run(this.#redis, {
      keys: { acts: this.#keys.consoleActs },
      args: {
        entry: JSON.stringify(act),
        ...{
          most: ACT_ENTRIES_MAX,
          at_once: DROPPED_AT_ONCE,
          since: this.#clock.now() - ACTS_KEPT_MS,
          ttl: ACTS_KEPT_MS,
        },
      },
    });
  }

  async newest(limit: number): Promise<readonly Act[]> {
    const texts = await replyWithin(this.#redis.lrange(this.#keys.consoleActs, -2 * limit, -1));
    const acts = new Map<string, Act>();
    for (const text of texts) {
      const act = JSON.parse(text) as Act;
      acts.set(act.id, act);
    }
    const since = this.#clock.now() - ACTS_KEPT_MS;
    return [...acts.values()]
      .filter(({ atMs }) => atMs >= since)
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, limit);
  }
}
