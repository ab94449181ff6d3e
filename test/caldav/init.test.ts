import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { SILENT_LOG } from '../stand/store.ts';
import { shapeOf, transcriptsOf, wordsOf } from '../stand/transcript.ts';
import { startWorld, type World } from '../stand/world.ts';
import { describeOn } from './servers/describe.ts';
import { handsOf, icalendar, makeCalendar } from './stand.ts';

const PAGE = fileURLToPath(new URL('../../docs/caldav.md', import.meta.url));

describeOn('radicale', (start) => {
  let server: CalendarServer;
  let world: World;
  let dir: string;
  beforeAll(async () => {
    [server, world] = await Promise.all([start(), startWorld()]);
    dir = mkdtempSync(join(tmpdir(), 'slotbridge-caldav-init-'));
  }, 60_000);
  afterAll(async () => {
    await world.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('init against a server that a person filled by hand ends in a working mirror', async () => {
    const [anna] = server.accounts;
    const hands = handsOf(anna);
    const work = await makeCalendar(anna, 'anna-petrova');
    await makeCalendar(anna, 'boris-ivanov');
    const tasks = await makeCalendar(anna, 'tasks');
    await hands.name(work, 'Anna Petrova');
    await hands.put(
      `${work}lunch.ics`,
      icalendar('lunch', ['DTSTART:20261201T110000Z', 'DTEND:20261201T120000Z', 'SUMMARY:Lunch']),
    );
    const env = {
      PATH: process.env['PATH'] ?? '',
      PLATFORM_API_KEY: world.apiKey,
      OFFICE_CALDAV_PASSWORD: anna.password,
    };
    const [written] = transcriptsOf(readFileSync(PAGE, 'utf8'));
    const here = [
      ['https://anna@cloud.clinic.example/', server.url.replace('//', `//${anna.user}@`)],
      ['https://cloud.clinic.example/', server.url],
      ['https://platform.example/v1', world.platform.url],
    ] as const;
    const command = here.reduce((text, [page, url]) => text.replace(page, url), written?.command ?? '');
    const before = process.cwd();
    process.chdir(dir);
    const outcome = await runHere(wordsOf(command).slice(1), { env }).finally(() => process.chdir(before));
    const printed = here.reduce((text, [page, url]) => text.replaceAll(url, page), outcome.stdout);
    expect(withGaps(shapeOf(printed), shapeOf(written?.output ?? ''))).toBe(shapeOf(written?.output ?? ''));
    expect(outcome.stdout).not.toContain('Google');
    expect(outcome.stdout).not.toContain(tasks);
    expect(outcome.stdout).not.toContain(anna.password);
    const text = readFileSync(join(dir, 'config/slotbridge.yaml'), 'utf8');
    expect(text).not.toContain(anna.password);
    expect(text).not.toContain('google:');
    const config = loadConfig(
      { text, path: 'slotbridge.yaml' },
      { ...env, REDIS_URL: world.redis.url },
      { checkTemplate, compileCondition },
    );
    const worker = await startWorker({
      config: { ...config, http: { ...config.http, port: 0 } },
      ...{ version: 'test', clock: { now: Date.now }, log: SILENT_LOG },
    });
    try {
      world.book();
      await vi.waitFor(async () => expect(await hands.names(work)).toHaveLength(2), {
        timeout: PATIENCE_MS,
        interval: 200,
      });
      expect(await hands.get(`${work}lunch.ics`)).toContain('SUMMARY:Lunch');
    } finally {
      await worker.stop();
    }
  }, 120_000);
});

/** What was printed, with `…` for the lines that the page leaves out. */
function withGaps(printed: string, page: string): string {
  const shown = page.split('\n');
  const lines = printed.split('\n').map((line) => (shown.includes(line) ? line : '…'));
  return lines.filter((line, at) => line !== '…' || lines[at - 1] !== '…').join('\n');
}
