// Goes through every key of the installation. It removes what is stored about one person, and nothing about anyone else.
import { CLASSES } from '../../domain/class-slot.ts';
import { parseKey } from '../../domain/entity.ts';
import type { ErasureOrder } from '../../domain/erasure.ts';
import type { MirrorLinks } from '../../domain/link.ts';
import { isAbout, matchesIn, namesIds, type PersonTerms, withoutPerson } from '../../domain/person.ts';
import type { Act } from '../../domain/role.ts';
import { CHANGE_FIELD } from '../core/change-field.ts';
import type { KeySpace } from '../core/key-space.ts';
import { scanKeys } from '../core/scan-keys.ts';
import { NamedScript, replyWithin, Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { linkField } from '../work/work-store.ts';

interface Parts {
  readonly redis: RedisClient;
  readonly keys: KeySpace;
}

/** Members per read of a list, set, hash or stream. */
const MEMBERS_PER_READ = 500;

/** Skipped: the erasure's own keys, and keys that hold no object, only ids of calendars, budgets, processes, accounts and staff. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  ...['forgotten', 'forgetting', 'receipts', 'lease', 'leases-of', 'processes', 'probe', 'writable'],
  ...['coverage', 'holes', 'channels', 'problems', 'rate', 'pause', 'quotas', 'outbox-version', 'alerts'],
  ...['feed-links', 'google-consents', 'google-consent-link', 'console-links', 'console-sessions'],
]);
/** These hold what people wrote, not only ids. */
const TEXTS: ReadonlySet<string> = new Set(['quarantine', 'intent', 'history', 'deliveries']);
/** An audit entry stays: what was done, when and by whom. */
const AUDIT = 'console-acts';
/** Field of the memory: the replay that a member of staff started, with the act that is noted again at its end. */
const RUN = 'replay-run';

/** Like `CHANGE_FIELD`, for links. It also fences off a handler that claimed the object earlier and would write the old links back. */
const CHANGE_LINKS = new NamedScript(
  { keys: ['object'], args: ['field', 'was', 'next'] },
  `
if redis.call('HGET', object, field) ~= was then return 0 end
if next == '' then redis.call('HDEL', object, field) else redis.call('HSET', object, field, next) end
redis.call('HINCRBY', object, 'f', 1)
return 1
`,
);

/** Fences off a handler of a class, which may have listed its people before one of them was erased. */
const FENCE_OFF = new Script(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'f', 1) end
return 1
`);

/** Finds an entry by its text, because lists grow and are cut at their ends. */
const CHANGE_ENTRY = new NamedScript(
  { keys: ['list'], args: ['was', 'next'] },
  `
local at = redis.call('LPOS', list, was)
if not at then return 0 end
redis.call('LSET', list, at, next)
return 1
`,
);

/** Returns how many entries went, by family. A second run changes nothing more. */
export async function eraseKeys(
  parts: Parts,
  order: ErasureOrder,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for await (const names of scanKeys(parts.redis, parts.keys.everything)) {
    for (const key of names) {
      const name = key.slice(parts.keys.everything.length);
      const family = name.split(':')[0] ?? name;
      if (LEFT_ALONE.has(family)) continue;
      const gone = await eraseIn(parts, { key, name, family }, order);
      if (gone > 0) counts[family] = (counts[family] ?? 0) + gone;
    }
  }
  return counts;
}

interface Place {
  readonly key: string;
  readonly name: string;
  readonly family: string;
}

async function eraseIn(parts: Parts, place: Place, { terms, keys }: ErasureOrder): Promise<number> {
  const { redis } = parts;
  const { key, name, family } = place;
  if (family === 'object') {
    if (keys.includes(name.slice('object:'.length))) return replyWithin(redis.del(key));
    if (parseKey(name.slice('object:'.length))?.kind === 'class') await FENCE_OFF.run(redis, [key], []);
    return eraseInOther(parts, key, terms);
  }
  const isNamed = (text: string) => namesIds(text, terms) || terms.hashes.some((hash) => text.includes(hash));
  if (isNamed(name)) return replyWithin(redis.del(key));
  const isMeant = (text: string) => isNamed(text) || (TEXTS.has(family) && isAbout(text, terms));
  const type = await replyWithin(redis.type(key));
  if (type === 'string') return eraseText(parts, place, isMeant);
  if (type === 'hash') return eraseFields(parts, place, { terms, isMeant });
  if (type === 'set') {
    return eraseMembers(
      (cursor) => redis.sscan(key, cursor, 'COUNT', MEMBERS_PER_READ),
      (member) => redis.srem(key, member),
      { isMeant, step: 1 },
    );
  }
  if (type === 'zset') {
    return eraseMembers(
      (cursor) => redis.zscan(key, cursor, 'COUNT', MEMBERS_PER_READ),
      (member) => redis.zrem(key, member),
      { isMeant, step: 2 },
    );
  }
  if (family === AUDIT) return rewriteEntries(parts, place, terms);
  if (type === 'list') return eraseEntries(parts, place, isMeant);
  return type === 'stream' ? eraseFromStream(parts, place, isMeant) : 0;
}

/**
 * Another object loses only ids: the worker would read a text that mentions the person from the platform again, with the same words. A
 * class that is being moved keeps the ids of its members until the move ends. Otherwise the missing member would be left behind.
 */
async function eraseInOther({ redis }: Parts, key: string, terms: PersonTerms): Promise<number> {
  const field = linkField(CLASSES);
  const [holder, was] = await replyWithin(redis.hmget(key, 'c', field));
  const gone = holder && namesIds(holder, terms) ? await replyWithin(redis.hdel(key, 'c')) : 0;
  if (!was || !namesIds(was, terms)) return gone;
  const { told = [], split, ...links } = JSON.parse(was) as MirrorLinks;
  const others = (ids: readonly string[]) => ids.filter((each) => !namesIds(each, terms));
  const [rest, astray] = [others(told), others(split?.ids ?? [])];
  const next = {
    ...links,
    ...(rest.length > 0 && { told: rest }),
    ...(split && astray.length > 0 && { split: { ...split, ids: astray } }),
  };
  const args = { field, was, next: Object.keys(next).length === 0 ? '' : JSON.stringify(next) };
  return gone + Number(await CHANGE_LINKS.run(redis, { keys: { object: key }, args }));
}

/** The id of an event stays taken, without the object that it was about. */
async function eraseText({ redis }: Parts, { key, family }: Place, isMeant: TextTest): Promise<number> {
  const text = (await replyWithin(redis.get(key))) ?? '';
  if (!isMeant(text)) return 0;
  if (family !== 'inbox') return replyWithin(redis.del(key));
  return (await replyWithin(redis.set(key, 'forgotten|0|0', 'KEEPTTL', 'XX'))) === 'OK' ? 1 : 0;
}

type TextTest = (text: string) => boolean;

async function eraseFields(
  { redis }: Parts,
  { key, family }: Place,
  { terms, isMeant }: { readonly terms: PersonTerms; readonly isMeant: TextTest },
): Promise<number> {
  // The queue removes its own jobs.
  if (family === 'bull') return 0;
  // Skips a field that was changed meanwhile: the next round looks at it again.
  const change = async (field: string, was: string, next: string) =>
    Number(await CHANGE_FIELD.run(redis, { keys: { hash: key }, args: { field, was, next } }));
  let gone = 0;
  let cursor = '0';
  do {
    const [next, flat] = await replyWithin(redis.hscan(key, cursor, 'COUNT', MEMBERS_PER_READ));
    cursor = next;
    for (let at = 0; at + 1 < flat.length; at += 2) {
      const [field = '', value = ''] = [flat[at], flat[at + 1]];
      if (family === 'memory' && field === RUN) {
        const rest = withoutThemInRun(value, terms);
        if (rest !== value) gone += await change(field, value, rest);
        continue;
      }
      if (!isMeant(field) && !isMeant(value)) continue;
      // Everything begun for one origin belongs together.
      if (family === 'intent') return replyWithin(redis.del(key));
      if (isMeant(field)) gone += await replyWithin(redis.hdel(key, field));
      else gone += await change(field, value, withoutThem(value, isMeant));
    }
  } while (cursor !== '0');
  return gone;
}

/** Removes the matching items of a list, which is JSON or lines. The result is empty when nothing else is in the list. */
function withoutThem(value: string, isMeant: TextTest): string {
  if (!value.startsWith('['))
    return value
      .split('\n')
      .filter((line) => !isMeant(line))
      .join('\n');
  const rest = (JSON.parse(value) as unknown[]).filter((each) => !isMeant(JSON.stringify(each)));
  return rest.length === 0 ? '' : JSON.stringify(rest);
}

function withoutThemInRun(value: string, terms: PersonTerms): string {
  const run = JSON.parse(value) as { readonly act: unknown };
  const act = withoutThemIn(run.act, terms);
  return act === run.act ? value : JSON.stringify({ ...run, act });
}

async function eraseMembers(
  page: (cursor: string) => Promise<[string, string[]]>,
  remove: (member: string) => Promise<number>,
  { isMeant, step }: { readonly isMeant: TextTest; readonly step: 1 | 2 },
): Promise<number> {
  let gone = 0;
  let cursor = '0';
  do {
    const [next, found] = await replyWithin(page(cursor));
    cursor = next;
    for (let at = 0; at < found.length; at += step) {
      const member = found[at] ?? '';
      if (isMeant(member)) gone += await replyWithin(remove(member));
    }
  } while (cursor !== '0');
  return gone;
}

async function eraseEntries({ redis }: Parts, { key }: Place, isMeant: TextTest): Promise<number> {
  const meant = new Set<string>();
  for (let from = 0; ; from += MEMBERS_PER_READ) {
    const part = await replyWithin(redis.lrange(key, from, from + MEMBERS_PER_READ - 1));
    for (const entry of part) if (isMeant(entry)) meant.add(entry);
    if (part.length < MEMBERS_PER_READ) break;
  }
  let gone = 0;
  for (const entry of meant) gone += await replyWithin(redis.lrem(key, 0, entry));
  return gone;
}

/** An entry that names the person keeps everything else. */
async function rewriteEntries({ redis }: Parts, { key }: Place, terms: PersonTerms): Promise<number> {
  let changed = 0;
  for (let from = 0; ; from += MEMBERS_PER_READ) {
    const part = await replyWithin(redis.lrange(key, from, from + MEMBERS_PER_READ - 1));
    for (const was of part) {
      const act: unknown = JSON.parse(was);
      const rest = withoutThemIn(act, terms);
      if (rest === act) continue;
      const args = { was, next: JSON.stringify(rest) };
      changed += Number(await CHANGE_ENTRY.run(redis, { keys: { list: key }, args }));
    }
    if (part.length < MEMBERS_PER_READ) return changed;
  }
}

/**
 * Removes the person from what staff wrote, and from what it was about. The name of the staff member stays, even if a customer has the same
 * name.
 */
function withoutThemIn(act: unknown, terms: PersonTerms): unknown {
  const { why, about } = act as Pick<Act, 'why' | 'about'>;
  if (matchesIn(JSON.stringify([why, about]), terms).length === 0) return act;
  const next = JSON.stringify({ why, about }, (_, value) =>
    typeof value === 'string' ? withoutPerson(value, terms) : value,
  );
  return next === JSON.stringify({ why, about }) ? act : { ...(act as Act), ...JSON.parse(next) };
}

async function eraseFromStream({ redis }: Parts, { key }: Place, isMeant: TextTest): Promise<number> {
  let gone = 0;
  for (let from = '-'; ; ) {
    const part = await replyWithin(redis.xrange(key, from, '+', 'COUNT', MEMBERS_PER_READ));
    const meant = part.filter(([, fields]) => isMeant(fields.join(' '))).map(([id]) => id);
    if (meant.length > 0) gone += await replyWithin(redis.xdel(key, ...meant));
    const last = part.at(-1)?.[0];
    if (part.length < MEMBERS_PER_READ || last === undefined) return gone;
    from = `(${last}`;
  }
}
