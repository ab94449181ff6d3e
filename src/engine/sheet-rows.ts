import { rowField } from './key-space.ts';
import { LETTERS } from './letter-index.ts';
import type { MirrorLinks, SheetLink } from './link.ts';
import { inParts, parseKey, readSnapshot } from './object.ts';
import { NamedScript, RedisStore, replyWithin, Script, scanned } from './redis-script.ts';
import { type RewriteParts, rewriteObjects, scanObjects } from './rewrite.ts';
import type { ShownCells } from './row-edit.ts';
import type { PendingRow, SheetPlace, SheetSpot } from './sheet-row.ts';
import type { DeadLetter } from './work.ts';
import { AWAITED, linkField, MARK_DIRTY } from './work-store.ts';

/** The field that says that the index was filled once, with rows confirmed before it existed. */
export const FILLED = '#';
const SCAN_COUNT = 1_000;
const LEAVE_AT_ONCE = 250;
const AMONG_AT_ONCE = 1_000;

const LEAVE = new Script(`
local object, rows = KEYS[1], KEYS[2]
local key, field, hash = ARGV[1], ARGV[2], ARGV[3]
local link = redis.call('HGET', object, field)
if not link then return end
local decoded = cjson.decode(link)
if not decoded.sheet or decoded.sheet.hash ~= hash then return end
decoded.sheet.hash = 'left'
redis.call('HSET', object, field, cjson.encode(decoded))
redis.call('HSET', rows, key, 'left')
`);

/**
 * The rows known to be in tabs, what the cells that people may change last showed, and the rows in which people book, as answered. An index
 * beside the links, one hash per tab. The confirmation of a row maintains it.
 */
