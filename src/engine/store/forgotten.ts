import type { Snapshot } from '../domain/object.ts';

/** The fact in `:memory` that holds the salt for the names of forgotten objects. */
export const SALT_FACT = 'forget-salt';

/**
 * For scripts: when an object was forgotten, epoch ms as text; false for all others. Redis holds only salted hashes, so that its readers
 * cannot learn whom the company has forgotten. `name`: as `formatKey`.
 */
export const FORGOTTEN = `
local function forgotten_at(forgotten, memory, name)
  if name == '' or redis.call('EXISTS', forgotten) == 0 then return false end
  local salt = redis.call('HGET', memory, '${SALT_FACT}')
  return salt and redis.call('HGET', forgotten, redis.sha1hex(salt .. ' ' .. name))
end

-- What a person had when it was erased stays away; what is made for it afterwards is new. made: epoch ms, empty where nobody says.
local function is_forgotten(forgotten, memory, name, contact, made)
  local person_at = forgotten_at(forgotten, memory, contact)
  if person_at and (made == '' or tonumber(made) <= tonumber(person_at)) then return true end
  return forgotten_at(forgotten, memory, name) and true or false
end
`;

/** The contact that an object was made for, as `formatKey`, and when, in epoch ms. Each is empty if the snapshot does not say. */
export function madeFor(snapshot: Snapshot | undefined): readonly [string, string | number] {
  const contactId = snapshot?.['contact_id'];
  const madeAtMs = Date.parse(String(snapshot?.['created_at']));
  return [
    typeof contactId === 'string' ? `contact/${contactId}` : '',
    Number.isNaN(madeAtMs) ? '' : madeAtMs,
  ];
}
