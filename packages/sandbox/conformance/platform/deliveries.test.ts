import { expect } from 'vitest';
import { needing } from '../stage/fact.ts';
import { openReceiver, signaturesOf } from '../stage/receiver.ts';

const HOUR_MS = 3_600_000;

needing(
  'receiver',
  '[deliveries.1] every endpoint that subscribes gets the event, and no other',
  async (stage) => {
    const all = await stage.listen();
    const contacts = await stage.listen(['contact.created']);
    const leads = await stage.listen(['lead.created']);
    await stage.contact();
    await stage.control.settle();
    expect([all, contacts, leads].map(({ received }) => received.length)).toEqual([1, 1, 0]);
    expect(contacts.received[0]?.body.id).toBe(all.received[0]?.body.id);
  },
);

needing('receiver', '[deliveries.2] an endpoint of one project hears nothing of another', async (stage) => {
  const other = await stage.staff('createProject', { name: 'Other' });
  const { received, url } = await openReceiver();
  await stage.endpoint({ url, enabled_events: ['*'], project_ids: [stage.ownProjectId] });
  await stage.staff('createContact', { projectId: other, name: 'Theirs' });
  await stage.staff('createContact', { projectId: stage.ownProjectId, name: 'Mine' });
  await stage.control.settle();
  expect(received.map(({ body }) => body.data.object.name)).toEqual(['Mine']);
});

needing(
  'receiver',
  '[deliveries.3][deliveries.24] what arrives is the event as the feed shows it, with every field',
  async (stage) => {
    const { received } = await stage.listen();
    const { body: contact } = await stage.contact();
    await stage.control.settle();
    const event = received[0]?.body;
    expect((await stage.api.get(`/events/${event.id}`)).body).toEqual(event);
    expect(event).toMatchObject({
      object: 'event',
      type: 'contact.created',
      project_id: stage.ownProjectId,
      test: false,
      data: { object: contact },
    });
    expect(event.created_at).toMatch(/Z$/);
  },
);

needing(
  'receiver',
  '[deliveries.4][deliveries.7] an unanswered event comes again with the same id until it is answered 2xx, and then no more',
  async (stage) => {
    const receiver = await stage.listen();
    receiver.answer = (count) => [500, 302, 404, 200][count - 1] ?? 200;
    await stage.control.setDelivery({ retryDelaysMs: [5, 5, 5, 5, 5, 5] });
    await stage.contact();
    await stage.control.settle();
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(1);
  },
);

needing(
  'clock',
  '[deliveries.5] the snapshot shows the object some seconds after the change, the event tells the moment of the change',
  {
    options: { eventDelayMs: [1000, 3000] },
    run: async (stage) => {
      await stage.control.freeze();
      await stage.subscribe();
      const { body } = await stage.contact({ name: 'Before' });
      await stage.api.patch(`/contacts/${body.id}`, { name: 'After' });
      expect(await stage.feed()).toEqual([]);
      await stage.control.advance(3_001);
      const created = (await stage.feed()).find(({ type }) => type === 'contact.created');
      expect(created.data.object.name).toBe('After');
      expect(Math.abs(Date.parse(created.created_at) - Date.parse(body.created_at))).toBeLessThan(500);
    },
  },
);

needing(
  'receiver',
  '[deliveries.9] an endpoint that answers no 2xx for 72 hours is disabled as failing',
  async (stage) => {
    const receiver = await stage.listen();
    receiver.answer = () => 500;
    await stage.control.setDelivery({ retryDelaysMs: [] });
    await stage.contact();
    await stage.control.settle();
    const endpoint = async () => (await stage.api.get(`/webhook_endpoints/${receiver.endpoint['id']}`)).body;
    await stage.control.advance(71 * HOUR_MS);
    expect((await endpoint()).status).toBe('enabled');
    await stage.control.advance(2 * HOUR_MS);
    const { status, disabled_reason, disabled_at } = await endpoint();
    expect([status, disabled_reason]).toEqual(['disabled', 'failing']);
    expect(disabled_at).toMatch(/Z$/);
  },
);

