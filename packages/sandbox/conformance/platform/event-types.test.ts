import { expect } from 'vitest';
import { needing } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

const HOUR_MS = 3_600_000;
const SOON = { eventDelayMs: [1000, 1000] };

/** Event types in the feed, oldest first; only those of `group` when it is given. */
async function told(stage: Stage, group = ''): Promise<string[]> {
  return (await stage.feedTypes()).filter((type) => type.startsWith(group)).reverse();
}

/** The object in the newest event. */
// biome-ignore lint/suspicious/noExplicitAny: an object as the server sent it
async function newest(stage: Stage): Promise<any> {
  return (await stage.feed())[0].data.object;
}

async function chat(stage: Stage, fields: Record<string, unknown> = {}): Promise<Record<string, string>> {
  await stage.subscribe();
  return stage.staff('customerWrites', { text: 'Hello', ...fields });
}

needing(
  'dashboard',
  '[events.1] whatever the channel, a first message starts a conversation',
  async (stage) => {
    await stage.subscribe();
    const channels = ['web', 'telegram', 'vk', 'max', 'email', 'image'];
    for (const channel of channels) await stage.staff('customerWrites', { text: 'Hello', channel });
    const created = (await stage.feed('&type=conversation.created')).map(
      (event) => event.data.object.channel,
    );
    expect(created.reverse()).toEqual(channels);
  },
);

needing('dashboard', '[events.2] after the archive a message starts another conversation', async (stage) => {
  const { conversationId } = await chat(stage);
  await stage.staff('closeConversation', { id: conversationId });
  await stage.staff('archiveConversation', { id: conversationId });
  const later = await stage.staff('customerWrites', { text: 'Again', conversationId });
  expect(later.conversationId).not.toBe(conversationId);
  expect(await told(stage, 'conversation')).toEqual([
    'conversation.created',
    'conversation.closed',
    'conversation.created',
  ]);
});

needing(
  'dashboard',
  '[events.3][events.43] closing by staff and by the API give the same event, which does not say who',
  async (stage) => {
    const first = await chat(stage);
    const second = await stage.staff('customerWrites', { text: 'Hello' });
    await stage.staff('closeConversation', { id: first['conversationId'] });
    await stage.api.post(`/conversations/${second.conversationId}/close`, {});
    const closed = (await stage.feed('&type=conversation.closed')).map((event) =>
      Object.keys(event.data.object),
    );
    expect(closed).toHaveLength(2);
    expect(closed[0]).toEqual(closed[1]);
    expect(closed[0]?.filter((name) => /by$/.test(name))).toEqual([]);
  },
);

needing(
  'dashboard',
  '[events.4] the customer who writes again within two hours reopens it, and so do staff',
  async (stage) => {
    const { conversationId } = await chat(stage);
    const reopened = async () =>
      (await told(stage)).filter((type) => type === 'conversation.reopened').length;
    await stage.staff('closeConversation', { id: conversationId });
    await stage.staff('customerWrites', { text: 'One more', conversationId });
    expect(await reopened()).toBe(1);
    await stage.staff('closeConversation', { id: conversationId });
    await stage.staff('reopenConversation', { id: conversationId });
    expect(await reopened()).toBe(2);
  },
);

needing('dashboard', '[events.5] the return from snoozed or spam is told by nobody', async (stage) => {
  const { conversationId } = await chat(stage);
  for (const aside of ['snoozeConversation', 'markSpam']) {
    await stage.staff(aside, { id: conversationId });
    await stage.staff('reopenConversation', { id: conversationId });
    expect((await stage.api.get(`/conversations/${conversationId}`)).body.status).toBe('open');
  }
  expect(await told(stage, 'conversation')).toEqual(['conversation.created']);
});

needing(
  'dashboard',
  '[events.6] handing over is told, with the conversation as it is and no reason',
  async (stage) => {
    const { conversationId } = await chat(stage);
    await stage.staff('escalateConversation', { id: conversationId });
    const [event] = await stage.feed();
    expect(event.type).toBe('conversation.escalated');
    expect(event.data.object).toEqual((await stage.api.get(`/conversations/${conversationId}`)).body);
  },
);

