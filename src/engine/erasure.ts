import { createHash, randomBytes } from 'node:crypto';
import { CHANGE_FIELD } from './changes.ts';
import { CLASSES } from './class-slot.ts';
import type { KeySpace } from './key-space.ts';
import type { MirrorLinks } from './link.ts';
import { type EntityKind, inParts, madeFor, parseKey, type Snapshot } from './object.ts';
import {
  type CustomerMarks,
  isAbout,
  matchesIn,
  nameMarksOf,
  namesIds,
  type PersonTerms,
  withoutPerson,
} from './person.ts';
import type { RedisClient } from './redis-client.ts';
import { NamedScript, RedisStore, replyWithin, Script, scanKeys, scanned } from './redis-script.ts';
import { rewriteFile } from './rewrite.ts';
import type { Act } from './role.ts';
import { linkField } from './work-store.ts';

/** Whom to erase. The worker keeps the order from before the first write until the end. */
export interface ErasureOrder {
  readonly contactId: string;
  /** `formatKey` of every object that is about this person only. */
  readonly keys: readonly string[];
  readonly terms: PersonTerms;
  /** Epoch milliseconds. */
  readonly begunAtMs: number;
  /** What all runs have erased so far. */
  readonly erased: Erased;
  /** The person is to be looked for again: what was taken in between the plan and this order is not in it. */
  readonly isEarly?: true;
}

/** Counts of what was erased, by kind. `keys`: counts by family of Redis keys. */
export interface Erased {
  readonly events: number;
  /** Events rewritten to no longer show the person: people's own events, and class events that named the person. */
  readonly rewritten: number;
  readonly cells: number;
  readonly keys: Readonly<Record<string, number>>;
  /** Rows of others that may have lost cells while people moved them. The receipt lists them as left. */
  readonly moved?: readonly MovedRow[];
}

export interface MovedRow {
  readonly kind: 'row';
  readonly where: string;
  readonly name: string;
  readonly by: readonly [];
  readonly why: 'moved';
}

export const NOTHING_ERASED: Erased = { events: 0, rewritten: 0, cells: 0, keys: {} };

/** Proof that names no one: places and persons are salted hashes. */
export interface ErasureReceipt {
  readonly version: 1;
  readonly person: string;
  readonly begun: string;
  /** When the last check began that found nothing more to erase. ISO 8601. */
  readonly verified: string;
  readonly erased: Erased;
  /** What was left: it may be someone else's, belongs to another object, or cannot be written (`why`). */
  readonly left: readonly {
    readonly place: string;
    readonly kind: string;
    readonly by: readonly string[];
    readonly why?: string;
  }[];
  /** What the person was recognised by. Places that contain none of it were not found. */
  readonly recognisedBy: readonly ('id' | 'phone' | 'email' | 'name')[];
  readonly outOfReach: readonly string[];
}

export function addErased(a: Erased, b: Partial<Erased>): Erased {
  const keys: Record<string, number> = { ...a.keys };
  for (const [family, count] of Object.entries(b.keys ?? {})) keys[family] = (keys[family] ?? 0) + count;
  const moved = [...(a.moved ?? []), ...(b.moved ?? [])];
  return {
    ...(moved.length === 0 ? {} : { moved }),
    events: a.events + (b.events ?? 0),
    rewritten: a.rewritten + (b.rewritten ?? 0),
    cells: a.cells + (b.cells ?? 0),
    keys,
  };
}

/** The fact in `:memory` that holds the salt for the names of forgotten objects. */
const SALT_FACT = 'forget-salt';

/**
 * For scripts: when an object was forgotten, epoch ms as text; false for all others. Redis holds only salted hashes, so that its readers
 * cannot learn whom the company has forgotten. `name`: as `formatKey`.
 */
export const FORGOTTEN = `
local function forgotten_at(forgotten, memory, name)
  if name == '' or redis.call('EXISTS', forgotten) == 0 then return false end
  local salt = redis.call('HGET', memory, '${SALT_FACT}')
  return salt and redis.call('HGET', forgotten, redis.sha1hex(salt .. ' ' .. name))
end

-- What a person had when it was erased stays away; what is made for it afterwards is new. made: epoch ms, empty where nobody says.
local function is_forgotten(forgotten, memory, name, contact, made)
  local person_at = forgotten_at(forgotten, memory, contact)
  if person_at and (made == '' or tonumber(made) <= tonumber(person_at)) then return true end
  return forgotten_at(forgotten, memory, name) and true or false
end
`;

/**
 * Stores the order and the tombstones in one step: from then on, no late event writes what is about to be erased. A person who came back is
 * erased up to the later moment. -1: the order is no longer `was`, which is empty where there was none. ARGV from 6: names of objects.
 */
