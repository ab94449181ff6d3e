// How long an object stands: for as long as it has a turn to come, waits somewhere, or something of it stands in a mirror. What nothing
// holds is forgotten five weeks later. Fragments for scripts.

/** As long as the ids of its events are remembered: whatever the feed or the journal may still bring finds the order that is known. */
export const UNHELD_TTL_S = 35 * 24 * 3600;

/** For scripts: the object has another turn. Answers with its new revision. */
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

/** For scripts: a row of the object waits in an outbox, or was refused, under the mirror whose links are in that field. */
export const AWAITED = `
local function awaited_field(link_field) return 'o:' .. string.sub(link_field, 3) end
`;

/**
 * For scripts: starts the time after which an object is forgotten that nothing holds. Its missing links then mean what they mean after
 * Redis was lost: a tab is asked before anything is written. A row that was taken away holds nothing; one that people deleted does.
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
