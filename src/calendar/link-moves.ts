import { RetryableError } from '../engine/errors.ts';
import { linksText, type ObjectLinks, parseLinks } from '../engine/link.ts';
import { type EntityKey, type EntityKind, parseKey } from '../engine/object.ts';
import { RedisStore, replyWithin, Script } from '../engine/redis-script.ts';
import { type RewriteParts, rewriteObjects, scanObjects } from '../engine/rewrite.ts';
import { LINK_FIELD, rowEditField, rowEditText, rowNoteField, toClaim } from '../engine/work-store.ts';
import type { LinkedObject } from './sighted.ts';

/** Attempts to move the links of one object. Links change between read and write only while handlers of an older mapping are at work. */
const TRIES_MAX = 5;

/**
 * Replaces all fields of one object in one step, so that no crash leaves an event linked twice or nowhere. ARGV: field, old text, new text.
 */
const REARRANGE = new Script(`
local object = KEYS[1]
-- It has expired since. A write would create it again, and nothing would remove it.
if redis.call('EXISTS', object) == 0 then return 0 end
for i = 1, #ARGV, 3 do
  if (redis.call('HGET', object, ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
for i = 1, #ARGV, 3 do
  if ARGV[i + 2] == '' then redis.call('HDEL', object, ARGV[i]) else redis.call('HSET', object, ARGV[i], ARGV[i + 2]) end
end
-- A handler at work has read the links as they were, and would write them back.
redis.call('HINCRBY', object, 'f', 1)
return 1
`);

/** Undefined leaves the links unchanged. */
type Decide = (kind: EntityKind, links: ObjectLinks) => ObjectLinks | undefined;

/** Moves links between mirrors, because an edit of the YAML has renamed, split or joined mirrors. */
export class LinkMoves extends RedisStore {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    super(parts);
    this.#parts = parts;
  }

  /**
   * Calls `decide` with the links of every known object. Fences off a handler at work on a changed object. `renamed`: former names with
   * the one of the mirror that has those rows now. What people typed into them, and what became of it, goes along. Returns how many objects
   * were changed. Calling it again changes nothing more.
   */
  async rearrange(decide: Decide, renamed: ReadonlyMap<string, string> = new Map()): Promise<number> {
    let changed = 0;
    await scanObjects(this.#parts, '', async (names) => {
      const done = await Promise.all(names.map((name) => this.#rearrange(name, { decide, renamed })));
      changed += done.filter((each) => each).length;
    });
    return changed;
  }

  /** Gives a turn to each known object that `needs` one. Returns how many. Calling it again gives them another one. */
  async giveTurns(needs: (object: LinkedObject) => boolean): Promise<number> {
    let given = 0;
    await scanObjects(this.#parts, '', async (names) => {
      const asked = await Promise.all(names.map((name) => this.#needsTurn(name, needs)));
      const keys = names.filter((_, at) => asked[at] === true);
      await rewriteObjects(this.#parts, keys, { mirror: '', kind: 'known' });
      given += keys.length;
    });
    return given;
  }

  async #needsTurn(name: string, needs: (object: LinkedObject) => boolean): Promise<boolean> {
    const key = parseKey(name);
    if (key === undefined) return false;
    const fields = await replyWithin(this.redis.hgetall(this.keys.object(name)));
    const { s: snapshot, t: tombstone = '0' } = fields;
    const object = { isDeleted: Number(tombstone) > 0, hasContent: snapshot !== undefined };
    return needs({ kind: key.kind, links: linksIn(fields), ...object });
  }

  /** Forgets which rows were confirmed in a tab; the next check rebuilds the index from the links. */
  async forgetRows(place: {
    readonly mirror: string;
    readonly spreadsheetId: string;
    readonly tab: string;
  }): Promise<void> {
    await replyWithin(this.redis.del(this.keys.rows(place)));
  }

  async #rearrange(
    name: string,
    { decide, renamed }: { readonly decide: Decide; readonly renamed: ReadonlyMap<string, string> },
  ): Promise<boolean> {
    const key = parseKey(name);
    if (key === undefined) return false;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const fields = await replyWithin(this.redis.hgetall(this.keys.object(name)));
      if (Object.keys(fields).length === 0) return false;
      const links = linksIn(fields);
      const texts = Object.entries(decide(key.kind, links) ?? links)
        .filter(([mirror, each]) => each !== links[mirror])
        .map(([mirror, each]) => [
          LINK_FIELD + mirror,
          Object.keys(each).length === 0 ? '' : linksText(each),
        ]);
      const rows = renamed.size === 0 ? [] : withRowsRenamed(key, fields, renamed);
      const changes = [...texts, ...rows].flatMap(([field = '', text = '']) => [
        ...[field, fields[field] ?? '', text],
      ]);
      if (changes.length === 0) return false;
      if ((await REARRANGE.run(this.redis, [this.keys.object(name)], changes)) === 1) return true;
    }
    throw new RetryableError(
      'links-contended',
      'the links of an object change faster than they can be moved',
    );
  }
}

/** The fields to write, each with its text. */
function withRowsRenamed(
  key: EntityKey,
  fields: Readonly<Record<string, string>>,
  renamed: ReadonlyMap<string, string>,
): readonly (readonly string[])[] {
  const { rowEdits = [], rowNotes = {} } = toClaim(key, fields, (calendarId) => calendarId);
  const edits = rowEdits.flatMap((edit) => {
    const mirror = renamed.get(edit.mirror);
    if (mirror === undefined) return [];
    const moved = { ...edit, mirror };
    return [[rowEditField(edit)], [rowEditField(moved), rowEditText(moved)]];
  });
  const notes = Object.entries(rowNotes).flatMap(([name, { held, ...note }]) => {
    const mirror = renamed.get(name);
    if (mirror === undefined) return [];
    const moved = { ...note, ...(held && { held: held.map((edit) => ({ ...edit, mirror })) }) };
    return [[rowNoteField(name)], [rowNoteField(mirror), JSON.stringify(moved)]];
  });
  return [...edits, ...notes];
}

function linksIn(fields: Readonly<Record<string, string>>): ObjectLinks {
  const known = Object.entries(fields).filter(([field]) => field.startsWith(LINK_FIELD));
  return Object.fromEntries(known.map(([field, text]) => [field.slice(LINK_FIELD.length), parseLinks(text)]));
}
