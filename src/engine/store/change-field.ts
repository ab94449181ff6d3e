import { NamedScript } from './script.ts';

/** Compare and set. An empty `next` deletes the field. Returns 0 if the field no longer has the value `was`. */
export const CHANGE_FIELD = new NamedScript(
  { keys: ['hash'], args: ['field', 'was', 'next'] },
  `
if redis.call('HGET', hash, field) ~= was then return 0 end
if next == '' then return redis.call('HDEL', hash, field) end
redis.call('HSET', hash, field, next)
return 1
`,
);
