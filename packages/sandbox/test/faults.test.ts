import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../../test/stand/patience.ts';
import { FaultPlan, installFaults } from '../src/faults.ts';

let app: FastifyInstance;
let plan: FaultPlan;
let url: string;
let performed: string[];

beforeEach(async () => {
  performed = [];
  let turn = 0;
  plan = new FaultPlan(() => (turn++ % 2 === 0 ? 0.1 : 0.9));
  app = Fastify({ forceCloseConnections: true });
  installFaults(app, plan);
  app.all('/*', async (request) => {
    performed.push(`${request.method} ${request.url}`);
    return { ok: true };
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

/** Time stands still but for `advance`; whatever is on its way by then has arrived when that resolves. */
function holdTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await fetch(`${url}/meanwhile`);
  };
}

const struck = async () => {
  while (plan.hits() === 0) await new Promise((resolve) => setImmediate(resolve));
};

test('without a rule every call is performed', async () => {
  expect((await fetch(`${url}/a`)).status).toBe(200);
  expect(performed).toEqual(['GET /a']);
  expect(plan.hits()).toBe(0);
});

test('a status fault answers instead of performing, with its body, type and headers', async () => {
  plan.add({ fault: { kind: 'status', status: 503, body: '{"a":1}', headers: { 'retry-after': '7' } } });
  const answer = await fetch(`${url}/a`, { method: 'POST', body: 'x' });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('7');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await answer.json()).toEqual({ a: 1 });
  expect(performed).toEqual([]);
});

test('a status fault without a body answers HTML, as a front end in distress does', async () => {
  plan.add({ fault: { kind: 'status', status: 502 } });
  const answer = await fetch(`${url}/a`);
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
  expect(await answer.text()).toContain('Error 502');
});

test('a reset ends the socket and performs nothing', async () => {
  plan.add({ times: 1, fault: { kind: 'reset' } });
  await expect(fetch(`${url}/a`)).rejects.toThrow();
  expect(performed).toEqual([]);
  expect((await fetch(`${url}/a`)).status).toBe(200);
});

test('a hang answers nothing for its time, then ends the socket, and performs nothing', async () => {
  plan.add({ times: 1, fault: { kind: 'hang', ms: 80 } });
  const advance = holdTime();
  let isOver = false;
  const call = fetch(`${url}/a`).finally(() => {
    isOver = true;
  });
  await struck();
  await advance(79);
  expect(isOver).toBe(false);
  vi.advanceTimersByTime(1);
  await expect(call).rejects.toThrow();
  expect(performed).toEqual(['GET /meanwhile']);
});

test('a hanging call ends when the server closes', async () => {
  plan.add({ fault: { kind: 'hang', ms: 60_000 } });
  const call = fetch(`${url}/a`).then(
    () => 'answered',
    () => 'ended',
  );
  while (plan.hits() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await app.close();
  expect(await call).toBe('ended');
});

test('a delay performs late', async () => {
  plan.add({ times: 1, fault: { kind: 'delay', ms: 80 } });
  const advance = holdTime();
  const call = fetch(`${url}/a`);
  await struck();
  await advance(79);
  vi.advanceTimersByTime(1);
  expect((await call).status).toBe(200);
  expect(performed).toEqual(['GET /meanwhile', 'GET /a']);
});

test('a held call is performed when its test says so', async () => {
  let letGo: () => void = () => {};
  const until = new Promise<void>((done) => {
    letGo = done;
  });
  plan.add({ times: 1, fault: { kind: 'hold', until } });
  const held = fetch(`${url}/a`);
  await vi.waitFor(() => expect(plan.hits()).toBe(1), { timeout: PATIENCE_MS });
  expect((await fetch(`${url}/b`)).status).toBe(200);
  expect(performed).toEqual(['GET /b']);
  letGo();
  expect((await held).status).toBe(200);
  expect(performed).toEqual(['GET /b', 'GET /a']);
});

test('commit-then-reset performs and loses the answer', async () => {
  plan.add({ fault: { kind: 'commit-then-reset' } });
  await expect(fetch(`${url}/a`, { method: 'POST' })).rejects.toThrow();
  expect(performed).toEqual(['POST /a']);
});

test('commit-then-status performs and answers something else', async () => {
  plan.add({ fault: { kind: 'commit-then-status', status: 504 } });
  const answer = await fetch(`${url}/a`, { method: 'POST' });
  expect(answer.status).toBe(504);
  expect(await answer.text()).not.toContain('ok');
  expect(performed).toEqual(['POST /a']);
});

test('method and path choose the calls, the path as decoded', async () => {
  plan.add({ method: 'post', path: /^\/a@b$/, fault: { kind: 'status', status: 500 } });
  expect((await fetch(`${url}/a%40b`)).status).toBe(200);
  expect((await fetch(`${url}/other`, { method: 'POST' })).status).toBe(200);
  expect((await fetch(`${url}/a%40b`, { method: 'POST' })).status).toBe(500);
});

test('skip lets the first matches pass and times ends the rule', async () => {
  plan.add({ skip: 1, times: 2, fault: { kind: 'status', status: 500 } });
  const statuses: number[] = [];
  for (let i = 0; i < 5; i += 1) statuses.push((await fetch(`${url}/a`)).status);
  expect(statuses).toEqual([200, 500, 500, 200, 200]);
  expect(plan.hits()).toBe(2);
});

test('a share catches that part of the calls', async () => {
  plan.add({ share: 0.5, fault: { kind: 'status', status: 500 } });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) statuses.push((await fetch(`${url}/a`)).status);
  expect(statuses).toEqual([500, 200, 500, 200]);
});

test('a removed rule and a cleared plan catch nothing', async () => {
  const remove = plan.add({ path: /a/, fault: { kind: 'status', status: 500 } });
  plan.add({ path: /b/, fault: { kind: 'status', status: 501 } });
  remove();
  expect((await fetch(`${url}/a`)).status).toBe(200);
  expect((await fetch(`${url}/b`)).status).toBe(501);
  plan.clear();
  expect((await fetch(`${url}/b`)).status).toBe(200);
});

test('control paths are never touched', async () => {
  plan.add({ fault: { kind: 'reset' } });
  expect((await fetch(`${url}/_sandbox/stats`)).status).toBe(200);
});

test('unknown paths are caught too', async () => {
  const bare = Fastify({ forceCloseConnections: true });
  const rules = new FaultPlan();
  installFaults(bare, rules);
  rules.add({ fault: { kind: 'status', status: 418 } });
  const address = await bare.listen({ host: '127.0.0.1', port: 0 });
  expect((await fetch(`${address}/nowhere`)).status).toBe(418);
  await bare.close();
});
