import { formatKey } from '../../engine/domain/object.ts';
import type { RowEdit, RowNote } from '../../engine/domain/row-edit.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { RowEditStore } from '../../engine/ports/rows.ts';
import { MARK_DIRTY } from '../../engine/store/object-life.ts';
import type { RewriteParts } from '../../engine/store/rewrite.ts';
import { Script } from '../../engine/store/script.ts';
import { FENCE, rowEditField, rowEditText, rowNoteField } from '../../engine/store/work-store.ts';

/** One step, so that no crash leaves a change that no handler looks at. */
const NOTE = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now = ARGV[1], ARGV[2]
local state = redis.call('HMGET', object, 'd', 'y')
if not state[1] then return end
mark_dirty(object, dirty, since, key, now)
if state[1] == state[2] then redis.call('HSET', object, 'e', now) end
for i = 3, #ARGV, 2 do
  -- The same change, seen again, keeps its state: a second look makes it neither more nor less certain. A start's text has no seconds.
  local known = redis.call('HGET', object, ARGV[i])
  local was, is = known and cjson.decode(known), cjson.decode(ARGV[i + 1])
  local is_same = was and was.text == is.text and was.startsAt == is.startsAt and was.as == is.as and was.isNumber == is.isNumber
  if not is_same then redis.call('HSET', object, ARGV[i], ARGV[i + 1]) end
end
`);

const WITHDRAW = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now, field, as = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local known = redis.call('HGET', object, field)
if not known or cjson.decode(known).as ~= as then return end
local state = redis.call('HMGET', object, 'd', 'y')
mark_dirty(object, dirty, since, key, now)
if state[1] == state[2] then redis.call('HSET', object, 'e', now) end
redis.call('HDEL', object, field)
`);

const KEEP = new Script(`${FENCE}
local object = KEYS[1]
if fence_of(object) ~= ARGV[1] then return 0 end
redis.call('HSET', object, ARGV[2], ARGV[3])
-- Only the very changes that the claim carried: a newer one of the same cell has not been looked at.
for i = 4, #ARGV, 2 do
  if redis.call('HGET', object, ARGV[i]) == ARGV[i + 1] then redis.call('HDEL', object, ARGV[i]) end
end
return 1
`);

/** People's changes in Redis, as fields of their object, so that a claim includes them. */
export class RedisRowEdits implements RowEditStore {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    this.#parts = parts;
  }

  async note(key: string, edits: readonly RowEdit[]): Promise<void> {
    if (edits.length === 0) return;
    const { redis, keys, clock } = this.#parts;
    const fields = edits.flatMap((edit) => [rowEditField(edit), rowEditText(edit)]);
    await NOTE.run(redis, [keys.object(key), keys.dirty, keys.dirtySince], [key, clock.now(), ...fields]);
    this.#parts.dirtied?.([key]);
  }

  async withdraw(key: string, cell: Pick<RowEdit, 'mirror' | 'header' | 'as'>): Promise<void> {
    const { redis, keys, clock } = this.#parts;
    const args = [key, clock.now(), rowEditField(cell), cell.as];
    await WITHDRAW.run(redis, [keys.object(key), keys.dirty, keys.dirtySince], args);
    this.#parts.dirtied?.([key]);
  }

  async keep(
    claim: Claim,
    mirror: string,
    { note, answered }: { readonly note: RowNote; readonly answered: readonly RowEdit[] },
  ): Promise<boolean> {
    const { redis, keys } = this.#parts;
    const fields = answered.flatMap((edit) => [rowEditField(edit), rowEditText(edit)]);
    const args = [claim.fence, rowNoteField(mirror), JSON.stringify(note), ...fields];
    return (await KEEP.run(redis, [keys.object(formatKey(claim.key))], args)) === 1;
  }
}
