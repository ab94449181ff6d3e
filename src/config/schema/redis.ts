import type { z } from 'zod';
import { complaint } from '../complaint.ts';
import type { RedisConfig } from '../config.ts';
import { redisAddress } from '../kinds/redis-address.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';

export const redisSection = section({
  url: redisAddress()
    .optional()
    .describe(
      'redis://, rediss://, redis+sentinel://host:port,host:port/master?db=0 or redis+cluster://host:port,host:port. Empty: the worker runs a private Redis in data_dir.',
    ),
  prefix: text({
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    wrong: complaint(
      'holds other characters than letters, digits, - and _',
      'write a short name such as slotbridge',
    ),
  })
    .prefault('slotbridge')
    .describe(
      'Beginning of every key, so that several workers can share one Redis. Letters, digits, - and _.',
    ),
  data_dir: text()
    .prefault('./data')
    .describe('Folder of the private Redis, relative to the working directory.'),
});

export function toRedis(written: z.output<typeof redisSection>): RedisConfig {
  return {
    ...(written.url === undefined ? {} : { url: written.url }),
    prefix: written.prefix,
    dataDir: written.data_dir,
  };
}
