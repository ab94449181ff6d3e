// The whole demo, small: a real worker process, a real Redis, real HTTP.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findCalendarServers } from '../../../../scripts/setup/calendar-servers.mjs';
import { type DemoOptions, runDemo } from '../../demo/demo.ts';

const program = [process.execPath, fileURLToPath(new URL('../../../../dist/main.js', import.meta.url))];
const DEMO_WITHIN_MS = 150_000;

class Listener {
  text = '';
  write(text: string): void {
    this.text += text;
  }
}

function start(options: Partial<DemoOptions> = {}) {
  const out = new Listener();
  const err = new Listener();
  const before = new Set(folders());
  const done = runDemo({ json: true, keep: false, seed: 5, changes: 150, out, err, program, ...options });
  return { out, err, done, left: () => folders().filter((name) => !before.has(name)) };
}

function folders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('slotbridge-demo-'));
}

/** Processes that still run with this folder in their command line. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandOf(pid).includes(folder));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Rejects when the demo ends before that. */
async function until(condition: () => boolean, done: Promise<unknown>): Promise<void> {
  let end: unknown;
  done.then(
    (code) => {
      end = `exit code ${code}`;
    },
    (error: unknown) => {
      end = error;
    },
  );
  while (!condition()) {
    if (end !== undefined) throw end;
    await sleep(20);
  }
}

describe('the demo', () => {
  it('ends with 0 and one JSON object as its last line, when every calendar and sheet is right', {
    timeout: DEMO_WITHIN_MS,
  }, async () => {
    const demo = start();
    expect(await demo.done, demo.err.text).toBe(0);
    const lines = demo.out.text.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const report = JSON.parse(lines[0] ?? '');
    expect(report).toMatchObject({
      kills: 1,
      missing: 0,
      doubled: 0,
      stale: 0,
      mails_sent: 0,
      people_fields_changed: 0,
      dead_letters: 0,
    });
    expect(report.changes).toBeGreaterThanOrEqual(150);
    expect(report.webhooks_lost).toBeGreaterThan(0);
    expect(report.webhooks_doubled).toBeGreaterThan(0);
    expect(report.recovered_from_feed).toBeGreaterThan(0);
    expect(report.events_found).toBe(report.events_expected);
    expect(report.rows_found).toBe(report.rows_expected);
    expect(report.rows_expected).toBeGreaterThan(800);
    expect(report.lag_ms_p50).toBeGreaterThan(0);
    if (findCalendarServers().radicale) {
      expect(demo.err.text).toContain(' (CalDAV) ');
      expect(report).toMatchObject({ caldav_server: expect.stringMatching(/^radicale \d/) });
      expect(report.caldav_acts).toBeGreaterThan(0);
      expect(report.caldav_requests).toBeGreaterThan(0);
    }
    expect(demo.left()).toEqual([]);
  });

  it('leaves no process and no file behind when it is interrupted', { timeout: DEMO_WITHIN_MS }, async () => {
    const interrupt = new AbortController();
    const demo = start({ signal: interrupt.signal });
    await until(() => demo.err.text.includes('the worker is ready'), demo.done);
    const [folder = 'none'] = demo.left();
    const expected = findCalendarServers().radicale ? 3 : 2;
    expect(processesOf(folder).length).toBeGreaterThanOrEqual(expected);
    interrupt.abort();
    expect(await demo.done).toBe(130);
    expect(demo.left()).toEqual([]);
    expect(processesOf(folder)).toEqual([]);
  });

  it('is left running with --keep, and prints both addresses and a link that signs in', {
    timeout: DEMO_WITHIN_MS,
  }, async () => {
    const interrupt = new AbortController();
    const demo = start({ keep: true, changes: 20, signal: interrupt.signal });
    await until(() => demo.err.text.includes('Ctrl-C ends it all'), demo.done);
    const told = (pattern: RegExp) => pattern.exec(demo.err.text)?.[1] ?? '';
    const page = await fetch(told(/in a browser: (\S+)/));
    expect(page.status).toBe(200);
    const { origin, hash } = new URL(told(/within ten minutes: (\S+)/));
    expect(`${origin}/console`).toBe(told(/console: +(\S+)/));
    const signIn = async () =>
      fetch(`${origin}/console/sign-in`, {
        ...{ method: 'POST', redirect: 'manual', headers: { origin } },
        body: new URLSearchParams({ code: hash.slice(1) }),
      });
    expect((await signIn()).status).toBe(303);
    expect((await signIn()).status).toBe(403);
    const { stdout } = await promisify(execFile)(told(/another link: (\S+)/), ['status']);
    expect(stdout).toContain('all mirrored');
    interrupt.abort();
    expect(await demo.done).toBe(0);
    expect(demo.left()).toEqual([]);
  });

  it('says why when the worker does not start, and leaves nothing behind', {
    timeout: DEMO_WITHIN_MS,
  }, async () => {
    const demo = start({
      program: [process.execPath, '-e', 'console.log("no such thing"); process.exit(3)', '--'],
    });
    await expect(demo.done).rejects.toMatchObject({
      code: 'worker-ended',
      advice: expect.stringContaining('no such thing'),
    });
    expect(demo.left()).toEqual([]);
  });
});
