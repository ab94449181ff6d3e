import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { describeInBrowser, launch, useBrowser, visitTo } from './browser.ts';

const start = '<!doctype html><html lang=en><meta charset=utf-8><title>Page</title><main><h1>Page</h1>';
const pages: Record<string, string> = {
  '/good': `${start}<p>Text`,
  '/faint': `${start}<p style="color:#ddd">Text`,
  '/foreign': `${start}<img alt="" src="http://elsewhere.example/pixel.png">`,
  '/loud': `${start}<script>console.error('broken in here')</script>`,
  '/thrown': `${start}<script>throw new Error('thrown in here')</script>`,
};

let server: Server;
let origin = '';

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    response.writeHead(pages[url] === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(pages[url] ?? `${start}Missing`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Each browser asks for it by itself, and a missing one is an error in its console.
  pages['/favicon.ico'] = '';
});

afterAll(() => new Promise((done) => server.close(done)));

describeInBrowser('the browser of the tests', () => {
  const browser = useBrowser();

  it('finds nothing serious on a good page', async () => {
    const page = await browser.open(`${origin}/good`, { isPhone: true, colours: 'dark' });
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('finds text that is hard to read', async () => {
    const page = await browser.open(`${origin}/faint`);
    expect(await seriousFaults(page)).toEqual([expect.stringContaining('color-contrast')]);
  });

  it('complains about requests to other hosts, errors in the console, and what is missing', async () => {
    const own = await launch();
    const told: string[] = [];
    for (const path of ['/foreign', '/loud', '/thrown', '/missing']) {
      const url = `${origin}${path}`;
      const { page, complaints } = await visitTo(own, { url, options: {} });
      await page.goto(url, { waitUntil: 'networkidle' });
      told.push(...complaints.map((complaint) => `${path}: ${complaint}`));
    }
    await own.close();
    expect(told).toEqual([
      '/foreign: a request to another host: http://elsewhere.example/pixel.png',
      expect.stringMatching(/^\/foreign: in its console: Failed to load resource/),
      '/loud: in its console: broken in here',
      '/thrown: in its console: thrown in here',
      expect.stringMatching(/^\/missing: in its console: Failed to load resource.* 404/),
    ]);
  });

  it('hears no complaint about an error that the test expects', async () => {
    await browser.open(`${origin}/loud`, { expected: [/^broken in here$/] });
  });

  it.runIf(process.platform === 'linux')('ends with a process that is killed', async () => {
    const mark = mkdtempSync(join(tmpdir(), 'killed-'));
    const script = fileURLToPath(new URL('left-alone.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script], {
      env: { ...process.env, TMPDIR: mark },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((done) => child.stdout.once('data', done));
    expect(bearing(mark).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    while (bearing(mark).length > 0) await sleep(50);
    rmSync(mark, { recursive: true, force: true });
  });
});

/** Processes of this machine with `mark` in their environment or arguments. */
function bearing(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    return ['environ', 'cmdline'].some((file) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(mark);
      } catch {
        // It has ended meanwhile.
        return false;
      }
    });
  });
}
