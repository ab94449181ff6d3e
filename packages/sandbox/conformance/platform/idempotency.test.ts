import { expect } from 'vitest';
import { freshKey, verdict } from '../stage/api.ts';
import { needing, writing } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

const REPLAYED = 'idempotent-replayed';

/** Checks that the operation answers 200 without a key, and with one answers once and then replays. */
async function takesAKey(stage: Stage, path: () => Promise<string>, body: object): Promise<void> {
  expect((await stage.api.post(await path(), body, { idempotencyKey: null })).status).toBe(200);
  const target = await path();
  const idempotencyKey = freshKey();
  const first = await stage.api.post(target, body, { idempotencyKey });
  const again = await stage.api.post(target, body, { idempotencyKey });
  expect([first.status, first.headers.get(REPLAYED)]).toEqual([200, null]);
  expect([again.status, again.headers.get(REPLAYED), again.body]).toEqual([200, 'true', first.body]);
}

writing(
  '[idempotency.1][idempotency.17][idempotency.18] the same key and body give the first answer again, marked as replayed',
  async (company) => {
    const idempotencyKey = freshKey();
    const first = await company.contact({}, { idempotencyKey });
    const again = await company.contact({}, { idempotencyKey });
    expect([first.status, first.headers.get(REPLAYED)]).toEqual([201, null]);
    expect([again.status, again.headers.get(REPLAYED)]).toEqual([201, 'true']);
    expect(again.body).toEqual(first.body);
  },
);

writing('[idempotency.2] X-Idempotency-Key is the same key by another name', async (company) => {
  const key = freshKey();
  const first = await company.contact({}, { idempotencyKey: null, headers: { 'X-Idempotency-Key': key } });
  const again = await company.contact({}, { idempotencyKey: key });
  expect([first.status, again.body.id, again.headers.get(REPLAYED)]).toEqual([201, first.body.id, 'true']);
});

writing('[idempotency.3] 64 characters are a key, 65 are not', async (company) => {
  const idempotencyKey = freshKey().padEnd(64, 'x');
  expect(verdict(await company.contact({}, { idempotencyKey }))).toBe('201');
  expect(verdict(await company.contact({}, { idempotencyKey: `${idempotencyKey}x` }))).toBe(
    '400 idempotency-key-invalid',
  );
});

writing('[idempotency.4] letters, digits, underscore, hyphen, colon and dot make a key', async (company) => {
  expect(verdict(await company.contact({}, { idempotencyKey: `aZ_09:.${freshKey()}` }))).toBe('201');
});

writing(
  '[idempotency.5] a space, a slash, a plus or a letter beyond ASCII is no part of a key',
  async (company) => {
    for (const idempotencyKey of ['a b', 'a/b', 'a+b', 'a\u00e9'])
      expect(verdict(await company.contact({}, { idempotencyKey }))).toBe('400 idempotency-key-invalid');
  },
);

writing('[idempotency.6] an empty key is invalid', async (company) => {
  expect(verdict(await company.contact({}, { idempotencyKey: '' }))).toBe('400 idempotency-key-invalid');
});

writing('[idempotency.7] a contact is not created without a key', async (company) => {
  expect(verdict(await company.contact({}, { idempotencyKey: null }))).toBe('400 idempotency-key-required');
});

writing('[idempotency.8] an appointment is not created without a key', async (company) => {
  expect(verdict(await company.book({}, { idempotencyKey: null }))).toBe('400 idempotency-key-required');
});

writing('[idempotency.9] a webhook endpoint is not created without a key', async (company) => {
  expect(verdict(await company.endpoint({}, { idempotencyKey: null }))).toBe('400 idempotency-key-required');
});

needing('dashboard', '[idempotency.10] closing a conversation takes a key and needs none', async (stage) => {
  const path = async () => {
    const { conversationId } = await stage.staff('customerWrites', { text: 'Hi' });
    return `/conversations/${conversationId}/close`;
  };
  await takesAKey(stage, path, { reason: 'duplicate' });
});

needing('company', '[idempotency.11] rescheduling takes a key and needs none', async (stage) => {
  const { id } = (await stage.book()).body;
  await takesAKey(stage, async () => `/appointments/${id}/reschedule`, { starts_at: stage.at(12) });
});

needing('company', '[idempotency.12] cancelling takes a key and needs none', async (stage) => {
  const path = async () => `/appointments/${(await stage.book()).body.id}/cancel`;
  await takesAKey(stage, path, { reason: 'ill' });
});

