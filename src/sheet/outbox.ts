import { sheetPlace } from '../engine/ids.ts';
import { rowField } from '../engine/key-space.ts';
import { LETTERS } from '../engine/letter-index.ts';
import type { MirrorLinks, SheetLink } from '../engine/link.ts';
import { held } from '../engine/link-store.ts';
import { type EntityKind, formatKey, inParts } from '../engine/object.ts';
import type { Outbox, OutboxDepth, Put, RowsAmong } from '../engine/outbox.ts';
import { NamedScript, replyWithin, Script, TimedStore } from '../engine/redis-script.ts';
import { type RewriteParts, rewriteObjects, scanObjects } from '../engine/rewrite.ts';
import type { OutboxRow, PendingRow } from '../engine/sheet-row.ts';
import { foundField, missedField, RowMoves, TAKE, TAKEN, takenOf } from '../engine/sheet-rows.ts';
import type { Claim, DeadLetter } from '../engine/work.ts';
import { AWAITED, FENCE, LET_GO, linkField } from '../engine/work-store.ts';

/** Stores the row and its place in the waiting list in one step. The object's fence refuses a stale handler's row. */
const PUT = new NamedScript(
  {
    keys: ['object', 'outbox', 'waiting', 'versions', 'dead'],
    args: [
      ...(['fence', 'link_field', 'field', 'row', 'hash', 'tab'] as const),
      ...(['spreadsheet', 'now', 'standing', 'is_move'] as const),
    ],
    items: { keys: ['other_outbox'], args: ['other_spreadsheet'] },
  },
  (item) => `${FENCE}${AWAITED}${LETTERS}
if fence_of(object) ~= fence then return 'fenced' end
-- At most one row per object and mirror waits, in whichever of the mirror's spreadsheets.
for nth = 1, items do
  ${item}
  redis.call('HDEL', other_outbox, field)
  if redis.call('HLEN', other_outbox) == 0 then redis.call('ZREM', waiting, other_spreadsheet) end
end
local known = redis.call('HGET', outbox, field)
if known then
  local decoded = cjson.decode(known)
  local was_move = decoded.movesFrom ~= nil or decoded.leftBehind ~= nil
  -- A row that may be begun is not the same as one that is only written where it stands.
  local is_same = decoded.hash == hash and decoded.tab == tab and decoded.onlyIfThere == cjson.decode(row).onlyIfThere
  if is_same and is_move == '' and not was_move then return 'waiting' end
elseif is_move == '' then
  local link = redis.call('HGET', object, link_field)
  if link then
    local decoded = cjson.decode(link)
    local sheet = decoded.sheet
    if sheet and sheet.hash == hash and sheet.tab == tab and sheet.spreadsheetId == spreadsheet then
      if standing ~= '' and sheet.standing ~= standing then
        sheet.standing = standing
        redis.call('HSET', object, link_field, cjson.encode(decoded))
      end
      redis.call('HDEL', object, awaited_field(link_field))
      -- Another content was refused, and is not wanted any more. A row that keeps no content stays reported.
      local letter = redis.call('HGET', dead, field)
      if letter and not string.find(letter, '"code":"cells-not-kept"', 1, true) then drop_letter(dead, field) end
      return 'unchanged'
    end
  end
end
if is_move == 'to' then
  -- Before the write, as with an insert: should the object come back before its row was seen there, that place is emptied.
  local text = redis.call('HGET', object, link_field)
  local decoded = text and cjson.decode(text)
  if decoded and decoded.sheet then
    decoded.sheet.bound = { spreadsheetId = spreadsheet, tab = tab }
    redis.call('HSET', object, link_field, cjson.encode(decoded))
  end
end
-- No version is given twice, even after a wipe of Redis or of its last second. Otherwise a flush could take a newer row for the one it
-- read.
local time = redis.call('TIME')
local counted = tonumber(redis.call('GET', versions) or '0') + 1
local version = string.format('%d', math.max(counted, time[1] * 1000 + math.floor(time[2] / 1000)))
redis.call('SET', versions, version)
redis.call('HSET', outbox, field, '{"version":' .. version .. ',' .. string.sub(row, 2))
redis.call('ZADD', waiting, 'NX', now, spreadsheet)
redis.call('HSET', object, awaited_field(link_field), '1')
redis.call('PERSIST', object)
return 'queued'
`,
);

