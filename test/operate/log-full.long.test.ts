import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const LINES = 15_000;
const LINE_CHARS = 2_000;
/** A third of all lines; without an end, all of them would stay. */
const GROWTH_MAX = (LINES * LINE_CHARS) / 3;

test('a full disk behind the log costs no more memory, however long it lasts', async () => {
  const log = new URL('../../src/operate/log.ts', import.meta.url).href;
  const script = `
    const { createLog } = await import(${JSON.stringify(log)});
    const log = createLog({ level: 'info', format: 'json' });
    const used = () => (globalThis.gc(), process.memoryUsage().heapUsed);
    log.info({}, 'first');
    const before = used();
    for (let i = 0; i < ${LINES}; i += 1) log.info({ i, about: '${'line '.repeat(LINE_CHARS / 5)}' }, 'line');
    process.stderr.write(String(used() - before));
  `;
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', script];
  // Every write to it is answered ENOSPC (Linux, full(4)).
  const child = spawn(process.execPath, args, { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] });
  const growth = Number(await text(child.stderr as Readable));
  expect(growth).toBeGreaterThan(0);
  expect(growth).toBeLessThan(GROWTH_MAX);
}, 120_000);
