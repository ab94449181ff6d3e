import { Script } from './script.ts';

/**
 * Sets fields of a hash for the holder of a lease. `token` is the highest lease token that ever wrote: a lower one belongs to a
 * holder that was overtaken. ARGV: the token, then fields and values; an empty value takes the field away.
 */
export const FENCED_SET = new Script(`
local token = tonumber(ARGV[1])
if tonumber(redis.call('HGET', KEYS[1], 'token') or '0') > token then return 0 end
redis.call('HSET', KEYS[1], 'token', token)
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i]) else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 1
`);
