import { expect } from 'vitest';
import { type Answer, verdict } from '../office/api.ts';
import type { Desk } from '../office/desk.ts';
import { needing, writing } from '../office/fact.ts';
import { openReceiver } from '../office/receiver.ts';
import { ACCOUNT } from '../office/stage.ts';

const WEEK_MS = 7 * 86_400_000;
const NOWHERE = 'https://pings.conformance.invalid/';
/** Long enough to notice an unwanted ping on this machine. */
const QUIET_MS = 150;

function watch(desk: Desk, changes: Record<string, unknown> = {}): Promise<Answer> {
  const body = { id: crypto.randomUUID(), type: 'web_hook', address: NOWHERE, ...changes };
  return desk.events('POST', '/watch', { body });
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

needing('receiver', '[watch.1] a channel tells its resource and how long it lives', async (stage) => {
  const { body } = await watch(stage, { id: 'channel-1', token: 'secret' });
  expect(body).toMatchObject({ kind: 'api#channel', id: 'channel-1', token: 'secret' });
  expect(body.resourceId).toMatch(/\S/);
  expect(body.resourceUri).toContain('/events');
  expect(Number(body.expiration)).toBeGreaterThan(Date.now());
});

needing(
  'receiver',
  '[watch.2][watch.3][watch.4] a channel says hello, and then that something has changed',
  async (stage) => {
    const receiver = await openReceiver();
    const { body } = await watch(stage, { id: 'channel-1', token: 'secret', address: receiver.url });
    await receiver.until(1);
    await stage.made();
    await receiver.until(2);
    const [hello, change] = receiver.pings;
    expect([hello?.method, hello?.body]).toEqual(['POST', '']);
    expect(hello?.headers).toMatchObject({
      'x-goog-channel-id': 'channel-1',
      'x-goog-channel-token': 'secret',
      'x-goog-resource-id': body.resourceId,
      'x-goog-resource-uri': body.resourceUri,
      'x-goog-resource-state': 'sync',
      'x-goog-message-number': '1',
    });
    expect(Date.parse(String(hello?.headers['x-goog-channel-expiration']))).toBe(Number(body.expiration));
    expect(change?.headers['x-goog-resource-state']).toBe('exists');
  },
);

needing('guess', '[watch.6] the id of a channel has 64 characters at most', async (stage) => {
  expect((await watch(stage, { id: 'c'.repeat(64) })).status).toBe(200);
  expect((await watch(stage, { id: 'c'.repeat(65) })).status).toBe(400);
});

needing(
  'receiver',
  '[watch.7] the id of a channel cannot be used again, not even when it was stopped',
  async (stage) => {
    const { body } = await watch(stage, { id: 'channel-1' });
    expect(verdict(await watch(stage, { id: 'channel-1' }))).toBe('400 channelIdNotUnique');
    await stage.api.calendar('POST', '/channels/stop', {
      body: { id: 'channel-1', resourceId: body.resourceId },
    });
    expect(verdict(await watch(stage, { id: 'channel-1' }))).toBe('400 channelIdNotUnique');
  },
);

needing('receiver', '[watch.8] a channel lives a week, or as long as it asks', async (stage) => {
  const usual = Number((await watch(stage)).body.expiration) - Date.now();
  expect(Math.abs(usual - WEEK_MS)).toBeLessThan(5000);
  const short = Number((await watch(stage, { params: { ttl: '3600' } })).body.expiration) - Date.now();
  expect(Math.abs(short - 3_600_000)).toBeLessThan(5000);
});

needing('guess', '[watch.9] a year is cut to a month', async (stage) => {
  const { body } = await watch(stage, { params: { ttl: '31536000' } });
  expect(Number(body.expiration) - Date.now()).toBeLessThan(31 * 86_400_000);
});

needing('receiver', '[watch.10] a stopped channel is silent', async (stage) => {
  const receiver = await openReceiver();
  const { body } = await watch(stage, { id: 'channel-1', address: receiver.url });
  await receiver.until(1);
  const stop = { id: 'channel-1', resourceId: body.resourceId };
  expect((await stage.api.calendar('POST', '/channels/stop', { body: stop })).status).toBe(204);
  await stage.made();
  await quiet();
  expect(receiver.pings).toHaveLength(1);
});

needing('accounts', '[watch.11] nobody stops the channel of another', async (stage) => {
  const { body } = await watch(stage, { id: 'channel-1' });
  const other = await stage.as({ email: 'other@clinic.example' });
  const stop = { id: 'channel-1', resourceId: body.resourceId };
  expect(verdict(await other.api.calendar('POST', '/channels/stop', { body: stop }))).toBe('404 notFound');
});

needing('receiver', '[watch.12] an expired channel is silent', async (stage) => {
  const receiver = await openReceiver();
  await watch(stage, { address: receiver.url, params: { ttl: '60' } });
  await receiver.until(1);
  await stage.advance(61_000);
  await stage.made();
  await quiet();
  expect(receiver.pings).toHaveLength(1);
});

needing(
  'guess',
  '[watch.13] a ping to a server in trouble comes again, to another one not',
  async (stage) => {
    const receiver = await openReceiver();
    receiver.answer = (count) => (count === 1 ? 503 : 404);
    await watch(stage, { address: receiver.url });
    await receiver.until(2);
    await quiet();
    expect(receiver.pings).toHaveLength(2);
  },
);

needing(
  'receiver',
  '[watch.14] a ping may be lost, and the list still tells of the change',
  async (stage) => {
    const receiver = await openReceiver();
    const token = await stage.syncToken();
    await watch(stage, { address: receiver.url });
    await receiver.until(1);
    await stage.control('POST', 'pings', { loseShare: 1 });
    await stage.made();
    await quiet();
    expect(receiver.pings).toHaveLength(1);
    expect((await stage.all({ syncToken: token })).items).toHaveLength(1);
  },
);

needing('guess', '[watch.15] a later ping has a higher number', async (stage) => {
  const receiver = await openReceiver();
  await watch(stage, { address: receiver.url });
  await receiver.until(1);
  await stage.made();
  await receiver.until(2);
  await stage.made();
  await receiver.until(3);
  const numbers = receiver.pings.map(({ headers }) => Number(headers['x-goog-message-number']));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(new Set(numbers).size).toBe(3);
});

writing('[watch.16] a channel of another type is refused', async (desk) => {
  expect((await watch(desk, { type: 'pigeon' })).status).toBe(400);
});

needing('receiver', '[watch.17] a calendar that is not shared is not watched', async (stage) => {
  const body = { id: 'channel-1', type: 'web_hook', address: NOWHERE };
  const answer = await stage.api.calendar('POST', '/calendars/nobody%40clinic.example/events/watch', {
    body,
  });
  expect(verdict(answer)).toBe('404 notFound');
});

needing('guess', '[watch.18] a token has 256 characters at most', async (stage) => {
  expect((await watch(stage, { token: 't'.repeat(256) })).status).toBe(200);
  expect((await watch(stage, { token: 't'.repeat(257) })).status).toBe(400);
});

needing('guess', '[watch.19] the same ping may come twice', async (stage) => {
  const receiver = await openReceiver();
  await watch(stage, { address: receiver.url });
  await receiver.until(1);
  await stage.control('POST', 'pings', { doubleShare: 1 });
  await stage.made();
  await receiver.until(3);
  const [, one, two] = receiver.pings;
  expect(two?.headers['x-goog-message-number']).toBe(one?.headers['x-goog-message-number']);
});

needing('accounts', '[watch.20] a calendar of holidays cannot push', async (stage) => {
  const id = 'de.german#holiday@group.v.calendar.google.com';
  await stage.control('POST', 'calendars', { id, shareWith: [ACCOUNT], role: 'reader' });
  const body = { id: crypto.randomUUID(), type: 'web_hook', address: NOWHERE };
  const path = `/calendars/${encodeURIComponent(id)}/events/watch`;
  expect(verdict(await stage.api.calendar('POST', path, { body }))).toBe(
    '400 pushNotSupportedForRequestedResource',
  );
});
