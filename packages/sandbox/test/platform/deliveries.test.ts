import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../../../test/stand/patience.ts';
import type { PlatformSandboxOptions } from '../../src/platform/sandbox.ts';
import { openReceiver, openStage } from './stage.ts';

const HOUR_MS = 3_600_000;

async function listening(options: PlatformSandboxOptions = {}) {
  const receiver = await openReceiver();
  const stage = await openStage(options);
  const endpoint = (await stage.endpoint({ url: receiver.url })).body;
  const addContact = (name = 'Maria'): string =>
    stage.sandbox.dashboard.createContact({ projectId: stage.projectId, name });
  return { receiver, stage, endpoint, addContact };
}

/** The answer has come back to the platform, and was none that it takes. */
const triedAgainLater = (stage: { sandbox: { stats(): { webhooksWaiting: number } } }) =>
  vi.waitFor(() => expect(stage.sandbox.stats().webhooksWaiting).toBe(1), {
    timeout: PATIENCE_MS,
    interval: 2,
  });
const settled = (stage: { sandbox: { whenDeliveriesSettle(ms: number): Promise<void> } }) =>
  stage.sandbox.whenDeliveriesSettle(60_000);

const hmac = (secret: string | Buffer, content: string) => createHmac('sha256', secret).update(content);

