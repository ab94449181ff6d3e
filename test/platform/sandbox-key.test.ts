import { afterEach, describe, expect, test } from 'vitest';
import type { DeferredError } from '../../src/engine/errors.ts';
import { LocalPause } from '../../src/platform/http-rate.ts';
import { SandboxStands } from './sandbox-stand.ts';
import { failureOf } from './stand.ts';

const stands = new SandboxStands();
afterEach(() => stands.close());

describe('the key', () => {
  test('that was revoked stops the client', async () => {
    const { client, sandbox } = await stands.start();
    const key = sandbox.createKey();
    const { contacts, state } = client(key);
    await contacts.list();
    sandbox.revokeKey(key);
    expect(await failureOf(contacts.list())).toMatchObject({
      family: 'deferred',
      code: 'platform-unauthenticated',
    });
    const before = sandbox.stats().requests;
    await failureOf(contacts.list());
    expect(sandbox.stats().requests).toBe(before);
    expect(state()).toMatchObject({ state: 'refused', code: 'platform-unauthenticated' });
  });

  test('of a company without the add-on waits, and works again by itself', async () => {
    const { client, dashboard, clock } = await stands.start();
    const { contacts, state } = client();
    dashboard.switchAddOn(false);
    expect(await failureOf(contacts.list())).toMatchObject({
      code: 'platform-addon-required',
      retryAfterMs: 60_000,
    });
    dashboard.switchAddOn(true);
    clock.advance(60_000);
    expect(await contacts.list()).toEqual({ data: [], hasMore: false });
    expect(state()).toEqual({ state: 'ok' });
  });

  test('without a scope stops only what needs it', async () => {
    const { client, sandbox } = await stands.start();
    const { reader, state } = client(sandbox.createKey({ scopes: ['appointments:read'] }));
    const error = await failureOf(reader.page('contact', { limit: 1 }));
    expect(error).toMatchObject({ family: 'deferred', code: 'platform-forbidden' });
    expect(error.advice).toContain('contacts:read');
    expect(await reader.page('appointment', { limit: 1 })).toEqual({ data: [], hasMore: false });
    expect(state()).toMatchObject({ state: 'refused', scopes: ['contacts:read'] });
  });
});

describe('faults of the platform', () => {
  test.each([
    ['a 500', { kind: 'status', status: 500 }, 'platform-unavailable'],
    ['a 503', { kind: 'status', status: 503 }, 'platform-unavailable'],
    [
      'an HTML 502',
      { kind: 'status', status: 502, body: '<html>', contentType: 'text/html' },
      'platform-unavailable',
    ],
    [
      'an HTML 404',
      { kind: 'status', status: 404, body: '<html>', contentType: 'text/html' },
      'platform-bad-answer',
    ],
    ['a reset', { kind: 'reset' }, 'platform-unreachable'],
    ['a hang', { kind: 'hang', ms: 5_000 }, 'platform-timeout'],
  ] as const)('%s is retryable', async (_name, fault, code) => {
    const { client, sandbox, dashboard, projectId } = await stands.start();
    const id = dashboard.createContact({ projectId, name: 'Ivan' });
    // Only the hang is to be cut off, and the reading after it is not.
    const { reader } = client(undefined, { timeoutMs: fault.kind === 'hang' ? 1_000 : 10_000 });
    sandbox.faults.add({ times: 1, fault });
    expect(await failureOf(reader.get({ kind: 'contact', id }))).toMatchObject({ family: 'retryable', code });
    expect(await reader.get({ kind: 'contact', id })).toMatchObject({ id });
  });
});

test('240 calls of two processes under 60 a minute meet at most one 429', async () => {
  const { client, sandbox, clock } = await stands.start({ rateLimitPerMinute: 60 });
  const pause = new LocalPause(clock);
  const key = sandbox.createKey();
  const clients = [client(key, { pause }), client(key, { pause })];
  const startedMs = clock.now();
  for (let done = 0; done < 240; ) {
    const ends = await Promise.allSettled(clients.map((one) => one.contacts.list()));
    done += ends.filter((end) => end.status === 'fulfilled').length;
    const waits = ends.flatMap((end) =>
      end.status === 'rejected' ? [(end.reason as DeferredError).retryAfterMs] : [],
    );
    clock.advance(waits.length > 0 ? Math.min(...waits) : 100);
  }
  expect(sandbox.stats().rateLimited).toBeLessThanOrEqual(1);
  expect(clock.now() - startedMs).toBeLessThanOrEqual(5 * 60_000);
});
