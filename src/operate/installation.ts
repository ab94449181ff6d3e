import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../mapping/config.ts';

const ID_CHARS = 16;

/**
 * Identifies an installation: the same for its workers and commands, another for any other. The address of a shared Redis does not count,
 * because a container and its host reach it under different names.
 */
export function installationOf({
  platform: { apiKey },
  redis: { url, dataDir, prefix },
}: {
  readonly platform: Pick<Config['platform'], 'apiKey'>;
  readonly redis: Config['redis'];
}): string {
  const place = url === undefined ? resolve(dataDir) : '';
  return createHash('sha256')
    .update(JSON.stringify([apiKey, prefix, place]))
    .digest('hex')
    .slice(0, ID_CHARS);
}