needing('company', '[idempotency.13] rolling a secret takes a key and needs none', async (stage) => {
  const { id } = (await stage.endpoint()).body;
  await takesAKey(stage, async () => `/webhook_endpoints/${id}/roll_secret`, { expires_in_hours: 1 });
});

needing('receiver', '[idempotency.14] a test delivery takes a key and needs none', async (stage) => {
  const { endpoint, received } = await stage.listen();
  await takesAKey(stage, async () => `/webhook_endpoints/${endpoint['id']}/test`, {
    type: 'contact.created',
  });
  expect(received).toHaveLength(2);
});

needing('company', '[idempotency.16] an invalid key is refused where none is required', async (stage) => {
  const { id } = (await stage.book()).body;
  const endpoint = (await stage.endpoint()).body.id;
  const { conversationId } = await stage.staff('customerWrites', { text: 'Hi' });
  const calls: [string, object][] = [
    [`/appointments/${id}/reschedule`, { starts_at: stage.at(12) }],
    [`/appointments/${id}/cancel`, {}],
    [`/conversations/${conversationId}/close`, {}],
    [`/webhook_endpoints/${endpoint}/roll_secret`, { expires_in_hours: 0 }],
    [`/webhook_endpoints/${endpoint}/test`, { type: 'lead.created' }],
  ];
  for (const [path, body] of calls)
    expect(verdict(await stage.api.post(path, body, { idempotencyKey: 'not a key' }))).toBe(
      '400 idempotency-key-invalid',
    );
});

needing(
  'company',
  '[idempotency.19] a replay creates nothing, moves nothing and mails nobody',
  async (stage) => {
    const idempotencyKey = freshKey();
    for (let times = 0; times < 3; times += 1) await stage.book({}, { idempotencyKey });
    expect((await stage.api.get('/appointments')).body.data).toHaveLength(1);
    expect(await stage.mails()).toBe(1);
  },
);

writing('[idempotency.20] the same key with another body is a conflict', async (company) => {
  const idempotencyKey = freshKey();
  await company.contact({ name: 'First' }, { idempotencyKey });
  expect(verdict(await company.contact({ name: 'Second' }, { idempotencyKey }))).toBe(
    '409 idempotency-conflict',
  );
});

needing('company', '[idempotency.21] the same key on another path is a conflict', async (stage) => {
  const first = (await stage.book()).body.id;
  const second = (await stage.book({ starts_at: stage.at(14) })).body.id;
  const idempotencyKey = freshKey();
  expect((await stage.api.post(`/appointments/${first}/cancel`, {}, { idempotencyKey })).status).toBe(200);
  const other = await stage.api.post(`/appointments/${second}/cancel`, {}, { idempotencyKey });
  expect(verdict(other)).toBe('409 idempotency-conflict');
  expect((await stage.api.get(`/appointments/${second}`)).body.status).toBe('confirmed');
});

needing(
  'faults',
  '[idempotency.23][idempotency.24] a repeat during the first request is told to wait, and afterwards gets its answer',
  async (stage) => {
    await stage.control.setSwitches({ workMs: 1500 });
    const idempotencyKey = freshKey();
    const slow = stage.contact({}, { idempotencyKey });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(verdict(await stage.contact({}, { idempotencyKey }))).toBe('409 idempotency-in-progress');
    const first = await slow;
    const again = await stage.contact({}, { idempotencyKey });
    expect([first.status, again.body.id]).toEqual([201, first.body.id]);
    expect((await stage.api.get('/contacts')).body.data).toHaveLength(1);
  },
);

writing('[idempotency.25] after a 422 the mended body is taken under the same key', async (company) => {
  const idempotencyKey = freshKey();
  expect(verdict(await company.contact({ name: '' }, { idempotencyKey }))).toBe('422 validation');
  const mended = await company.contact({ name: 'Mended' }, { idempotencyKey });
  expect([mended.status, mended.headers.get(REPLAYED), mended.body.name]).toEqual([201, null, 'Mended']);
});

writing('[idempotency.27] a replayed answer carries the rate-limit headers', async (company) => {
  const idempotencyKey = freshKey();
  await company.contact({}, { idempotencyKey });
  const { headers } = await company.contact({}, { idempotencyKey });
  for (const name of ['request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
    expect(headers.get(name), name).not.toBeNull();
});

writing('[idempotency.31] a replay shows the contact as it was then, not as it is now', async (company) => {
  const idempotencyKey = freshKey();
  const { body } = await company.contact({ name: 'Before' }, { idempotencyKey });
  await company.api.patch(`/contacts/${body.id}`, { name: 'After' });
  expect((await company.contact({ name: 'Before' }, { idempotencyKey })).body.name).toBe('Before');
});
