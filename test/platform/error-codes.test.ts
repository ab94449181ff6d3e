import { afterEach, describe, expect, test } from 'vitest';
import type { PlatformClient } from '../../src/platform/client.ts';
import { clientFor, failureOf, problem, Stands } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

const create = (client: PlatformClient) =>
  client.appointments.create({
    body: { service_id: 's', starts_at: '2026-03-03T10:00:00Z', notify_customer: false },
    idempotencyKey: 'k',
  });

async function refusedWith(status: number, code: string, more: object = {}) {
  const { url } = await stands.answering(() => problem(status, code, more));
  return failureOf(create(clientFor(url)));
}

describe('codes that stand for good keep their name and are terminal', () => {
  const codes: [number, string][] = [
    [400, 'bad-request'],
    [400, 'idempotency-key-required'],
    [400, 'idempotency-key-invalid'],
    [404, 'not-found'],
    [405, 'http'],
    [409, 'conflict'],
    [409, 'idempotency-conflict'],
    [409, 'webhook-endpoint-limit'],
    [409, 'webhook-test-in-progress'],
    [409, 'callback-not-configured'],
    [409, 'slot-unavailable'],
    [409, 'outside-working-hours'],
    [409, 'no-resources'],
    [409, 'appointment-not-reschedulable'],
    [409, 'appointment-not-cancellable'],
    [409, 'service-inactive'],
    [409, 'conversation-closed'],
    [409, 'conversation-archived'],
    [409, 'channel-not-supported'],
    [409, 'channel-disconnected'],
    [422, 'validation'],
    [422, 'invalid-duration'],
    [422, 'too-many-guests'],
    [422, 'starts-at-in-past'],
    [422, 'service-not-found'],
    [422, 'branch-not-found'],
    [422, 'branch-id-required'],
    [422, 'resource-not-eligible'],
    [422, 'contact-not-found'],
    [418, 'a-code-of-next-year'],
  ];
  test.each(codes)('%i %s', async (status, code) => {
    const error = await refusedWith(status, code);
    expect(error).toMatchObject({ family: 'terminal', code, status, target: 'platform', requestId: 'req_h' });
  });
});

describe('codes that pass by themselves are retryable', () => {
  test.each([
    [500, 'internal', 'platform-unavailable'],
    [503, 'unavailable', 'platform-unavailable'],
    [599, 'a-code-of-next-year', 'platform-unavailable'],
    [409, 'idempotency-in-progress', 'idempotency-in-progress'],
  ])('%i %s', async (status, code, ours) => {
    expect(await refusedWith(status, code)).toMatchObject({
      family: 'retryable',
      code: ours,
      status,
      requestId: 'req_h',
    });
  });
});

describe('codes about everybody are deferred and advise the operator', () => {
  test.each([
    [401, 'unauthenticated', { ours: 'platform-unauthenticated', advice: 'platform.api_key' }],
    [402, 'api-addon-required', { ours: 'platform-addon-required', advice: 'Public API' }],
    [403, 'forbidden', { ours: 'platform-forbidden', advice: 'appointments:write' }],
  ])('%i %s', async (status, code, { ours, advice }) => {
    const error = await refusedWith(status, code);
    expect(error).toMatchObject({ family: 'deferred', code: ours, status, retryAfterMs: 60_000 });
    expect(error.advice).toContain(advice);
  });

  test('429 rate-limited waits as long as Retry-After says', async () => {
    const { url } = await stands.answering(() => ({
      ...problem(429, 'rate-limited'),
      headers: { 'retry-after': '17' },
    }));
    const error = await failureOf(create(clientFor(url)));
    expect(error).toMatchObject({ family: 'deferred', code: 'platform-rate-limited', retryAfterMs: 17_000 });
  });
});

test('a 403 that may be about the project is terminal and names operation and scope', async () => {
  const { url } = await stands.answering(() => problem(403, 'forbidden'));
  const error = await failureOf(clientFor(url).contacts.list({ filters: { project_id: 'x' } }));
  expect(error).toMatchObject({ family: 'terminal', code: 'forbidden', status: 403 });
  expect(error.message).toContain('contacts.list');
  expect(error.advice).toContain('contacts:read');
});

test('the code may also stand with underscores in `code` alone', async () => {
  const { url } = await stands.answering(() => ({
    status: 409,
    body: { title: 'x', code: 'slot_unavailable' },
  }));
  expect(await failureOf(create(clientFor(url)))).toMatchObject({
    family: 'terminal',
    code: 'slot-unavailable',
  });
});

test('the request id comes from the header, else from the body', async () => {
  const { url } = await stands.answering(() => ({ ...problem(422, 'validation'), headers: {} }));
  expect((await failureOf(create(clientFor(url)))).requestId).toBe('req_b');
});

test('of a 422 only the field names that were sent are repeated, never a value or a text of the platform', async () => {
  const error = await refusedWith(422, 'validation', {
    detail: 'Ivan +79990001122',
    errors: { starts_at: ['Ivan is no time'], 'ivan@example.org': ['x'] },
  });
  expect(error.message).toContain('starts_at');
  expect(`${error.message}${error.advice ?? ''}${String(error.cause)}`).not.toMatch(/ivan|7999/i);
});

test('a request id that is none is not repeated', async () => {
  const { url } = await stands.answering(() => ({
    ...problem(422, 'validation', { request_id: 'Ivan Petrov <ivan@example.org>' }),
    headers: {},
  }));
  expect((await failureOf(create(clientFor(url)))).requestId).toBeUndefined();
});