const BEGIN = new Script(`
local forgotten, forgetting, memory = KEYS[1], KEYS[2], KEYS[3]
local new_salt, person, was, order, moment = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
redis.call('HSETNX', memory, '${SALT_FACT}', new_salt)
local salt = redis.call('HGET', memory, '${SALT_FACT}')
local field = redis.sha1hex(salt .. ' ' .. person)
if (redis.call('HGET', forgetting, field) or '') ~= was then return -1 end
local added = redis.call('HSET', forgetting, field, order)
for i = 6, #ARGV do
  local name = redis.sha1hex(salt .. ' ' .. ARGV[i])
  local before = tonumber(redis.call('HGET', forgotten, name) or '0')
  if moment > before then redis.call('HSET', forgotten, name, ARGV[5]) end
end
return added
`);

/**
 * Stores the receipt and removes the order in one step, so that what identifies the person goes once the erasure is proved. 0: neither is
 * known, or the order is another one by now.
 */
const END = new Script(`
local order = redis.call('HGET', KEYS[1], ARGV[1])
if not order then return redis.call('HEXISTS', KEYS[2], ARGV[1]) end
if order ~= ARGV[3] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1
`);

/** ARGV, per object: its name, its contact, and when it was made. */
const AMONG = new Script(`${FORGOTTEN}
local told = {}
for i = 1, #ARGV, 3 do
  told[#told + 1] = is_forgotten(KEYS[1], KEYS[2], ARGV[i], ARGV[i + 1], ARGV[i + 2]) and 1 or 0
end
return told
`);
/** Objects per call, which blocks Redis for about a millisecond. */
const ASKED_AT_ONCE = 250;

const SALT_BYTES = 16;

/** Orders to erase, their proofs, and the tombstones of objects about which the worker writes nothing any more. */
export class ErasureStore extends RedisStore {
  /**
   * Call it before the first write, and again whenever more is known. From then on nothing of these objects is stored, nor of what was made
   * for the contact before this moment. True if the order already existed: it keeps what the new one lacks.
   */
  async begin(order: ErasureOrder): Promise<boolean> {
    const { forgotten, forgetting, memory } = this.keys;
    for (;;) {
      const { text: was } = await this.#stored(order.contactId);
      const next = was === '' ? order : joined(JSON.parse(was) as ErasureOrder, order);
      const added = await BEGIN.run(
        this.redis,
        [forgotten, forgetting, memory],
        [newSalt(), personOf(order.contactId), was, JSON.stringify(next), order.begunAtMs, ...order.keys],
      );
      if (added !== -1) return added === 0;
    }
  }

  /**
   * Stores what was erased so far. Resolves with the order as it is stored: another process may have begun a wider one meanwhile. Undefined
   * if none was known; then `order` is stored again.
   */
  async storeCounts(order: ErasureOrder, erased: Erased): Promise<ErasureOrder | undefined> {
    for (;;) {
      const { field, text: was } = await this.#stored(order.contactId);
      if (was === '') {
        await this.begin({ ...order, erased });
        return undefined;
      }
      const next = { ...(JSON.parse(was) as ErasureOrder), erased };
      const given = {
        keys: { hash: this.keys.forgetting },
        args: { field, was, next: JSON.stringify(next) },
      };
      if ((await CHANGE_FIELD.run(this.redis, given)) === 1) return next;
    }
  }

  /** The field of the order, and its text as it is stored; empty without an order. */
  async #stored(contactId: string): Promise<{ readonly field: string; readonly text: string }> {
    const field = await this.hashOf(personOf(contactId));
    return { field, text: (await replyWithin(this.redis.hget(this.keys.forgetting, field))) ?? '' };
  }

  /** Ids of the given objects that were erased. Default: appointments. */
  async among(
    snapshots: readonly Snapshot[],
    kind: EntityKind = 'appointment',
  ): Promise<ReadonlySet<string>> {
    const { forgotten, memory } = this.keys;
    const erased = new Set<string>();
    for (const part of inParts(snapshots, ASKED_AT_ONCE)) {
      const args = part.flatMap((each) => [`${kind}/${each.id}`, ...madeFor(each)]);
      const told = (await AMONG.run(this.redis, [forgotten, memory], args)) as readonly number[];
      for (const [at, each] of part.entries()) if (told[at] === 1) erased.add(each.id);
    }
    return erased;
  }

  /** Begun and not ended, oldest first. */
  async open(): Promise<readonly ErasureOrder[]> {
    const orders = await replyWithin(this.redis.hvals(this.keys.forgetting));
    return orders.map((text) => JSON.parse(text) as ErasureOrder).sort((a, b) => a.begunAtMs - b.begunAtMs);
  }

  /**
   * Nothing more is left to erase: the receipt replaces the order. False if the order is no longer known, or no longer this one. Redis then
   * rewrites its append-only file.
   */
  async end(order: ErasureOrder, receipt: ErasureReceipt): Promise<boolean> {
    const { forgetting, receipts } = this.keys;
    const ended = await END.run(
      this.redis,
      [forgetting, receipts],
      [await this.hashOf(personOf(order.contactId)), JSON.stringify(receipt), JSON.stringify(order)],
    );
    if (ended !== 1) return false;
    await rewriteFile(this.redis);
    return true;
  }

  async receipt(contactId: string): Promise<ErasureReceipt | undefined> {
    const text = await replyWithin(
      this.redis.hget(this.keys.receipts, await this.hashOf(personOf(contactId))),
    );
    return text === null ? undefined : (JSON.parse(text) as ErasureReceipt);
  }

  /** Salted: comparable within this installation only. */
  async hashOf(text: string): Promise<string> {
    const { memory } = this.keys;
    // Without a salt, a hash would reveal the person.
    await replyWithin(this.redis.hsetnx(memory, SALT_FACT, newSalt()));
    const salt = await replyWithin(this.redis.hget(memory, SALT_FACT));
    return createHash('sha1').update(`${salt} ${text}`).digest('hex');
  }

  /**
   * Erases what Redis holds of the person, except the order itself. Fences off every handler of a class, which may have listed the person
   * before. Returns how many entries were erased, by family of keys. `count` is told of each key when it is done.
   */
  eraseState(order: ErasureOrder, count?: CountKeys): Promise<Readonly<Record<string, number>>> {
    return eraseKeys(this.parts, order, count);
  }
}

