import { WORKER_DEFAULTS } from '../stand/defaults.ts';
import { read } from './tree.ts';

/** The longest that a worker takes to stop, with a private Redis. */
export const STOP_MS =
  WORKER_DEFAULTS.shutdownMs +
  constant('src/engine/supervisor.ts', 'RELEASE_MS') +
  constant('src/worker/core.ts', 'STORE_RELEASE_MS');

function constant(path: string, name: string): number {
  return Number(new RegExp(`^const ${name} = ([\\d_]+);$`, 'm').exec(read(path))?.[1]?.replaceAll('_', ''));
}
