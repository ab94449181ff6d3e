/** The fact in `:memory` with which the names of forgotten objects are hashed. */
export const SALT_FACT = 'forget-salt';

/**
 * For scripts: when an object was forgotten, epoch ms as text; false for all others. Only salted hashes are kept, so that nobody who reads
 * Redis learns whom the company has forgotten. `name`: as `formatKey`.
 */
export const FORGOTTEN = `
local function forgotten_at(forgotten, memory, name)
  if name == '' or redis.call('EXISTS', forgotten) == 0 then return false end
  local salt = redis.call('HGET', memory, '${SALT_FACT}')
  return salt and redis.call('HGET', forgotten, redis.sha1hex(salt .. ' ' .. name))
end
`;