/** Marks may be another person's by now, so only the newer order says which count. Counts only grow: the larger ones are newer. */
function joined(stored: ErasureOrder, order: ErasureOrder): ErasureOrder {
  const union = (some: readonly string[] = [], more: readonly string[] = []) => [
    ...new Set([...some, ...more]),
  ];
  const [had, has] = [stored.terms, order.terms];
  return {
    ...order,
    keys: union(stored.keys, order.keys),
    terms: {
      ...has,
      ids: union(had.ids, has.ids),
      phones: union(had.phones, has.phones),
      emails: union(had.emails, has.emails),
      names: union(had.names, has.names),
      shared: union(had.shared, has.shared),
    },
    erased: sumOf(stored.erased) > sumOf(order.erased) ? stored.erased : order.erased,
  };
}

function sumOf({ events, rewritten, cells, keys, moved = [] }: Erased): number {
  return Object.values(keys).reduce((sum, count) => sum + count, events + rewritten + cells + moved.length);
}

function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('hex');
}

function personOf(contactId: string): string {
  return `contact/${contactId}`;
}

// Goes through every key of the installation. It removes what is stored about one person, and nothing about anyone else.

interface Parts {
  readonly redis: RedisClient;
  readonly keys: KeySpace;
}

/** Members per read of a list, set or hash. */
const MEMBERS_PER_READ = 500;