export class SheetRows {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    this.#parts = parts;
  }

  /** Object key (`formatKey`) to the hash of the row as last confirmed; `left` for a row that people removed for good. */
  async known(place: SheetPlace): Promise<ReadonlyMap<string, string>> {
    const index = this.#parts.keys.rows(place);
    if ((await replyWithin(this.#parts.redis.hget(index, FILLED))) === null) await this.#fill(place, index);
    const rows = new Map<string, string>();
    for await (const flat of scanned((at) => this.#parts.redis.hscan(index, at, 'COUNT', SCAN_COUNT)))
      for (let at = 0; at + 1 < flat.length; at += 2) rows.set(String(flat[at]), String(flat[at + 1]));
    rows.delete(FILLED);
    return rows;
  }

  /** Object key to its cells; rows whose cells are unknown are omitted. `among`: for these only. */
  async shown(place: SheetPlace, among?: ReadonlySet<string>): Promise<ReadonlyMap<string, ShownCells>> {
    const { redis, keys } = this.#parts;
    const all = [...(among ?? (await this.known(place)).keys())];
    const shown = new Map<string, ShownCells>();
    for (const some of inParts(all, AMONG_AT_ONCE)) {
      const fields = [linkField(place.mirror), 's'];
      const found = await Promise.all(
        some.map((key) =>
          replyWithin(redis.hmget(keys.object(key), ...fields.slice(0, isAppointment(key) ? 2 : 1))),
        ),
      );
      for (const [i, key] of some.entries()) {
        const [link, snapshot] = found[i] ?? [];
        const sheet = sheetIn(link);
        const isHere = sheet?.spreadsheetId === place.spreadsheetId && sheet.tab === place.tab;
        if (isHere && sheet.shown !== undefined)
          shown.set(key, { ...sheet.shown, ...resourcesIn(key, snapshot) });
      }
    }
    return shown;
  }

  /** Like `known`, for these keys only: its cost does not grow with past rows. */
  async among(place: SheetPlace, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const index = this.#parts.keys.rows(place);
    const rows = new Map<string, string>();
    for (const some of inParts(keys, AMONG_AT_ONCE)) {
      const hashes = await replyWithin(this.#parts.redis.hmget(index, ...some));
      for (const [i, key] of some.entries()) if (typeof hashes[i] === 'string') rows.set(key, hashes[i]);
    }
    return rows;
  }

  /** These rows are no longer needed. */
  async forget(place: SheetPlace, keys: readonly string[]): Promise<void> {
    const index = this.#parts.keys.rows(place);
    for (const some of inParts(keys, AMONG_AT_ONCE))
      await replyWithin(this.#parts.redis.hdel(index, ...some));
  }

  /** People changed or deleted these rows: writes them again from the newest known state. */
  async restore(keys: readonly string[], mirror: string): Promise<void> {
    await rewriteObjects(this.#parts, keys, { mirror, kind: 'restored' });
  }

  /** People deleted these rows, and they stay away. Skips a row that was written since the check (another hash). */
  async leave(rows: ReadonlyMap<string, string>, place: SheetPlace): Promise<void> {
    const { redis, keys } = this.#parts;
    for (const some of inParts([...rows], LEAVE_AT_ONCE))
      await Promise.all(
        some.map(([key, hash]) =>
          LEAVE.run(redis, [keys.object(key), keys.rows(place)], [key, linkField(place.mirror), hash]),
        ),
      );
  }

  /** Does not overwrite the newer entry of a confirmation in between. */
  async #fill({ mirror, spreadsheetId, tab }: SheetPlace, index: string): Promise<void> {
    const { redis, keys } = this.#parts;
    await scanObjects(this.#parts, '', async (found) => {
      const links = await Promise.all(
        found.map((key) => replyWithin(redis.hget(keys.object(key), linkField(mirror)))),
      );
      for (const [i, key] of found.entries()) {
        const sheet = sheetIn(links[i]);
        const isHere = sheet?.spreadsheetId === spreadsheetId && sheet.tab === tab;
        if (sheet === undefined || !isHere || sheet.hash === 'cleared') continue;
        await replyWithin(redis.hsetnx(index, key, sheet.hash));
      }
    });
    await replyWithin(redis.hset(index, FILLED, '1'));
  }
}

function isAppointment(key: string): boolean {
  return parseKey(key)?.kind === 'appointment';
}

function resourcesIn(name: string, snapshot: string | null | undefined): Pick<ShownCells, 'resources'> {
  const key = parseKey(name);
  const known = key && typeof snapshot === 'string' ? readSnapshot(key, snapshot, undefined) : undefined;
  const ids = known?.['resource_ids'];
  return Array.isArray(ids) && ids.length > 0 ? { resources: ids.map(String) } : {};
}

function sheetIn(link: string | null | undefined): MirrorLinks['sheet'] {
  return (JSON.parse(link ?? '{}') as Pick<MirrorLinks, 'sheet'>).sheet;
}

/** What `TAKE` needs; `takenOf` builds it from a row. */
export const TAKEN = {
  keys: ['outbox', 'waiting', 'object', 'dirty', 'since'],
  args: ['spreadsheet', 'field', 'version', 'link_field', 'key', 'now'],
} as const;

/** For scripts: takes a waiting row out of the outbox. It includes `mark_dirty`, for the turn that takes the next step of a move. */
export const TAKE = `${MARK_DIRTY}${AWAITED}
local function take()
  local known = redis.call('HGET', outbox, field)
  if not known then return false end
  if cjson.decode(known).version == tonumber(version) then
    redis.call('HDEL', outbox, field)
    redis.call('HDEL', object, awaited_field(link_field))
  end
  if redis.call('HLEN', outbox) == 0 then redis.call('ZREM', waiting, spreadsheet) end
  return true
end
`;

/** The row was seen in its new tab. From now on, the worker no longer expects it in the old tab. */
const ARRIVE = new NamedScript(
  { keys: [...TAKEN.keys, 'dead', 'rows', 'former_rows'], args: [...TAKEN.args, 'link', 'hash'] },
  `${TAKE}${LETTERS}
if not take() then return 0 end
redis.call('HSET', object, link_field, link)
if hash == 'cleared' then redis.call('HDEL', rows, key) else redis.call('HSET', rows, key, hash) end
redis.call('HDEL', former_rows, key)
drop_letter(dead, field)
mark_dirty(object, dirty, since, key, now)
return 1
`,
);

/** The old tab no longer has the row. */
const DEPART = new NamedScript(
  { keys: [...TAKEN.keys, 'dead', 'rows'], args: [...TAKEN.args, 'tab'] },
  `${TAKE}${LETTERS}
if not take() then return 0 end
local text = redis.call('HGET', object, link_field)
local links = text and cjson.decode(text)
local former = links and links.sheet and links.sheet.former
local bound = links and links.sheet and links.sheet.bound
local function is_here(spot) return spot and spot.spreadsheetId == spreadsheet and spot.tab == tab end
if is_here(former) then links.sheet.former = nil end
if is_here(bound) then links.sheet.bound = nil end
if is_here(former) or is_here(bound) then redis.call('HSET', object, link_field, cjson.encode(links)) end
redis.call('HDEL', rows, key)
drop_letter(dead, field)
mark_dirty(object, dirty, since, key, now)
return 1
`,
);

/** People wrote beside the row, so it stays in its tab. Its copy in the other tab is emptied, whatever is beside that copy. */
const STAY = new NamedScript(
  { keys: [...TAKEN.keys, 'rows', 'other_rows'], args: [...TAKEN.args, 'at', 'elsewhere', 'until_ms'] },
  `${TAKE}
if not take() then return 0 end
local text = redis.call('HGET', object, link_field)
local links = text and cjson.decode(text) or {}
local spot = cjson.decode(at)
local sheet = links.sheet
if not sheet or sheet.spreadsheetId ~= spot.spreadsheetId or sheet.tab ~= spot.tab then
  sheet = { spreadsheetId = spot.spreadsheetId, tab = spot.tab, hash = '' }
end
sheet.bound = nil
sheet.staysUntilMs = tonumber(until_ms)
sheet.former = cjson.decode(elsewhere)
sheet.former.forced = true
links.sheet = sheet
redis.call('HSET', object, link_field, cjson.encode(links))
redis.call('HSET', rows, key, sheet.hash)
redis.call('HDEL', other_rows, key)
mark_dirty(object, dirty, since, key, now)
return 1
`,
);

/**
 * The steps by which a row moves between two tabs of a mirror that people's own cells block, each in one script. Their order makes a kill
 * harmless.
 */
export class RowMoves {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    this.#parts = parts;
  }

  /** `link`: the new link of the object, without its former place. */
  async arrive(row: PendingRow, link: SheetLink): Promise<void> {
    const { movesFrom: former, mirror } = row;
    if (former === undefined) return;
    const { redis, keys, dirtied } = this.#parts;
    const taken = takenOf(this.#parts, row);
    const rows = { rows: keys.rows(row), former_rows: keys.rows({ ...former, mirror }) };
    const links: MirrorLinks = { sheet: { ...link, former } };
    await ARRIVE.run(redis, {
      keys: { ...taken.keys, dead: keys.dead, ...rows },
      args: { ...taken.args, link: JSON.stringify(links), hash: row.hash },
    });
    dirtied?.([row.key]);
  }

  async depart(row: PendingRow): Promise<void> {
    const { redis, keys, dirtied } = this.#parts;
    const taken = takenOf(this.#parts, row);
    await DEPART.run(redis, {
      keys: { ...taken.keys, dead: keys.dead, rows: keys.rows(row) },
      args: { ...taken.args, tab: row.tab },
    });
    dirtied?.([row.key]);
  }

  /**
   * The waiting row does not move. Until `untilMs` the object's row is the one at `at`, and its copy in the other tab is emptied. The
   * object gets a turn. Does nothing if the row no longer waits.
   */
  async stay(
    row: PendingRow,
    { at, elsewhere, untilMs }: { at: SheetSpot; elsewhere: SheetSpot; untilMs: number },
  ): Promise<void> {
    const { redis, keys, dirtied } = this.#parts;
    const { mirror } = row;
    const taken = takenOf(this.#parts, row);
    const spots = { at: JSON.stringify(at), elsewhere: JSON.stringify(elsewhere) };
    await STAY.run(redis, {
      keys: {
        ...taken.keys,
        rows: keys.rows({ ...at, mirror }),
        other_rows: keys.rows({ ...elsewhere, mirror }),
      },
      args: { ...taken.args, ...spots, until_ms: untilMs },
    });
    dirtied?.([row.key]);
  }
}

/** The keys and arguments that `TAKEN` names. */
export function takenOf({ keys, clock }: RewriteParts, row: PendingRow) {
  return {
    keys: {
      ...{ outbox: keys.outbox(row.spreadsheetId), waiting: keys.sheetsWaiting },
      ...{ object: keys.object(row.key), dirty: keys.dirty, since: keys.dirtySince },
    },
    args: {
      ...{ spreadsheet: row.spreadsheetId, field: rowField(row), version: row.version },
      ...{ link_field: linkField(row.mirror), key: row.key, now: clock.now() },
    },
  };
}

/** How long counts are kept after the last one; by then the rows were put right, or are gone. */
const FORGOTTEN_MS = 35 * 86_400_000;

/**
 * Other content restarts the count. Once the row is reported, its count has ended: -1. A look counts only if the row was confirmed since
 * the look before; `CONFIRM` then puts a plus behind the number. A row that only waited was not changed again.
 */
const COUNT_UNKEPT = new Script(`
local tries = 1
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known == 'told ' .. ARGV[2] then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return -1
end
if known then
  local times, written, hash = string.match(known, '^(%d+)(%+?) (.*)$')
  if hash == ARGV[2] then
    local counts = ARGV[4] == 'write' or written == '+'
    tries = tonumber(times) + (counts and 1 or 0)
  end
end
redis.call('HSET', KEYS[1], ARGV[1], tries .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return tries
`);

/** One step: a person who discarded the letter has read it, and must not get it again at the next look. */
const TELL_UNKEPT = new Script(`${LETTERS}
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then put_letter(KEYS[1], ARGV[1], ARGV[2]) end
local hash = string.match(redis.call('HGET', KEYS[2], ARGV[3]) or '', '^%d+%+? (.*)$')
if hash then redis.call('HSET', KEYS[2], ARGV[3], 'told ' .. hash) end
`);

/**
 * Rows whose cells do not stay as written, counted by all processes together. The confirmation of a row clears what was missed at a write.
 * An operator's retry clears both counts.
 */
export class UnkeptRows extends RedisStore {
  /** Right after the write, other cells were in the row's place. Returns how often in a row, this time included. */
  missed(row: Pick<PendingRow, 'mirror' | 'key' | 'hash'>): Promise<number> {
    return this.#count(missedField(rowField(row)), row.hash, 'write');
  }

  /**
   * Takes the result of a check of a tab. `edited` rows differ from what was confirmed (object key to the confirmed hash), `right` ones do
   * not. Returns how often in a row each edited one differed after a write. Infinity for rows that were reported, or given up when written.
   * Checks between which the row was not confirmed count as one.
   */
  async found(
    mirror: string,
    { edited, right }: { readonly edited: ReadonlyMap<string, string>; readonly right: readonly string[] },
  ): Promise<ReadonlyMap<string, number>> {
    const known = await replyWithin(this.redis.hgetall(this.keys.unkept));
    const settled = right
      .map((key) => foundField(rowField({ mirror, key })))
      .filter((field) => known[field] !== undefined);
    if (settled.length > 0) await replyWithin(this.redis.hdel(this.keys.unkept, ...settled));
    const times = new Map<string, number>();
    for (const [key, hash] of edited) {
      const name = rowField({ mirror, key });
      const isGivenUp = known[missedField(name)] !== undefined;
      const counted = isGivenUp ? -1 : await this.#count(foundField(name), hash, 'look');
      times.set(key, counted < 0 ? Number.POSITIVE_INFINITY : counted);
    }
    return times;
  }

  /** Keeps the row among the dead letters until other cells are confirmed. */
  async tell(mirror: string, letter: DeadLetter): Promise<void> {
    const name = rowField({ mirror, key: letter.key });
    await TELL_UNKEPT.run(
      this.redis,
      [this.keys.dead, this.keys.unkept],
      [name, JSON.stringify(letter), foundField(name)],
    );
  }

  async #count(field: string, hash: string, at: 'write' | 'look'): Promise<number> {
    const args = [field, hash, FORGOTTEN_MS, at];
    return Number(await COUNT_UNKEPT.run(this.redis, [this.keys.unkept], args));
  }
}

/** Counter of a row (`rowField`) that was missed when it was written. */
export function missedField(name: string): string {
  return `written ${name}`;
}

/** Counter of a row (`rowField`) that a check found changed. */
export function foundField(name: string): string {
  return `seen ${name}`;
}