needing('receiver', '[deliveries.10] one 2xx in between starts the 72 hours anew', async (stage) => {
  const receiver = await stage.listen();
  await stage.control.setDelivery({ retryDelaysMs: [] });
  for (const status of [500, 200, 500]) {
    receiver.answer = () => status;
    await stage.contact();
    await stage.control.settle();
    await stage.control.advance(40 * HOUR_MS);
  }
  const { body } = await stage.api.get(`/webhook_endpoints/${receiver.endpoint['id']}`);
  expect(body.status).toBe('enabled');
});

needing(
  'receiver',
  '[deliveries.11] a delivery is signed once, and differently under another secret',
  async (stage) => {
    const { received, endpoint } = await stage.listen();
    await stage.contact();
    await stage.control.settle();
    expect(signaturesOf(received[0])).toHaveLength(1);
    await stage.api.post(`/webhook_endpoints/${endpoint['id']}/roll_secret`, { expires_in_hours: 0 });
    await stage.contact();
    await stage.control.settle();
    expect(signaturesOf(received[1])).not.toEqual(signaturesOf(received[0]));
  },
);

needing(
  'receiver',
  '[deliveries.12] while the old secret is valid a delivery has two signatures',
  async (stage) => {
    const { received, endpoint } = await stage.listen();
    await stage.api.post(`/webhook_endpoints/${endpoint['id']}/roll_secret`, { expires_in_hours: 24 });
    await stage.contact();
    await stage.control.settle();
    expect(new Set(signaturesOf(received[0])).size).toBe(2);
  },
);

needing('receiver', '[deliveries.13] rolled with 0 hours the old secret signs no more', async (stage) => {
  const { received, endpoint } = await stage.listen();
  await stage.api.post(`/webhook_endpoints/${endpoint['id']}/roll_secret`, { expires_in_hours: 0 });
  await stage.contact();
  await stage.control.settle();
  expect(signaturesOf(received[0])).toHaveLength(1);
});

needing('receiver', '[deliveries.14] after its hours the old secret signs no more', async (stage) => {
  const { received, endpoint } = await stage.listen();
  await stage.api.post(`/webhook_endpoints/${endpoint['id']}/roll_secret`, { expires_in_hours: 1 });
  await stage.control.advance(HOUR_MS - 60_000);
  await stage.contact();
  await stage.control.settle();
  await stage.control.advance(120_000);
  await stage.contact();
  await stage.control.settle();
  expect(received.map((one) => signaturesOf(one).length)).toEqual([2, 1]);
});

needing(
  'receiver',
  '[deliveries.17] what waits for a retry is not sent to a deleted endpoint',
  async (stage) => {
    const receiver = await stage.listen();
    receiver.answer = () => 500;
    await stage.control.setDelivery({ retryDelaysMs: [60_000] });
    await stage.contact();
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await stage.api.delete(`/webhook_endpoints/${receiver.endpoint['id']}`);
    await stage.control.settle();
    await stage.control.advance(HOUR_MS);
    await stage.control.settle();
    expect(receiver.received).toHaveLength(1);
  },
);

needing(
  'receiver',
  '[deliveries.18][deliveries.23] what happened while disabled is sent neither then nor later',
  async (stage) => {
    const { received, endpoint } = await stage.listen();
    const one = `/webhook_endpoints/${endpoint['id']}`;
    await stage.api.patch(one, { status: 'disabled' });
    await stage.contact({ name: 'Missed' });
    await stage.api.patch(one, { status: 'enabled' });
    await stage.contact({ name: 'Heard' });
    await stage.control.settle();
    expect(received.map(({ body }) => body.data.object.name)).toEqual(['Heard']);
  },
);

needing(
  'receiver',
  '[deliveries.19] an event above 256 KB arrives with object and id alone',
  async (stage) => {
    const { received } = await stage.listen(['message.created']);
    const { messageId } = await stage.staff('customerWrites', { text: 'x'.repeat(262_144) });
    const small = await stage.staff('customerWrites', { text: 'x'.repeat(250_000) });
    await stage.control.settle();
    const objects = received.map(({ body }) => body.data.object);
    expect(objects.find(({ id }) => id === messageId)).toEqual({ object: 'message', id: messageId });
    expect(objects.find(({ id }) => id === small.messageId).text).toHaveLength(250_000);
  },
);