/** Skipped: the erasure's own keys, and keys that hold no object, only ids of calendars, budgets, processes, accounts and staff. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  ...[
    'forgotten',
    'forgetting',
    'receipts',
    'stream-copy',
    'lease',
    'leases-of',
    'processes',
    'probe',
    'writable',
    'pace',
    'lags',
  ],
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

type CountKeys = (more: Readonly<Record<string, number>>) => Promise<void>;

/** Returns how many entries went, by family. A second run changes nothing more. */
async function eraseKeys(
  parts: Parts,
  order: ErasureOrder,
  count: CountKeys | undefined,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for await (const names of scanKeys(parts.redis, parts.keys.everything)) {
    for (const key of names) {
      const name = key.slice(parts.keys.everything.length);
      const family = name.split(':')[0] ?? name;
      if (LEFT_ALONE.has(family)) continue;
      const gone = await eraseIn(parts, { key, name, family }, order);
      if (gone === 0) continue;
      counts[family] = (counts[family] ?? 0) + gone;
      await count?.({ [family]: gone });
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
  return type === 'stream'
    ? eraseFromStream(redis, { stream: key, copy: parts.keys.streamCopy }, isMeant)
    : 0;
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
  for await (const flat of scanned((cursor) => redis.hscan(key, cursor, 'COUNT', MEMBERS_PER_READ))) {
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
      else {
        const rest = withoutThem(value, (item) => isMeant(item) && !isStrangers(item, terms));
        if (rest !== value) gone += await change(field, value, rest);
      }
    }
  }
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

/**
 * A mark of a phone has only the last digits of the number. Beside the mark of a name that is not the person's, it proves nothing. The worker
 * would forget which row of a stranger it has asked, and book that row again.
 */
function isStrangers(item: string, terms: PersonTerms): boolean {
  if (namesIds(item, terms) || !item.startsWith('{')) return false;
  const { customer } = JSON.parse(item) as { readonly customer?: CustomerMarks };
  if (customer?.name === undefined || customer.phone === undefined) return false;
  const isBySomethingElse = [customer.contactId, customer.email].some(
    (mark) => mark !== undefined && terms.hashes.includes(mark),
  );
  return !isBySomethingElse && !nameMarksOf(terms).has(customer.name);
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
  for await (const found of scanned(page))
    for (let at = 0; at < found.length; at += step) {
      const member = found[at] ?? '';
      if (isMeant(member)) gone += await replyWithin(remove(member));
    }
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

// Removes entries of a stream so that nothing of them is left. XDEL only marks an entry: its text stays in memory and in the file as long as
// a neighbour stands. So this copies the other entries, with their ids, and puts the copy in the place of the stream.

/** Entries per call, which blocks Redis for about a millisecond. */
const ENTRIES_AT_ONCE = 500;
/** Looks at what was appended meanwhile, before the rest is taken unseen. The next pass looks at it. */
const LOOKS_MAX = 50;
/** A copy that nobody finishes goes. */
const COPY_TTL_S = 3_600;

/** KEYS: stream, copy. ARGV: ids, ascending. An entry that went meanwhile is left out. */
const COPY = new Script(`
for _, id in ipairs(ARGV) do
  local entry = redis.call('XRANGE', KEYS[1], id, id)[1]
  if entry then redis.call('XADD', KEYS[2], id, unpack(entry[2])) end
end
redis.call('EXPIRE', KEYS[2], ${COPY_TTL_S})
return 1
`);

/**
 * KEYS: stream, copy. ARGV: the last id that was looked at, 1 to take the rest unseen, then the ids to remove. 0: entries were appended that
 * nobody has looked at. Fails when the copy lacks an entry, as when another process has begun anew.
 */
const SWAP = new Script(`
local stream, copy, last, is_last = KEYS[1], KEYS[2], ARGV[1], ARGV[2] == '1'
local news = redis.call('XRANGE', stream, '(' .. last, '+')
if #news > 0 and not is_last then return 0 end
for _, entry in ipairs(news) do redis.call('XADD', copy, entry[1], unpack(entry[2])) end
local left = redis.call('XLEN', stream)
for i = 3, #ARGV do
  if redis.call('XRANGE', stream, ARGV[i], ARGV[i])[1] then left = left - 1 end
end
-- What went from the stream while it was copied.
local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
if oldest then redis.call('XTRIM', copy, 'MINID', oldest[1]) end
if redis.call('XLEN', copy) > left then
  local from = '-'
  repeat
    local part = redis.call('XRANGE', copy, from, '+', 'COUNT', 100)
    for _, entry in ipairs(part) do
      if not redis.call('XRANGE', stream, entry[1], entry[1])[1] then redis.call('XDEL', copy, entry[1]) end
      from = '(' .. entry[1]
    end
  until #part == 0
end
if redis.call('XLEN', copy) ~= left then return redis.error_reply('ERR the copy of the stream is not whole') end
-- Ids go on rising: a reader asks for what comes after the last one that it has seen.
local next_id = redis.call('XADD', stream, '*', 'at', 'end')
redis.call('XADD', copy, next_id, 'at', 'end')
redis.call('XDEL', copy, next_id)
redis.call('PERSIST', copy)
redis.call('RENAME', copy, stream)
return 1
`);

/**
 * Returns how many entries went. Others may append and remove meanwhile: nothing of theirs is lost, doubled or brought back. One process at
 * a time. `copy`: a key in the same slot.
 */
export async function eraseFromStream(
  redis: RedisClient,
  { stream, copy }: { readonly stream: string; readonly copy: string },
  isMeant: (text: string) => boolean,
): Promise<number> {
  const meant = new Set<string>();
  let last = '0-0';
  const look = async (keep: (ids: readonly string[]) => Promise<unknown>): Promise<void> => {
    for (;;) {
      const part = await replyWithin(redis.xrange(stream, `(${last}`, '+', 'COUNT', ENTRIES_AT_ONCE));
      for (const [id, fields] of part) if (isMeant(fields.join(' '))) meant.add(id);
      const kept = part.map(([id]) => id).filter((id) => !meant.has(id));
      if (kept.length > 0) await keep(kept);
      last = part.at(-1)?.[0] ?? last;
      if (part.length < ENTRIES_AT_ONCE) return;
    }
  };
  await look(async () => undefined);
  if (meant.size === 0) return 0;
  last = '0-0';
  await replyWithin(redis.del(copy));
  for (let looks = 1; ; looks += 1) {
    await look((ids) => COPY.run(redis, [stream, copy], ids));
    const isLast = looks === LOOKS_MAX ? 1 : 0;
    if ((await SWAP.run(redis, [stream, copy], [last, isLast, ...meant])) === 1) return meant.size;
  }
}