needing(
  'clock',
  '[events.7] closed and reopened within a second: the event of closing shows it open already',
  {
    options: SOON,
    run: async (stage) => {
      await stage.control.freeze();
      const { conversationId } = await chat(stage);
      await stage.control.advance(1_001);
      await stage.staff('closeConversation', { id: conversationId });
      await stage.staff('reopenConversation', { id: conversationId });
      await stage.control.advance(1_001);
      const [closed] = await stage.feed('&type=conversation.closed');
      expect(closed.data.object.status).toBe('open');
      expect(await told(stage, 'conversation.reopened')).toHaveLength(1);
    },
  },
);

needing(
  'clock',
  '[events.8] staff who answer an archived conversation reopen it, yet the customer’s next message starts another',
  async (stage) => {
    const { conversationId } = await chat(stage);
    await stage.staff('closeConversation', { id: conversationId });
    await stage.control.advance(3 * HOUR_MS);
    await stage.staff('replyToCustomer', { conversationId, text: 'Still there?' });
    expect(await told(stage, 'conversation.reopened')).toHaveLength(1);
    const next = await stage.staff('customerWrites', { text: 'Yes', conversationId });
    expect(next.conversationId).not.toBe(conversationId);
  },
);

needing(
  'dashboard',
  '[events.9] messages of the customer, of staff and of the AI assistant are told',
  async (stage) => {
    const { conversationId } = await chat(stage);
    await stage.staff('replyToCustomer', { conversationId, text: 'Hi', author: 'operator' });
    await stage.staff('replyToCustomer', { conversationId, text: 'Hi', author: 'ai' });
    const authors = (await stage.feed('&type=message.created')).map((event) => event.data.object.author_type);
    expect(authors.reverse()).toEqual(['customer', 'operator', 'ai']);
  },
);

needing(
  'dashboard',
  '[events.10] delivered and failed are told, the failure with its code',
  async (stage) => {
    const { conversationId } = await chat(stage);
    const send = (text: string) =>
      stage.staff('replyToCustomer', { conversationId, text, status: 'pending' });
    await stage.staff('setMessageStatus', { id: await send('one'), status: 'delivered' });
    expect((await newest(stage)).status).toBe('delivered');
    const id = await send('two');
    await stage.staff('setMessageStatus', { id, status: 'failed', failureCode: 'recipient_unavailable' });
    expect(await newest(stage)).toMatchObject({
      id,
      status: 'failed',
      failure: { code: 'recipient_unavailable' },
    });
  },
);

needing('dashboard', '[events.11] in the website chat the read mark is told', async (stage) => {
  const { conversationId } = await chat(stage, { channel: 'web' });
  const id = await stage.staff('replyToCustomer', { conversationId, text: 'Hi', status: 'delivered' });
  await stage.staff('setMessageStatus', { id, status: 'read' });
  expect([(await stage.feedTypes())[0], (await newest(stage)).status]).toEqual(['message.updated', 'read']);
});

needing('dashboard', '[events.12] a file that finished loading is told, with its link', async (stage) => {
  const { messageId } = await chat(stage, { attachments: ['a.png'] });
  expect((await stage.feed('&type=message.created'))[0].data.object.attachments[0].url).toBeNull();
  await stage.staff('finishLoading', { id: messageId });
  expect((await stage.feedTypes())[0]).toBe('message.updated');
  expect((await newest(stage)).attachments[0].url).toMatch(/^https:/);
});

needing('clock', '[events.13] a message that was delivered before its event was formed is told once', {
  options: SOON,
  run: async (stage) => {
    await stage.control.freeze();
    const { conversationId } = await chat(stage);
    const id = await stage.staff('replyToCustomer', { conversationId, text: 'Hi', status: 'pending' });
    await stage.staff('setMessageStatus', { id, status: 'delivered' });
    await stage.control.advance(1_001);
    const about = (await stage.feed()).filter((event) => event.data.object.id === id);
    expect(about.map((event) => [event.type, event.data.object.status])).toEqual([
      ['message.created', 'delivered'],
    ]);
  },
});

