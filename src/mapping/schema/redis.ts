import type { z } from 'zod';
import { withoutUndefined } from '../../engine/object.ts';
import { explained } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';
import { redisAddress } from '../kinds/web-address.ts';
import { complaint } from '../problem.ts';

export const redisSection = section({
  url: explained(
    redisAddress().optional(),
    'Address of the Redis: redis://, rediss:// (TLS), redis+sentinel://host:port,host:port/master?db=0 or redis+cluster://host:port,host:port. Set maxmemory-policy noeviction and append-only persistence there. Empty: the worker runs a private Redis in data_dir.',
    { example: 'redis://user:password@redis.internal:6379/0' },
  ),
  prefix: explained(
    text({
      pattern: /^[A-Za-z0-9_-]{1,64}$/,
      wrong: complaint(
        'contains characters other than letters, digits, - and _',
        'write a short name such as slotbridge',
      ),
    }).prefault('slotbridge'),
    'Prefix of every Redis key: letters, digits, - and _. Installations that share a Redis need different prefixes.',
    { example: 'branch-two' },
  ),
  data_dir: explained(
    text().prefault('./data'),
    'Folder of the private Redis, relative to the working directory.',
    { example: '/var/lib/slotbridge' },
  ),
});

export function toRedis(written: z.output<typeof redisSection>) {
  return {
    ...withoutUndefined({ url: written.url }),
    prefix: written.prefix,
    dataDir: written.data_dir,
  };
}
