import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../src/operate/log.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { KeptLines } from '../doubles/kept-lines.ts';
import { type Hook, startHook } from '../stand/hook.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
let hook: Hook;
let lines: KeptLines;
let language: 'en' | 'ru';

beforeEach(async () => {
  hook = await startHook();
  lines = new KeptLines();
  language = 'en';
  world = await startWorld({
    alerts: `{ webhook: "${hook.url}", lag: 10s, raise_after: 1s, clear_after: 2s }`,
    log: createLog({ level: 'info', format: 'json', stream: lines }),
    rewrite: (yaml) => yaml.replace('worker: {', `worker: { language: ${language},`),
  });
});
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await world.close();
  await hook.close();
});

const soon = { timeout: PATIENCE_MS, interval: 100 };
const eventually = { timeout: PATIENCE_MS, interval: 200 };

function told(pattern: RegExp): number {
  return hook.texts.join('\n').match(new RegExp(pattern, 'gm'))?.length ?? 0;
}

async function gauge(url: string, alert: string): Promise<string | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new RegExp(`^slotbridge_alert\\{alert="${alert}"\\} (\\d)$`, 'm').exec(text)?.[1];
}

test('a calendar that is taken away is told once by two workers, work goes on, and its return is told once', async () => {
  const port = await world.door();
  await world.subscribe(port);
  const one = await world.startWorker(port);
  // The same YAML, at another address.
  const other = await startWorker({
    config: { ...world.config(port), http: { host: '127.0.0.1', port: 0, hosts: [] } },
    version: 'test',
    clock: { now: Date.now },
    log: createLog({ level: 'info', format: 'json', stream: lines }),
  });
  closing.push(() => other.stop());
  await world.untilIdle(one.url);
  world.google.revokeAccess(ANNA);
  world.book();
  await vi.waitFor(() => expect(told(/ALERT problem: calendar:\[email/)).toBe(1), soon);
  await vi.waitFor(async () => expect(await gauge(one.url, 'problem')).toBe('1'), soon);
  await vi.waitFor(async () => expect(await gauge(other.url, 'problem')).toBe('1'), soon);
  // What waits for it is late by now; everybody else is served.
  await vi.waitFor(() => expect(told(/ALERT lag: /)).toBe(1), soon);
  await vi.waitFor(() => expect(world.rows('Visits').length).toBe(2), soon);
  world.google.grantAccess(ANNA);
  await world.untilIdle(one.url);
  await vi.waitFor(() => expect(told(/over, after .*: problem: /)).toBe(1), soon);
  await vi.waitFor(() => expect(told(/over, after .*: lag: /)).toBe(1), soon);
  expect(told(/ALERT problem/)).toBe(1);
  // The other process may have told it: each looks for itself, once a second.
  await vi.waitFor(async () => expect(await gauge(one.url, 'problem')).toBe('0'), soon);
  expect(hook.texts.join() + lines.text).not.toContain('anna');
});

atLength.test(
  'a disabled endpoint is told, with the hole that it leaves; an all-clear comes for both',
  async () => {
    const port = await world.door();
    const id = await world.subscribe(port);
    world.platform.dashboard.disableEndpoint(id);
    const { url } = await world.startWorker(port);
    await vi.waitFor(() => expect(told(/ALERT endpoint: .*\(endpoint-disabled\)/)).toBe(1), soon);
    await vi.waitFor(() => expect(told(/ALERT hole: events may have been missed/)).toBe(1), soon);
    world.platform.dashboard.enableEndpoint(id);
    await world.untilIdle(url);
    await vi.waitFor(() => expect(told(/over, after .*: endpoint: /)).toBe(1), eventually);
    await vi.waitFor(() => expect(told(/over, after .*: hole: /)).toBeGreaterThan(0), eventually);
  },
);

atLength.test(
  'a key that the platform refuses is told even by a worker that has just been started, in the language of the YAML',
  async () => {
    language = 'ru';
    world.platform.revokeKey(world.apiKey);
    await world.startWorker();
    const refused =
      /^\[\S+ на 127\.0\.0\.1:\d+\] ВНИМАНИЕ, platform-refused: платформа: Платформа не принимает/;
    await vi.waitFor(() => expect(told(refused)).toBe(1), eventually);
    expect(lines.text).toContain('the platform');
  },
);
