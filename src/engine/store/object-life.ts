// How long Redis keeps an object: while it has a turn to come, waits somewhere, or has something in a mirror. An object that nothing holds
// expires after five weeks. These are fragments for scripts.

/**
 * How long Redis keeps an object that nothing holds: as long as the ids of its events. Late events from the feed or the journal then still
 * meet the known order.
 */
export const UNHELD_TTL_S = 35 * 24 * 3600;

/** For scripts: marks the object dirty. Returns its new revision. */
export const MARK_DIRTY = `
local function mark_dirty(object, dirty, since, key, now)
  -- First of all writes: a full Redis refuses it. After one that needs no memory it would let the whole script pass.
  local desired = redis.call('HINCRBY', object, 'd', 1)
  redis.call('PERSIST', object)
  redis.call('ZADD', dirty, now, key)
  redis.call('ZADD', since, 'NX', now, key)
  return desired
end
`;

/**
 * For scripts: the field that says that a row of the object waits in an outbox, or was refused. It belongs to the mirror of `link_field`.
 */
export const AWAITED = `
local function awaited_field(link_field) return 'o:' .. string.sub(link_field, 3) end
`;

/**
 * For scripts: starts the expiry of an object that nothing holds. Once it has expired, its missing links mean the same as after a loss of
 * Redis: the worker reads a tab before it writes. A row that the worker removed holds nothing; one that people deleted does.
 */
export const LET_GO = `
local function holds_something(text)
  local links = cjson.decode(text)
  local sheet = links.sheet
  if links.booking or #(links.calendars or {}) > 0 or #(links.slots or {}) > 0 then return true end
  return sheet ~= nil and (sheet.hash ~= 'cleared' or sheet.bound ~= nil or sheet.former ~= nil)
end
local function let_go(object, key, dirty, later, dead)
  if redis.call('ZSCORE', dirty, key) or redis.call('ZSCORE', later, key) then return end
  if redis.call('HEXISTS', dead, key) == 1 then return end
  for _, field in ipairs(redis.call('HKEYS', object)) do
    local beginning = string.sub(field, 1, 2)
    if beginning == 'o:' or beginning == 'g:' or beginning == 'r:' then return end
    if beginning == 'l:' and holds_something(redis.call('HGET', object, field)) then return end
  end
  redis.call('EXPIRE', object, ${UNHELD_TTL_S})
end
`;
