import type { MirrorLinks } from '../domain/link.ts';
import type { Snapshot } from '../domain/object.ts';
import { parseKey } from '../domain/object.ts';
import type { ShownCells } from '../domain/row-edit.ts';
import type { AnsweredRows, SheetPlace, SheetRows, ShownRows } from '../ports/rows.ts';
import { type RewriteParts, rewriteObjects, scanObjects } from './rewrite.ts';
import { replyWithin, Script } from './script.ts';
import { linkField } from './work-store.ts';

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

/** An index beside the links, one hash per tab. The confirmation of a row maintains it. */
export class RedisSheetRows implements SheetRows, AnsweredRows, ShownRows {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    this.#parts = parts;
  }

  async known(place: SheetPlace): Promise<ReadonlyMap<string, string>> {
    const index = this.#parts.keys.rows(place);
    if ((await replyWithin(this.#parts.redis.hget(index, FILLED))) === null) await this.#fill(place, index);
    const rows = new Map<string, string>();
    let cursor = '0';
    do {
      const [next, flat] = await replyWithin(this.#parts.redis.hscan(index, cursor, 'COUNT', SCAN_COUNT));
      cursor = next;
      for (let at = 0; at + 1 < flat.length; at += 2) rows.set(String(flat[at]), String(flat[at + 1]));
    } while (cursor !== '0');
    rows.delete(FILLED);
    return rows;
  }

  async shown(place: SheetPlace, among?: ReadonlySet<string>): Promise<ReadonlyMap<string, ShownCells>> {
    const { redis, keys } = this.#parts;
    const all = [...(among ?? (await this.known(place)).keys())];
    const shown = new Map<string, ShownCells>();
    for (let at = 0; at < all.length; at += AMONG_AT_ONCE) {
      const some = all.slice(at, at + AMONG_AT_ONCE);
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
        if (isHere && sheet.shown !== undefined) shown.set(key, { ...sheet.shown, ...resourcesIn(snapshot) });
      }
    }
    return shown;
  }

  async among(place: SheetPlace, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const index = this.#parts.keys.rows(place);
    const rows = new Map<string, string>();
    for (let at = 0; at < keys.length; at += AMONG_AT_ONCE) {
      const some = keys.slice(at, at + AMONG_AT_ONCE);
      const hashes = await replyWithin(this.#parts.redis.hmget(index, ...some));
      for (const [i, key] of some.entries()) if (typeof hashes[i] === 'string') rows.set(key, hashes[i]);
    }
    return rows;
  }

  async forget(place: SheetPlace, keys: readonly string[]): Promise<void> {
    const index = this.#parts.keys.rows(place);
    for (let at = 0; at < keys.length; at += AMONG_AT_ONCE)
      await replyWithin(this.#parts.redis.hdel(index, ...keys.slice(at, at + AMONG_AT_ONCE)));
  }

  async restore(keys: readonly string[], mirror: string): Promise<void> {
    await rewriteObjects(this.#parts, keys, { mirror, kind: 'restored' });
  }

  async leave(rows: ReadonlyMap<string, string>, place: SheetPlace): Promise<void> {
    const { redis, keys } = this.#parts;
    const entries = [...rows];
    for (let at = 0; at < entries.length; at += LEAVE_AT_ONCE) {
      await Promise.all(
        entries
          .slice(at, at + LEAVE_AT_ONCE)
          .map(([key, hash]) =>
            LEAVE.run(redis, [keys.object(key), keys.rows(place)], [key, linkField(place.mirror), hash]),
          ),
      );
    }
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

function resourcesIn(snapshot: string | null | undefined): Pick<ShownCells, 'resources'> {
  const { resource_ids: ids } = JSON.parse(snapshot ?? '{}') as Partial<Snapshot>;
  return Array.isArray(ids) && ids.length > 0 ? { resources: ids.map(String) } : {};
}

function sheetIn(link: string | null | undefined): MirrorLinks['sheet'] {
  return (JSON.parse(link ?? '{}') as Pick<MirrorLinks, 'sheet'>).sheet;
}
