import type { MirrorLinks, SheetLink } from '../domain/link.ts';
import type { PendingRow, SheetSpot } from '../domain/sheet-row.ts';
import type { RowMoves } from '../ports/rows.ts';
import { LETTERS } from './letter-index.ts';
import { AWAITED, MARK_DIRTY } from './object-life.ts';
import type { RewriteParts } from './rewrite.ts';
import { NamedScript } from './script.ts';
import { linkField } from './work-store.ts';

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

/** The steps of a move between two tabs of a mirror, each in one script. Their order makes a kill harmless. */
export class RedisRowMoves implements RowMoves {
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

/** The field of a waiting row in its spreadsheet's outbox. */
export function rowField(row: Pick<PendingRow, 'mirror' | 'key'>): string {
  return `${row.mirror} ${row.key}`;
}