describe('a delivery', () => {
  it('is a POST of the event, byte for byte as the feed shows it', async () => {
    const { receiver, stage, addContact } = await listening();
    addContact();
    await settled(stage);
    const [delivery] = receiver.received;
    expect([delivery?.method, delivery?.headers['content-type']]).toEqual(['POST', 'application/json']);
    expect((await stage.get(`/events/${delivery?.body.id}`)).text).toBe(delivery?.raw);
    expect(stage.sandbox.stats()).toMatchObject({
      eventsFormed: 1,
      webhooksSent: 1,
      webhooksDelivered: 1,
      webhooksLost: 0,
      underWay: 0,
    });
  });

  it('goes to every endpoint that subscribes, with the same event id', async () => {
    const { receiver, stage, addContact } = await listening();
    const second = await openReceiver();
    await stage.endpoint({ url: second.url, enabled_events: ['contact.created'] });
    await stage.endpoint({ url: second.url, enabled_events: ['lead.created'] });
    addContact();
    await settled(stage);
    expect(receiver.received).toHaveLength(1);
    expect(second.received).toHaveLength(1);
    expect(second.received[0]?.body.id).toBe(receiver.received[0]?.body.id);
  });

  it('timestamped: t and v1 over t.body', async () => {
    const { receiver, stage, endpoint, addContact } = await listening();
    addContact();
    await settled(stage);
    const [delivery] = receiver.received;
    const [, seconds = '', signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(delivery?.headers['service-signature'])) ?? [];
    expect(signature).toBe(hmac(endpoint.secret, `${seconds}.${delivery?.raw}`).digest('hex'));
    expect(Math.abs(Number(seconds) * 1000 - stage.clock.now())).toBeLessThan(5_000);
  });

  it('body: v1 over the body', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({ delivery: { signature: 'body' } });
    addContact();
    await settled(stage);
    const [delivery] = receiver.received;
    expect(delivery?.headers['service-signature']).toBe(
      `v1=${hmac(endpoint.secret, delivery?.raw ?? '').digest('hex')}`,
    );
  });

  it('standard: the headers of Standard Webhooks', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({
      delivery: { signature: 'standard' },
    });
    addContact();
    await settled(stage);
    const [delivery] = receiver.received;
    const headers = delivery?.headers ?? {};
    expect(headers['webhook-id']).toBe(delivery?.body.id);
    const key = Buffer.from(endpoint.secret.slice('whsec_'.length), 'base64');
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${delivery?.raw}`;
    expect(headers['webhook-signature']).toBe(`v1,${hmac(key, content).digest('base64')}`);
    expect(headers).not.toHaveProperty('service-signature');
  });

  it('carries two signatures while a rolled secret is valid, one after', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({ delivery: { signature: 'body' } });
    const rolled = (
      await stage.post(`/webhook_endpoints/${endpoint.id}/roll_secret`, { expires_in_hours: 1 })
    ).body;
    addContact();
    await settled(stage);
    const signature = (secret: string, raw: string): string => `v1=${hmac(secret, raw).digest('hex')}`;
    const [first] = receiver.received;
    expect(String(first?.headers['service-signature']).split(',')).toEqual([
      signature(rolled.secret, first?.raw ?? ''),
      signature(endpoint.secret, first?.raw ?? ''),
    ]);
    stage.clock.advance(HOUR_MS + 1000);
    addContact();
    await settled(stage);
    const second = receiver.received[1];
    expect(second?.headers['service-signature']).toBe(signature(rolled.secret, second?.raw ?? ''));
  });

  it('rolled with 0 hours the old secret signs no more', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({ delivery: { signature: 'body' } });
    await stage.post(`/webhook_endpoints/${endpoint.id}/roll_secret`, { expires_in_hours: 0 });
    addContact();
    await settled(stage);
    expect(String(receiver.received[0]?.headers['service-signature']).split(',')).toHaveLength(1);
  });
});

describe('retries', () => {
  it('come after each answer that is not 2xx, with the same event, until a 2xx', async () => {
    const { receiver, stage, addContact } = await listening({ delivery: { retryDelaysMs: [10, 10, 10] } });
    receiver.answer = (count) => (count < 3 ? 500 : 200);
    addContact();
    await settled(stage);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1);
    expect(stage.sandbox.stats()).toMatchObject({
      webhooksSent: 1,
      webhookAttempts: 3,
      webhooksDelivered: 1,
    });
  });

  it('follow the schedule on the virtual clock and end with it', async () => {
    const { receiver, stage, addContact } = await listening({
      delivery: { retryDelaysMs: [60_000, 600_000] },
    });
    receiver.answer = () => 404;
    addContact();
    await receiver.arrived(1);
    await triedAgainLater(stage);
    stage.clock.advance(59_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(receiver.received).toHaveLength(1);
    stage.clock.advance(1_000);
    await receiver.arrived(2);
    await triedAgainLater(stage);
    stage.clock.advance(600_000);
    await receiver.arrived(3);
    await settled(stage);
    stage.clock.advance(HOUR_MS);
    expect(receiver.received).toHaveLength(3);
  });

  it('come after a redirect and after no answer in time', async () => {
    const { receiver, stage, addContact } = await listening({
      delivery: { retryDelaysMs: [5, 5], timeoutMs: 1_500 },
    });
    receiver.answer = (count) => (count === 1 ? 302 : count === 2 ? null : 200);
    addContact();
    await settled(stage);
    expect(receiver.received).toHaveLength(3);
  });

  it('come after a refused connection', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({
      delivery: { retryDelaysMs: [60_000] },
    });
    await stage.patch(`/webhook_endpoints/${endpoint.id}`, { url: 'http://127.0.0.1:1024/' });
    addContact();
    await triedAgainLater(stage);
    await stage.patch(`/webhook_endpoints/${endpoint.id}`, { url: receiver.url });
    stage.clock.advance(60_000);
    await settled(stage);
    expect(receiver.received).toHaveLength(1);
  });

  it('are cancelled when the endpoint is deleted', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({
      delivery: { retryDelaysMs: [60_000] },
    });
    receiver.answer = () => 500;
    addContact();
    await receiver.arrived(1);
    await triedAgainLater(stage);
    expect(stage.sandbox.stats().underWay).toBe(1);
    await stage.call('DELETE', `/webhook_endpoints/${endpoint.id}`);
    await settled(stage);
    stage.clock.advance(120_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(receiver.received).toHaveLength(1);
  });
});

describe('an endpoint that was disabled', () => {
  it('gets neither what waited for a retry nor what was held', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({
      delivery: { retryDelaysMs: [60_000] },
    });
    receiver.answer = () => 500;
    addContact('failed');
    await receiver.arrived(1);
    await triedAgainLater(stage);
    stage.sandbox.delivery = { ...stage.sandbox.delivery, hold: true };
    addContact('held');
    await stage.patch(`/webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
    await settled(stage);
    await stage.patch(`/webhook_endpoints/${endpoint.id}`, { status: 'enabled' });
    stage.sandbox.releaseHeld();
    stage.clock.advance(120_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.received.map((one) => one.body.data.object.name)).toEqual(['failed']);
  });

  it('gets no retry of what was on its way just then', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({
      delivery: { retryDelaysMs: [5], timeoutMs: 1_500 },
    });
    receiver.answer = () => null;
    addContact();
    await receiver.arrived(1);
    stage.sandbox.dashboard.disableEndpoint(endpoint.id);
    await settled(stage);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.received).toHaveLength(1);
  });
});

