import { createHash, randomBytes } from 'node:crypto';
import { canHaveBeen } from '../../engine/domain/moments.ts';
import type { Visitor } from '../../engine/domain/role.ts';
import type { ConsoleAccess, ConsoleSession, Entered } from '../../engine/ports/console.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { NamedScript, replyWithin } from '../../engine/store/script.ts';

/** Most unused links, and most sessions, at one time. A new one replaces the one that ends first. */
const LINKS_MAX = 100;
const SESSIONS_MAX = 500;
/** Most of them of one person, so that nobody's sign-ins end the sessions of others. */
const OF_PERSON_MAX = 20;
const SECRET_BYTES = 32;

/** Removes ended entries, and the one that ends first when there are too many of one person, or of all. */
const KEEP = `
local function keep(hash, field, text, now, most, most_own)
  local entries = redis.call('HGETALL', hash)
  local who = cjson.decode(text).who
  local count, first, first_until = 0, nil, nil
  local own, own_first, own_until = 0, nil, nil
  for at = 1, #entries, 2 do
    local entry = cjson.decode(entries[at + 1])
    local ends = entry.untilMs
    if ends <= now then
      redis.call('HDEL', hash, entries[at])
    else
      count = count + 1
      if not first_until or ends < first_until then first, first_until = entries[at], ends end
      if entry.who == who then
        own = own + 1
        if not own_until or ends < own_until then own_first, own_until = entries[at], ends end
      end
    end
  end
  if own >= most_own then redis.call('HDEL', hash, own_first)
  elseif count >= most then redis.call('HDEL', hash, first) end
  redis.call('HSET', hash, field, text)
end
`;

const OFFER_LINK = new NamedScript(
  { keys: ['links'], args: ['code', 'text', 'now', 'most', 'most_own'] },
  `${KEEP}
keep(links, code, text, tonumber(now), tonumber(most), tonumber(most_own))
return 1
`,
);

/** One step, so that a code that is used twice at the same moment makes one session. */
const ENTER_CONSOLE = new NamedScript(
  { keys: ['links', 'sessions'], args: ['code', 'token', 'now', 'until_ms', 'most', 'most_own'] },
  `${KEEP}
local text = redis.call('HGET', links, code)
if not text then return false end
redis.call('HDEL', links, code)
local link = cjson.decode(text)
if link.untilMs <= tonumber(now) then return false end
local session = cjson.encode({ role = link.role, who = link.who, sinceMs = tonumber(now), untilMs = tonumber(until_ms) })
keep(sessions, token, session, tonumber(now), tonumber(most), tonumber(most_own))
return session
`,
);

/** One step, so that no link becomes a session in between. */
const REVOKE = new NamedScript(
  { keys: ['links', 'sessions'], args: ['all', 'who'] },
  `
local ended = 0
for _, hash in ipairs({ links, sessions }) do
  local entries = redis.call('HGETALL', hash)
  for at = 1, #entries, 2 do
    if all == '1' or cjson.decode(entries[at + 1]).who == who then ended = ended + redis.call('HDEL', hash, entries[at]) end
  end
end
return ended
`,
);

/** Links and sessions in Redis: one hash each, by the hash of the secret. */
export class RedisConsoleAccess implements ConsoleAccess {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async offer({ role, who }: Visitor, forMs: number): Promise<string> {
    const code = newSecret();
    const now = this.#clock.now();
    const text = JSON.stringify({ role, who, sinceMs: now, untilMs: now + forMs } satisfies ConsoleSession);
    await OFFER_LINK.run(this.#redis, {
      keys: { links: this.#keys.consoleLinks },
      args: { code: hashOf(code), text, now, most: LINKS_MAX, most_own: LINKS_MAX },
    });
    return code;
  }

  async enter(code: string, forMs: number): Promise<Entered | undefined> {
    const token = newSecret();
    const now = this.#clock.now();
    const text = await ENTER_CONSOLE.run(this.#redis, {
      keys: { links: this.#keys.consoleLinks, sessions: this.#keys.consoleSessions },
      args: {
        ...{ code: hashOf(code), token: hashOf(token), now, until_ms: now + forMs },
        ...{ most: SESSIONS_MAX, most_own: OF_PERSON_MAX },
      },
    });
    return typeof text === 'string' ? { token, session: JSON.parse(text) as ConsoleSession } : undefined;
  }

  async session(token: string): Promise<ConsoleSession | undefined> {
    const text = await replyWithin(this.#redis.hget(this.#keys.consoleSessions, hashOf(token)));
    const session = text === null ? undefined : (JSON.parse(text) as ConsoleSession);
    const now = this.#clock.now();
    // Begun by a clock that was ahead, it would last as much longer.
    const isOpen = session !== undefined && session.untilMs > now && canHaveBeen(session.sinceMs, now);
    return isOpen ? session : undefined;
  }

  async leave(token: string): Promise<void> {
    await replyWithin(this.#redis.hdel(this.#keys.consoleSessions, hashOf(token)));
  }

  async revoke(who?: string): Promise<number> {
    const { consoleLinks: links, consoleSessions: sessions } = this.#keys;
    const args = { all: who === undefined ? 1 : 0, who: who ?? '' };
    return Number(await REVOKE.run(this.#redis, { keys: { links, sessions }, args }));
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