/** How long calendars and tabs are remembered after the last call that reached one. */
export const REACHED_KEPT_MS = 35 * 86_400_000;

/** A row that was replaced during its write stays, because the newer row is still to be written. */
const CONFIRM = new NamedScript(
  {
    keys: ['outbox', 'waiting', 'dead', 'unkept', 'dirty', 'later', 'memory', 'reached'],
    args: ['spreadsheet', 'now'],
    items: {
      keys: ['object', 'rows'],
      args: ['field', 'version', 'link_field', 'link', 'key', 'hash', 'written'],
    },
  },
  (item) => `${AWAITED}${LET_GO}${LETTERS}
-- A move that was begun meanwhile is not forgotten for a row that was on its way before.
local function is_moving(object, link_field, link)
  local text = redis.call('HGET', object, link_field)
  if not text or not (string.find(text, '"bound"', 1, true) or string.find(text, '"former"', 1, true)) then return false end
  local known, new = cjson.decode(text).sheet, cjson.decode(link)
  if not known then return false end
  if known.spreadsheetId == new.sheet.spreadsheetId and known.tab == new.sheet.tab then
    new.sheet.bound, new.sheet.former = known.bound, known.former
    redis.call('HSET', object, link_field, cjson.encode(new))
  end
  return true
end
-- What never stood in its row is told from what people have taken away.
local function marked(object, link_field, link)
  local text = redis.call('HGET', object, link_field)
  local known = text and cjson.decode(text).sheet
  if known and not known.unshown then return link end
  local new = cjson.decode(link)
  new.sheet.unshown = true
  return cjson.encode(new)
end
local is_news = false
for nth = 1, items do
  ${item}
  local known = redis.call('HGET', outbox, field)
  -- A row that is not there any more was confirmed by another flush, perhaps with newer cells: this one knows less.
  if known then
    is_news = true
    redis.call('HSET', reached, written, now)
    redis.call('PEXPIRE', reached, ${REACHED_KEPT_MS})
    if cjson.decode(known).version == tonumber(version) then
      redis.call('HDEL', outbox, field)
      redis.call('HDEL', object, awaited_field(link_field))
    end
    if hash == 'left' then link = marked(object, link_field, link) end
    if not is_moving(object, link_field, link) then redis.call('HSET', object, link_field, link) end
    if hash == 'cleared' then redis.call('HDEL', rows, key) else redis.call('HSET', rows, key, hash) end
    drop_letter(dead, field)
    redis.call('HDEL', unkept, 'written ' .. field)
    -- The next look that finds the row changed counts: it was written since the last one.
    local times, seen = string.match(redis.call('HGET', unkept, 'seen ' .. field) or '', '^(%d+) (.*)$')
    if hash == 'cleared' or hash == 'left' then redis.call('HDEL', unkept, 'seen ' .. field)
    elseif times then redis.call('HSET', unkept, 'seen ' .. field, times .. '+ ' .. seen) end
    redis.call('PERSIST', object)
    let_go(object, key, dirty, later, dead)
  end
end
-- For the people of the spreadsheet something has changed.
if is_news then redis.call('HSET', memory, 'rows-written ' .. spreadsheet, now) end
if redis.call('HLEN', outbox) == 0 then redis.call('ZREM', waiting, spreadsheet) end
`,
);

const CONFIRM_ROWS_PER_CALL = 250;
const SCAN_COUNT = 500;
const MATCHED_SCAN_COUNT = 5_000;

/** Waiting rows in Redis: one hash per spreadsheet, one field per mirror and object. */
export class RedisOutbox extends TimedStore implements Outbox {
  readonly #parts: RewriteParts;
  readonly #moves: RowMoves;

  constructor(parts: RewriteParts) {
    super(parts);
    this.#parts = parts;
    this.#moves = new RowMoves(parts);
  }

