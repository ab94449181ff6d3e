// Every dead letter stands in one hash. Beside it, each cause has a sorted set of its letters by time. A cause is the codes, mirrors and
// places of a letter's reasons. The size of its set is its count, so no reader goes through the hash.

/**
 * For scripts: write and remove letters only by these, so that hash and sets never differ. The sets share the name and the slot of `dead`.
 */
export const LETTERS = `
local function cause_of(text)
  local is_read, letter = pcall(cjson.decode, text)
  local function said(value) return type(value) == 'string' and value or '' end
  local reasons = {}
  local given = is_read and type(letter) == 'table' and type(letter.reasons) == 'table' and letter.reasons or {}
  for _, reason in ipairs(given) do
    if type(reason) == 'table' then
      reasons[#reasons + 1] = cjson.encode({ said(reason.code), said(reason.mirror), said(reason.target) })
    end
  end
  local at = is_read and type(letter) == 'table' and tonumber(letter.atMs) or 0
  return '[' .. table.concat(reasons, ',') .. ']', at
end
local function list_letter(dead, name, text)
  local cause, at = cause_of(text)
  local digest = redis.sha1hex(cause)
  redis.call('HSET', dead .. '-causes', digest, cause)
  redis.call('ZADD', dead .. '-cause:' .. digest, at, name)
end
local function unlist_letter(dead, name, text)
  local digest = redis.sha1hex((cause_of(text)))
  local of_cause = dead .. '-cause:' .. digest
  redis.call('ZREM', of_cause, name)
  if redis.call('EXISTS', of_cause) == 0 then redis.call('HDEL', dead .. '-causes', digest) end
end
local function put_letter(dead, name, text)
  local known = redis.call('HGET', dead, name)
  redis.call('HSET', dead, name, text)
  if known then unlist_letter(dead, name, known) end
  list_letter(dead, name, text)
end
local function drop_letter(dead, name)
  local known = redis.call('HGET', dead, name)
  if not known then return 0 end
  unlist_letter(dead, name, known)
  return redis.call('HDEL', dead, name)
end
`;
