import type { MirrorLinks, SheetLink } from '../../domain/link.ts';
import type { PendingRow, SheetSpot } from '../../domain/sheet-row.ts';
import type { RowMoves } from '../../ports/rows.ts';
import { AWAITED, MARK_DIRTY } from '../core/object-life.ts';
import { Script } from '../core/script.ts';
import { linkField } from '../work/work-store.ts';
import type { RewriteParts } from './rewrite.ts';

/** For scripts: takes a waiting row out of the outbox. The object may have another turn, which takes the next step of a move. */
export const TAKE = `${MARK_DIRTY}${AWAITED}
local function take(outbox, waiting, object, row)
  local known = redis.call('HGET', outbox, row.field)
  if not known then return false end
  if cjson.decode(known).version == tonumber(row.version) then
    redis.call('HDEL', outbox, row.field)
    redis.call('HDEL', object, awaited_field(row.link_field))
  end
  if redis.call('HLEN', outbox) == 0 then redis.call('ZREM', waiting, row.spreadsheet) end
  return true
end
`;

/** The row was seen in its new tab. From now on the old tab is not asked for it any more. */
const ARRIVE = new Script(`${TAKE}
local outbox, waiting, object, dirty, since, dead, rows, former_rows = unpack(KEYS)
local spreadsheet, field, version, link_field, link, key, hash, now = unpack(ARGV)
if not take(outbox, waiting, object, { field = field, version = version, link_field = link_field, spreadsheet = spreadsheet }) then return 0 end
redis.call('HSET', object, link_field, link)
if hash == 'cleared' then redis.call('HDEL', rows, key) else redis.call('HSET', rows, key, hash) end
redis.call('HDEL', former_rows, key)
redis.call('HDEL', dead, field)
mark_dirty(object, dirty, since, key, now)
return 1
`);

/** The old tab lacks the row. */
const DEPART = new Script(`${TAKE}
local outbox, waiting, object, dirty, since, dead, rows = unpack(KEYS)
local spreadsheet, field, version, link_field, tab, key, now = unpack(ARGV)
if not take(outbox, waiting, object, { field = field, version = version, link_field = link_field, spreadsheet = spreadsheet }) then return 0 end
local text = redis.call('HGET', object, link_field)
local links = text and cjson.decode(text)
local former = links and links.sheet and links.sheet.former
local bound = links and links.sheet and links.sheet.bound
local function is_here(spot) return spot and spot.spreadsheetId == spreadsheet and spot.tab == tab end
if is_here(former) then links.sheet.former = nil end
if is_here(bound) then links.sheet.bound = nil end
if is_here(former) or is_here(bound) then redis.call('HSET', object, link_field, cjson.encode(links)) end
redis.call('HDEL', rows, key)
redis.call('HDEL', dead, field)
mark_dirty(object, dirty, since, key, now)
return 1
`);

/** People have written beside the row, so it stays in its tab. Its copy in the other tab is emptied, whatever stands beside that. */
const STAY = new Script(`${TAKE}
local outbox, waiting, object, dirty, since, rows, other_rows = unpack(KEYS)
local waits_in, field, version, link_field, at, elsewhere, until_ms, key, now = unpack(ARGV)
if not take(outbox, waiting, object, { field = field, version = version, link_field = link_field, spreadsheet = waits_in }) then return 0 end
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
`);

/** The steps of a move between two tabs of a mirror, each in one script. Their order makes a kill harmless. */
export class RedisRowMoves implements RowMoves {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    this.#parts = parts;
  }

  /** `link`: what the object's link is from now on, its former place left aside. */
  async arrive(row: PendingRow, link: SheetLink): Promise<void> {
    const { movesFrom: former } = row;
    if (former === undefined) return;
    const { keys } = this.#parts;
    const links: MirrorLinks = { sheet: { ...link, former } };
    await this.#run(ARRIVE, row, {
      keys: [keys.dead, keys.rows(row), keys.rows({ ...former, mirror: row.mirror })],
      args: (field) => [
        ...[row.spreadsheetId, field, String(row.version), linkField(row.mirror)],
        ...[JSON.stringify(links), row.key, row.hash],
      ],
    });
  }

  async depart(row: PendingRow): Promise<void> {
    const { keys } = this.#parts;
    await this.#run(DEPART, row, {
      keys: [keys.dead, keys.rows(row)],
      args: (field) => [
        ...[row.spreadsheetId, field, String(row.version), linkField(row.mirror)],
        ...[row.tab, row.key],
      ],
    });
  }

  async stay(
    row: PendingRow,
    { at, elsewhere, untilMs }: { at: SheetSpot; elsewhere: SheetSpot; untilMs: number },
  ): Promise<void> {
    const { keys } = this.#parts;
    const { mirror } = row;
    await this.#run(STAY, row, {
      keys: [keys.rows({ ...at, mirror }), keys.rows({ ...elsewhere, mirror })],
      args: (field) => [
        ...[row.spreadsheetId, field, String(row.version), linkField(mirror)],
        ...[JSON.stringify(at), JSON.stringify(elsewhere), String(untilMs), row.key],
      ],
    });
  }

  async #run(
    script: Script,
    row: PendingRow,
    about: { keys: readonly string[]; args: (field: string) => readonly string[] },
  ): Promise<void> {
    const { redis, keys, clock, dirtied } = this.#parts;
    const shared = [
      ...[keys.outbox(row.spreadsheetId), keys.sheetsWaiting],
      ...[keys.object(row.key), keys.dirty, keys.dirtySince],
    ];
    await script.run(redis, [...shared, ...about.keys], [...about.args(rowField(row)), clock.now()]);
    dirtied?.([row.key]);
  }
}

/** The field of a waiting row in its spreadsheet's outbox. */
export function rowField(row: Pick<PendingRow, 'mirror' | 'key'>): string {
  return `${row.mirror} ${row.key}`;
}