  async put(claim: Claim, row: OutboxRow, others: readonly string[] = []): Promise<Put> {
    const isMove = row.movesFrom === undefined ? '' : 'to';
    const outcome = await PUT.run(
      this.redis,
      {
        keys: {
          object: this.keys.object(formatKey(claim.key)),
          outbox: this.keys.outbox(row.spreadsheetId),
          waiting: this.keys.sheetsWaiting,
          versions: this.keys.outboxVersion,
          dead: this.keys.dead,
        },
        args: {
          ...{ fence: claim.fence, link_field: linkField(row.mirror), field: rowField(row) },
          ...{ row: JSON.stringify(row), hash: row.hash, tab: row.tab, spreadsheet: row.spreadsheetId },
          ...{ now: this.clock.now(), standing: row.standing ?? '' },
          is_move: row.leftBehind === undefined ? isMove : 'from',
        },
      },
      others.map((spreadsheetId) => ({
        keys: { other_outbox: this.keys.outbox(spreadsheetId) },
        args: { other_spreadsheet: spreadsheetId },
      })),
    );
    return held<Put>(outcome);
  }

  async pending(
    spreadsheetId: string,
    limit: number,
    { mirror, wants = () => true }: RowsAmong = {},
  ): Promise<readonly PendingRow[]> {
    const rows: PendingRow[] = [];
    // The name is no glob pattern of Redis.
    const pattern = mirror === undefined ? '*' : `${mirror.replaceAll(/[[\]*?\\^-]/g, '\\$&')} *`;
    // Redis leaves out other mirrors' rows itself, so a longer step still returns few.
    const count = mirror === undefined ? SCAN_COUNT : MATCHED_SCAN_COUNT;
    let cursor = '0';
    do {
      const [next, flat] = await replyWithin(
        this.redis.hscan(this.keys.outbox(spreadsheetId), cursor, 'MATCH', pattern, 'COUNT', count),
      );
      cursor = next;
      for (let at = 1; at < flat.length; at += 2) {
        const row = JSON.parse(String(flat[at])) as PendingRow;
        if (wants(row)) rows.push(row);
      }
    } while (cursor !== '0' && rows.length < limit);
    return rows.sort((a, b) => a.version - b.version).slice(0, limit);
  }

  async confirm(confirmed: readonly PendingRow[]): Promise<void> {
    const counts: string[] = [];
    const bySheet = new Map<string, PendingRow[]>();
    for (const row of confirmed) {
      if (row.leftBehind === undefined && row.movesFrom === undefined) {
        const rows = bySheet.get(row.spreadsheetId);
        if (rows === undefined) bySheet.set(row.spreadsheetId, [row]);
        else rows.push(row);
        continue;
      }
      if (row.leftBehind !== undefined) await this.#moves.depart(row);
      else await this.#moves.arrive(row, linkOf(row));
      counts.push(missedField(rowField(row)), foundField(rowField(row)));
    }
    if (counts.length > 0) await replyWithin(this.redis.hdel(this.keys.unkept, ...counts));
    for (const [spreadsheetId, rows] of bySheet)
      for (const some of inParts(rows, CONFIRM_ROWS_PER_CALL)) await this.#confirmSome(spreadsheetId, some);
  }

  async waits(row: Pick<OutboxRow, 'mirror' | 'spreadsheetId' | 'key'>): Promise<boolean> {
    const waiting = await replyWithin(this.redis.hget(this.keys.outbox(row.spreadsheetId), rowField(row)));
    if (waiting === null) return false;
    const { cells, onlyIfThere } = JSON.parse(waiting) as PendingRow;
    return cells !== undefined && onlyIfThere !== true;
  }

