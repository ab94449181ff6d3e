import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../../../test/stand/patience.ts';
import { eventBody, type Rig, reason, room, startRig } from './rig.ts';

let rig: Rig;
let receiver: Server;
let address: string;
let pings: { headers: IncomingHttpHeaders; bytes: number }[];
let status: number;
beforeEach(async () => {
  rig = await startRig();
  pings = [];
  status = 200;
  receiver = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (part) => {
      bytes += part.length;
    });
    request.on('end', () => {
      pings.push({ headers: request.headers, bytes });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/ping`;
});
afterEach(async () => {
  await rig.sandbox.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const watch = (more: Record<string, unknown> = {}) =>
  rig.call('POST', `${rig.events}/watch`, {
    id: 'chan-1',
    type: 'web_hook',
    address,
    token: 'secret',
    ...more,
  });
const states = () => pings.map((ping) => ping.headers['x-goog-resource-state']);

test('a new channel gets a sync ping without a body', async () => {
  const { status: code, body } = await watch();
  expect(code).toBe(200);
  expect(body).toMatchObject({ kind: 'api#channel', id: 'chan-1', token: 'secret' });
  await vi.waitFor(() => expect(pings).toHaveLength(1), { timeout: PATIENCE_MS });
  expect(pings[0]).toMatchObject({
    bytes: 0,
    headers: {
      'x-goog-channel-id': 'chan-1',
      'x-goog-channel-token': 'secret',
      'x-goog-resource-id': body.resourceId,
      'x-goog-resource-state': 'sync',
      'x-goog-message-number': '1',
    },
  });
  expect(Date.parse(String(pings[0]?.headers['x-goog-channel-expiration']))).toBe(Number(body.expiration));
});

test('a change pings the channel of its calendar', async () => {
  await watch();
  await rig.call('POST', rig.events, eventBody());
  await vi.waitFor(() => expect(states()).toEqual(['sync', 'exists']), { timeout: PATIENCE_MS });
});

test('a channel lives a week unless another time is asked for, at most about a month', async () => {
  const days = async (more: Record<string, unknown>) =>
    Math.round((Number((await watch(more)).body.expiration) - rig.clock.now()) / 86_400_000);
  expect(await days({ id: 'a' })).toBe(7);
  expect(await days({ id: 'b', params: { ttl: '86400' } })).toBe(1);
  expect(await days({ id: 'c', params: { ttl: '99999999' } })).toBe(30);
});

test('an expired channel is silent', async () => {
  await watch({ params: { ttl: '60' } });
  await vi.waitFor(() => expect(pings).toHaveLength(1), { timeout: PATIENCE_MS });
  rig.clock.advance(61_000);
  await rig.call('POST', rig.events, eventBody());
  expect(rig.sandbox.channels()).toEqual([]);
  expect(rig.sandbox.stats().pingsSent).toBe(1);
});

test('a stopped channel is silent, and only its own resource stops it', async () => {
  const { body } = await watch();
  expect(
    (await rig.call('POST', '/calendar/v3/channels/stop', { id: 'chan-1', resourceId: 'other' })).status,
  ).toBe(404);
  expect(
    (await rig.call('POST', '/calendar/v3/channels/stop', { id: 'chan-1', resourceId: body.resourceId }))
      .status,
  ).toBe(204);
  expect(rig.sandbox.channels()).toEqual([]);
});

test('a channel id cannot be used twice', async () => {
  await watch();
  const reply = await watch();
  expect([reply.status, reason(reply).reason]).toEqual([400, 'channelIdNotUnique']);
});

test('an address must be https, loopback aside', async () => {
  const reply = await watch({ address: 'http://worker.example/ping' });
  expect([reply.status, reason(reply).reason]).toEqual([400, 'push.webhookUrlNotHttps']);
  rig.sandbox.switches.httpsOnly = true;
  expect((await watch()).status).toBe(400);
});

test('an id over 64 or a token over 256 characters is refused', async () => {
  expect((await watch({ id: 'x'.repeat(65) })).status).toBe(400);
  expect((await watch({ token: 'x'.repeat(257) })).status).toBe(400);
  expect((await watch({ type: 'email' })).status).toBe(400);
});

test('pings can be lost and doubled', async () => {
  await watch();
  rig.sandbox.pings.doubleShare = 1;
  await rig.call('POST', rig.events, eventBody());
  await vi.waitFor(() => expect(states()).toEqual(['sync', 'exists', 'exists']), { timeout: PATIENCE_MS });
  rig.sandbox.pings.loseShare = 1;
  await rig.call('POST', rig.events, eventBody());
  expect(rig.sandbox.stats().pingsSent).toBe(3);
});

test('a receiver that answers 503 is pinged again', async () => {
  status = 503;
  await watch();
  await vi.waitFor(() => expect(pings.length).toBeGreaterThanOrEqual(2), 60_000);
  expect(new Set(pings.map((ping) => ping.headers['x-goog-message-number']))).toEqual(new Set(['1']));
});

test('without access to the calendar there is no channel and no ping', async () => {
  await watch();
  await vi.waitFor(() => expect(pings).toHaveLength(1), { timeout: PATIENCE_MS });
  rig.sandbox.revokeAccess(room);
  rig.sandbox.staff.calendar.add({ calendarId: room, event: eventBody() as never });
  expect((await watch({ id: 'chan-2' })).status).toBe(404);
  expect(rig.sandbox.stats().pingsSent).toBe(1);
});