needing('dashboard', '[events.16] contacts made by the API and by staff are told', async (stage) => {
  await stage.subscribe();
  await stage.contact();
  await stage.staff('createContact', { projectId: stage.ownProjectId, name: 'By hand' });
  expect((await stage.feed()).map((event) => event.data.object.source)).toEqual(['manual', 'api']);
  expect(await told(stage)).toEqual(['contact.created', 'contact.created']);
});

needing('company', '[events.17][events.18] a change is told when it changes something', async (stage) => {
  await stage.subscribe();
  const { id } = (await stage.contact({ name: 'Ann' })).body;
  await stage.api.patch(`/contacts/${id}`, { name: 'Ann' });
  expect(await told(stage)).toEqual(['contact.created']);
  await stage.api.patch(`/contacts/${id}`, { name: 'Anna' });
  expect(await told(stage)).toEqual(['contact.created', 'contact.updated']);
  expect((await newest(stage)).name).toBe('Anna');
});

needing('dashboard', '[events.19] of a deleted contact nothing is told but its id', async (stage) => {
  await stage.subscribe();
  const { id } = (await stage.contact()).body;
  await stage.staff('deleteContact', { id });
  expect((await stage.feedTypes())[0]).toBe('contact.deleted');
  expect(await newest(stage)).toEqual({ object: 'contact', id, deleted: true });
});

needing(
  'dashboard',
  '[events.20] a merge tells one deletion, and one change if the survivor gained something',
  async (stage) => {
    await stage.subscribe();
    const ids: string[] = [];
    for (const fields of [{}, { email: 'a@example.com' }, {}])
      ids.push((await stage.contact(fields)).body.id);
    const [survivorId, rich, poor] = ids;
    await stage.staff('mergeContacts', { survivorId, duplicateId: rich });
    const changes = async () => (await told(stage)).filter((type) => type !== 'contact.created').sort();
    expect(await changes()).toEqual(['contact.deleted', 'contact.updated']);
    expect((await stage.api.get(`/contacts/${survivorId}`)).body.email).toBe('a@example.com');
    await stage.staff('mergeContacts', { survivorId, duplicateId: poor });
    expect(await changes()).toEqual(['contact.deleted', 'contact.deleted', 'contact.updated']);
  },
);

needing('dashboard', '[events.21] an import of contacts is told by nobody', async (stage) => {
  await stage.subscribe();
  await stage.staff('importContacts', { contacts: [{ projectId: stage.ownProjectId, name: 'Ann' }] });
  expect((await stage.api.get('/contacts')).body.data).toHaveLength(1);
  expect(await stage.feed()).toEqual([]);
});

needing('company', '[events.38] closing twice is told once', async (stage) => {
  const { conversationId } = await chat(stage);
  for (let times = 0; times < 2; times += 1)
    await stage.api.post(`/conversations/${conversationId}/close`, {});
  expect(await told(stage, 'conversation')).toEqual(['conversation.created', 'conversation.closed']);
});

needing('clock', '[events.39] updated_at can move without an event', async (stage) => {
  await stage.subscribe();
  const { body } = await stage.contact();
  await stage.control.advance(5_000);
  await stage.staff('touch', { id: body.id });
  expect((await stage.api.get(`/contacts/${body.id}`)).body.updated_at).not.toBe(body.updated_at);
  expect(await told(stage)).toEqual(['contact.created']);
});

needing('company', '[events.40] the object in an event is what a GET shows', async (stage) => {
  await stage.subscribe();
  await stage.contact();
  await stage.book();
  const { conversationId } = await stage.staff('customerWrites', { text: 'Hi' });
  await stage.api.post(`/conversations/${conversationId}/close`, {});
  const paths = { contact: '/contacts', appointment: '/appointments', conversation: '/conversations' };
  for (const [kind, path] of Object.entries(paths)) {
    const event = (await stage.feed()).find(({ data }) => data.object.object === kind);
    expect((await stage.api.get(`${path}/${event.data.object.id}`)).body).toEqual(event.data.object);
  }
});

needing('company', '[events.41] what was refused is told by nobody', async (stage) => {
  await stage.subscribe();
  await stage.contact({ email: 'nonsense' });
  await stage.book({ starts_at: '2020-01-01T00:00:00Z' });
  await stage.book({ starts_at: stage.at(23) });
  expect(await stage.feed()).toEqual([]);
});