  async rewrite(keys: readonly string[], mirror: string): Promise<void> {
    await rewriteObjects(this.#parts, keys, { mirror, kind: 'all' });
  }

  /** Marks every known object of the kind dirty: the mapping changed, and no list of the platform brings these objects again. */
  async renderAgain(kind: EntityKind): Promise<void> {
    await scanObjects(this.#parts, `${kind}/`, (keys) =>
      rewriteObjects(this.#parts, keys, { mirror: '', kind: 'known' }),
    );
  }

  /** As `rewrite`, for every object that has its row in this tab: the whole tab is gone. */
  async rewriteAll({ mirror, ...place }: Pick<OutboxRow, 'mirror' | 'spreadsheetId' | 'tab'>): Promise<void> {
    await scanObjects(this.#parts, '', (keys) =>
      rewriteObjects(this.#parts, keys, { mirror, kind: 'linked', place }),
    );
  }

  async drop(rows: readonly PendingRow[]): Promise<void> {
    for (const row of rows) await DROP.run(this.redis, takenOf(this.#parts, row));
    this.#parts.dirtied?.(rows.map(({ key }) => key));
  }

  /**
   * Google refuses the row for its content. The row leaves the outbox and is a dead letter until the mirror confirms another row of the
   * object. The letter has the row's name, because settling the object removes the object's own letter.
   */
  async refuse(row: PendingRow, letter: DeadLetter): Promise<void> {
    await REFUSE.run(
      this.redis,
      [this.keys.outbox(row.spreadsheetId), this.keys.sheetsWaiting, this.keys.dead],
      [rowField(row), String(row.version), row.spreadsheetId, JSON.stringify(letter)],
    );
  }

  async waiting(): Promise<readonly OutboxDepth[]> {
    const spreadsheets = await replyWithin(this.redis.zrange(this.keys.sheetsWaiting, '0', '-1'));
    const depths = await Promise.all(
      spreadsheets.map(async (spreadsheetId) => ({
        spreadsheetId,
        rows: await replyWithin(this.redis.hlen(this.keys.outbox(spreadsheetId))),
      })),
    );
    return depths.filter((depth) => depth.rows > 0);
  }

  async #confirmSome(spreadsheetId: string, rows: readonly PendingRow[]): Promise<void> {
    const { sheetsWaiting: waiting, dead, unkept, dirty, later, memory, reached } = this.keys;
    await CONFIRM.run(
      this.redis,
      {
        keys: {
          ...{ outbox: this.keys.outbox(spreadsheetId), waiting, dead, unkept, dirty, later },
          ...{ memory, reached },
        },
        args: { spreadsheet: spreadsheetId, now: this.clock.now() },
      },
      rows.map((row) => ({
        keys: { object: this.keys.object(row.key), rows: this.keys.rows(row) },
        args: {
          ...{ field: rowField(row), version: row.version, link_field: linkField(row.mirror) },
          ...{ link: JSON.stringify({ sheet: linkOf(row) } satisfies MirrorLinks) },
          ...{ key: row.key, hash: row.hash, written: `write ${sheetPlace(row)}` },
        },
      })),
    );
  }
}

/** The row was put under another mapping. The object gets a turn, because nothing else brings it back if the current mapping wants it. */
const DROP = new NamedScript(
  TAKEN,
  `${TAKE}
if take() and redis.call('HEXISTS', object, 'd') == 1 then mark_dirty(object, dirty, since, key, now) end
`,
);

const REFUSE = new Script(`${LETTERS}
local outbox, waiting, dead = KEYS[1], KEYS[2], KEYS[3]
local known = redis.call('HGET', outbox, ARGV[1])
if not known or cjson.decode(known).version ~= tonumber(ARGV[2]) then return end
redis.call('HDEL', outbox, ARGV[1])
if redis.call('HLEN', outbox) == 0 then redis.call('ZREM', waiting, ARGV[3]) end
put_letter(dead, ARGV[1], ARGV[4])
`);

function linkOf(row: PendingRow): SheetLink {
  const { spreadsheetId, tab, hash, formats, standing, shown, was, answered, staysUntilMs } = row;
  const link = {
    ...{ spreadsheetId, tab, hash },
    ...(standing === undefined ? {} : { standing }),
    ...(shown === undefined ? {} : { shown: { as: String(row.version), cells: shown, ...(was && { was }) } }),
    ...(answered === undefined ? {} : { answered }),
    ...(staysUntilMs === undefined ? {} : { staysUntilMs }),
  };
  if (formats === undefined) return link;
  const patterns: Record<string, string> = {};
  for (const [header, { pattern }] of Object.entries(formats)) patterns[header] = pattern;
  return { ...link, formats: patterns };
}