describe('72 hours without a 2xx', () => {
  it('disable the endpoint as failing; enabled again it gets new events and none of the missed', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({ delivery: { retryDelaysMs: [] } });
    receiver.answer = () => 500;
    addContact('first');
    await settled(stage);
    stage.clock.advance(72 * HOUR_MS - 60_000);
    expect((await stage.get(`/webhook_endpoints/${endpoint.id}`)).body.status).toBe('enabled');
    stage.clock.advance(120_000);
    const { body } = await stage.get(`/webhook_endpoints/${endpoint.id}`);
    expect(body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
      disabled_at: expect.any(String),
    });
    addContact('missed');
    receiver.answer = () => 200;
    await stage.patch(`/webhook_endpoints/${endpoint.id}`, { status: 'enabled' });
    addContact('after');
    await settled(stage);
    expect(receiver.received.map((one) => one.body.data.object.name)).toEqual(['first', 'after']);
  });

  it('one 2xx in between starts the count again', async () => {
    const { receiver, stage, endpoint, addContact } = await listening({ delivery: { retryDelaysMs: [] } });
    const status = async () => (await stage.get(`/webhook_endpoints/${endpoint.id}`)).body.status;
    for (const answer of [500, 200, 500]) {
      receiver.answer = () => answer;
      addContact();
      await settled(stage);
      stage.clock.advance(40 * HOUR_MS);
      expect(await status()).toBe('enabled');
    }
    stage.clock.advance(33 * HOUR_MS);
    expect(await status()).toBe('disabled');
  });
});

describe('bad roads', () => {
  it('a lost delivery is believed sent: in the feed, never with the customer, never retried', async () => {
    const { receiver, stage, addContact } = await listening({ delivery: { loseShare: 1 } });
    addContact();
    await settled(stage);
    expect(receiver.received).toEqual([]);
    expect(await stage.feedTypes()).toEqual(['contact.created']);
    expect(stage.sandbox.stats()).toMatchObject({ webhooksSent: 1, webhooksLost: 1, webhookAttempts: 0 });
  });

  it('a doubled delivery comes twice with the same id, at different moments', async () => {
    const { receiver, stage, addContact } = await listening({ delivery: { doubleShare: 1 } });
    addContact();
    await settled(stage);
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]?.raw).toBe(receiver.received[1]?.raw);
    expect(stage.sandbox.stats()).toMatchObject({
      webhooksSent: 1,
      webhooksDoubled: 1,
      webhooksDelivered: 2,
    });
  });

  it('random delays shuffle', async () => {
    const { receiver, stage, addContact } = await listening({ delivery: { delayMs: [0, 200] } });
    const names = Array.from({ length: 20 }, (_, index) => `C${index}`);
    for (const name of names) addContact(name);
    await settled(stage);
    const order = receiver.received.map((one) => one.body.data.object.name);
    expect([...order].sort()).toEqual([...names].sort());
    expect(order).not.toEqual(names);
  });

  it('shares are met, and are the same for the same seed', async () => {
    const lost = async (): Promise<number> => {
      const { stage, addContact } = await listening({
        seed: 5,
        delivery: { loseShare: 0.2, doubleShare: 0.2 },
      });
      for (let index = 0; index < 300; index += 1) addContact();
      await settled(stage);
      return stage.sandbox.stats().webhooksLost;
    };
    const first = await lost();
    expect(first).toBeGreaterThan(35);
    expect(first).toBeLessThan(85);
    expect(await lost()).toBe(first);
  });

  it('held deliveries wait until they are released, in the order asked for', async () => {
    const { receiver, stage, addContact } = await listening({ delivery: { hold: true } });
    for (const name of ['A', 'B', 'C']) addContact(name);
    await expect(stage.sandbox.whenDeliveriesSettle(50)).rejects.toThrow('3 deliveries have not settled');
    expect(receiver.received).toEqual([]);
    stage.sandbox.releaseHeld('reversed');
    await settled(stage);
    expect(receiver.received.map((one) => one.body.data.object.name).sort()).toEqual(['A', 'B', 'C']);
  });

  it('the policy can be changed while running', async () => {
    const { receiver, stage, addContact } = await listening({ delivery: { loseShare: 1 } });
    addContact('lost');
    stage.sandbox.delivery = { ...stage.sandbox.delivery, loseShare: 0 };
    addContact('found');
    await settled(stage);
    expect(receiver.received.map((one) => one.body.data.object.name)).toEqual(['found']);
  });

  it('closing the sandbox ends everything that waits', async () => {
    const { receiver, stage, addContact } = await listening({
      delivery: { retryDelaysMs: [60_000] },
      eventDelayMs: [1000, 1000],
    });
    receiver.answer = () => null;
    addContact();
    stage.clock.advance(1000);
    await receiver.arrived(1);
    addContact();
    await stage.sandbox.close();
    stage.clock.advance(120_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(receiver.received).toHaveLength(1);
  });
});
