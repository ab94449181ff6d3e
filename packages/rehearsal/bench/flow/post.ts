import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stage } from '../stand/stage.ts';
import type { Posted, PostOrder } from './poster.ts';

const PROGRAM = fileURLToPath(new URL('poster.ts', import.meta.url));

export type { Posted };

/** Starts the poster. The returned function posts the bodies and resolves when all are answered. */
export function startPoster(
  stage: Stage,
  setting: Pick<PostOrder, 'secret' | 'connections'>,
): (url: string, bodies: readonly string[]) => Promise<Posted> {
  const child = fork(PROGRAM, { execArgv: ['--import', 'tsx'], env: { PATH: process.env['PATH'] } });
  const ended = once(child, 'exit');
  stage.push(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const bodiesFile = join(stage.folder, 'deliveries.ndjson');
  return async (url, bodies) => {
    writeFileSync(bodiesFile, bodies.join('\n'));
    const answered = once(child, 'message') as Promise<[Posted]>;
    child.send({ ...setting, url, bodiesFile } satisfies PostOrder);
    const posted = await Promise.race([answered, ended.then(() => undefined)]);
    if (posted === undefined) throw new Error('the poster has ended by itself');
    return posted[0];
  };
}
