// The newest webhooks as a list: when, what, by which secret verified, what became of it, what came twice.

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DeliveryLog, type VerifiedDelivery } from '../../src/platform/webhook-delivery.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { openTestStore } from '../stand/store.ts';
import { startWorld, type World } from '../stand/world.ts';
import { VERA } from './objects.ts';
import { type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const words = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

async function furnish(stand: ConsoleStand): Promise<void> {
  const key = { kind: 'appointment', id: VERA.id } as const;
  const seen = { as: 'snapshot', snapshot: VERA } as const;
  const about = { eventId: 'evt-1', eventType: 'appointment.created' };
  await stand.store.intake.observe({
    key,
    source: 'webhook',
    occurredAtMs: stand.clock.now(),
    seen,
    ...about,
  });
  const delivery: VerifiedDelivery = {
    ...{ atMs: stand.clock.now() - 5_000, ...about, outcome: 'fresh', secret: { from: 'yaml', nth: 1 } },
  };
  const log = new DeliveryLog(stand.clock);
  log.note(delivery);
  log.note({
    ...delivery,
    atMs: delivery.atMs + 2_000,
    outcome: 'duplicate',
    secret: { from: 'file', nth: 2 },
  });
  for (let count = 0; count < 3; count += 1) log.count('wrong');
  await log.flush((verified, refused) => stand.store.received.add(verified, refused));
}

test('the list names event, object, secret and outcome of each, and counts what was refused', async () => {
  const stand = await openConsole();
  await furnish(stand);
  const { status, text } = await (await stand.signIn('desk')).get('/console/webhooks');
  expect(status).toBe(200);
  const told = words(text);
  expect(told).toContain('Accepted in the last hour 2 Sent again 1 Refused 3');
  expect(told).toMatch(
    /no secret wrong signature × 3 .*appointment\.created evt-1 Appointment, Vera Orlova .*secret 2 of the secret file sent again .*secret 1 of the settings new/,
  );
  expect(text).toContain(`href="/console/object/appointment/${VERA.id}"`);
});

test.each([
  ['repeated', /sent again/, /wrong signature ×|secret 1 of/],
  ['refused', /wrong signature × 3/, /evt-1/],
  ['nonsense', /evt-1/, /never/],
])('only=%s shows what it says', async (only, shown, hidden) => {
  const stand = await openConsole();
  await furnish(stand);
  const { text } = await (await stand.signIn('viewer')).get(`/console/webhooks?only=${only}`);
  const table = words(text.slice(text.indexOf('<tbody>')));
  expect(table).toMatch(shown);
  expect(table).not.toMatch(hidden);
});

test('a viewer reads no name in it, and in Russian it is Russian', async () => {
  const stand = await openConsole();
  await furnish(stand);
  const viewer = await stand.signIn('viewer', 'victor');
  expect((await viewer.get('/console/webhooks')).text).not.toMatch(/Vera|Orlova|495000/);
  const told = words((await viewer.get('/console/webhooks', { 'accept-language': 'ru' })).text);
  expect(told).toContain('Принято за час 2 Прислано повторно 1 Отклонено 3');
  expect(told).toContain('никаким неверная подпись × 3');
  expect(told).toContain('2-й из файла секретов прислано повторно');
});

test('without a secret every webhook is a signal, and none is refused', async () => {
  const stand = await openConsole();
  await stand.store.received.add([], [{ atMs: stand.clock.now(), outcome: 'doorbell', times: 5 }]);
  const viewer = await stand.signIn('viewer');
  const told = words((await viewer.get('/console/webhooks')).text);
  expect(told).toContain('Accepted in the last hour 5 Sent again 0 Refused 0');
  expect(told).toContain('only a signal to read the event feed × 5');
  expect((await viewer.get('/console/webhooks?only=refused')).text).toContain('Nothing of the kind');
});

test('P9: strangers push out no verified webhook, and however many they send, the lists are bounded', async () => {
  const stand = await openConsole();
  await furnish(stand);
  const { received } = stand.store;
  for (let minute = 0; minute < 300; minute += 1) {
    const log = new DeliveryLog({ now: () => minute * 60_000 });
    for (const outcome of ['wrong', 'missing'])
      for (let count = 0; count < 50; count += 1) log.count(outcome);
    await log.flush((verified, refused) => received.add(verified, refused));
  }
  const many = new DeliveryLog(stand.clock);
  const [first] = (await received.newest()).verified;
  for (let nth = 0; nth < 5_000; nth += 1)
    many.note({ ...(first as VerifiedDelivery), eventId: `many-${nth}` });
  const { verified, refused } = await received.newest();
  expect([verified.length, refused.length]).toEqual([2, 200]);
  // Two counts of the same minute are one entry.
  await received.add([], [{ atMs: refused[0]?.atMs ?? 0, outcome: 'missing', times: 7 }]);
  expect((await received.newest()).refused.find(({ outcome }) => outcome === 'missing')?.times).toBe(57);
  for (let round = 0; round < 3; round += 1) {
    await many.flush((some, none) => received.add(some, none));
    for (let nth = 0; nth < 600; nth += 1) many.note(first as VerifiedDelivery);
  }
  expect((await received.newest()).verified).toHaveLength(1_000);
});

// Over a worker at work.

const [OLD, NEW] = ['an-old-secret-of-32-characters-xx', 'a-new-secret-of-32-characters-xxx'];
let world: World;

beforeAll(async () => {
  world = await startWorld({
    rewrite: (yaml) => yaml.replace('secrets: [""]', `secrets: ["${OLD}", "${NEW}"]`),
  });
});
afterAll(() => world.close());

test('a worker notes which of its secrets verified a webhook, and no text of one', async () => {
  const worker = await world.startWorker();
  const send = async (body: string, secret: string) => {
    const t = Math.floor(Date.now() / 1_000);
    const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
    const headers = { 'service-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' };
    return (await fetch(`${worker.url}/webhooks/platform`, { method: 'POST', body, headers })).status;
  };
  const event = {
    ...{ id: 'evt-9', type: 'appointment.updated', created_at: new Date().toISOString() },
    data: { object: { object: 'appointment', ...VERA, updated_at: new Date().toISOString() } },
  };
  const body = JSON.stringify(event);
  expect([await send(body, OLD), await send(body, NEW), await send(body, 'x'.repeat(32))]).toEqual([
    200, 200, 401,
  ]);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const found = await vi.waitFor(
    async () => {
      const { verified, refused } = await store.received.newest();
      expect([verified.length, refused.length]).toEqual([2, 1]);
      return { verified, refused };
    },
    { timeout: PATIENCE_MS },
  );
  expect(found.verified.map(({ secret, outcome, eventId }) => [secret, outcome, eventId])).toEqual([
    [{ from: 'yaml', nth: 2 }, 'duplicate', 'evt-9'],
    [{ from: 'yaml', nth: 1 }, 'fresh', 'evt-9'],
  ]);
  expect(found.refused[0]).toMatchObject({ outcome: 'wrong', times: 1 });
  expect(JSON.stringify(found)).not.toMatch(/secret-of|Vera|495000/);
  store.close();
});
