import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { type Company, UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

const REFUSED = '422 validation';

interface Chat {
  readonly id: string;
  readonly path: string;
  readonly messageId: string;
}

async function chat(stage: Stage, fields: Record<string, unknown> = {}): Promise<Chat> {
  const { conversationId, messageId } = await stage.staff('customerWrites', { text: 'Hello', ...fields });
  return { id: conversationId, path: `/conversations/${conversationId}`, messageId };
}

const ids = (objects: { id: string }[]): string[] => objects.map(({ id }) => id);

/** Messages of the newest conversations. */
// biome-ignore lint/suspicious/noExplicitAny: objects as the server sent them
async function someMessages(company: Company): Promise<any[]> {
  const lists = [];
  for (const { id } of (await company.some('/conversations')).slice(0, 5))
    lists.push((await company.api.get(`/conversations/${id}/messages`)).body.data);
  return lists.flat();
}

reading(
  '[conversations.messages.1][conversations.messages.2] a message has every field of the table, no project_id and no updated_at',
  async (company) => {
    for (const message of await someMessages(company)) {
      const fields = [
        'object',
        'id',
        'conversation_id',
        'direction',
        'author_type',
        'source',
        'text',
        'attachments',
        'status',
        'created_at',
      ];
      expect(Object.keys(message)).toEqual(expect.arrayContaining(fields));
      expect(message.object).toBe('message');
      expect(Object.keys(message)).not.toContain('project_id');
      expect(Object.keys(message)).not.toContain('updated_at');
    }
  },
);

needing(
  'company',
  '[conversations.messages.3][conversations.messages.6] messages stand newest first and are paged',
  async (stage) => {
    const { id, path, messageId } = await chat(stage);
    const sent = [messageId];
    for (const text of ['one', 'two'])
      sent.unshift(await stage.staff('replyToCustomer', { conversationId: id, text }));
    expect(ids((await stage.api.get(`${path}/messages`)).body.data)).toEqual(sent);
    const page = (await stage.api.get(`${path}/messages?limit=1&starting_after=${sent[0]}`)).body;
    expect([ids(page.data), page.has_more]).toEqual([[sent[1]], true]);
    expect(verdict(await stage.api.get(`${path}/messages?limit=0`))).toBe(REFUSED);
  },
);

reading(
  '[conversations.messages.4] the messages listed are those of the conversation in the path',
  async (company) => {
    for (const { id } of (await company.some('/conversations')).slice(0, 3))
      for (const message of (await company.api.get(`/conversations/${id}/messages`)).body.data)
        expect(message.conversation_id).toBe(id);
  },
);

reading('[conversations.messages.5] a project_id changes nothing in a list of messages', async (company) => {
  const { id, project_id } = await company.one('/conversations?status=closed');
  const path = `/conversations/${id}/messages`;
  const told = (list: { data: { id: string }[] }): string[] => ids(list.data);
  const plain = told((await company.api.get(path)).body);
  expect(told((await company.api.get(`${path}?project_id=${project_id}`)).body)).toEqual(plain);
});

reading(
  '[conversations.messages.7] a message of the customer has no status, one to the customer has',
  async (company) => {
    for (const message of await someMessages(company)) {
      if (message.direction === 'inbound') expect(message.status).toBeNull();
      else expect(['pending', 'delivered', 'failed', 'read']).toContain(message.status);
    }
  },
);

reading(
  '[conversations.messages.8][conversations.messages.9] a failed message, and no other, has a failure with one of three codes',
  async (company) => {
    const codes = ['channel_not_configured', 'recipient_unavailable', 'provider_error'];
    for (const message of await someMessages(company)) {
      if (message.status === 'failed') expect(codes).toContain(message.failure.code);
      else expect(message.failure ?? null).toBeNull();
    }
  },
);

needing(
  'dashboard',
  '[conversations.messages.10] the url of an attachment is null until the file is loaded',
  async (stage) => {
    const { path, messageId } = await chat(stage, { attachments: ['x-ray.png'] });
    const url = async () => (await stage.api.get(`${path}/messages`)).body.data[0].attachments[0].url;
    expect(await url()).toBeNull();
    await stage.staff('finishLoading', { id: messageId });
    expect(await url()).toMatch(/^https:\/\//);
  },
);

needing(
  'clock',
  '[conversations.messages.11] a later listing gives a fresh link to the same file',
  async (stage) => {
    const { path, messageId } = await chat(stage, { attachments: ['x-ray.png'] });
    await stage.staff('finishLoading', { id: messageId });
    const url = async () => (await stage.api.get(`${path}/messages`)).body.data[0].attachments[0].url;
    const before = await url();
    await stage.control.advance(11 * 60_000);
    expect(await url()).not.toBe(before);
  },
);

needing(
  'dashboard',
  '[conversations.messages.12] customer, operator and AI are told apart',
  async (stage) => {
    const { id, path } = await chat(stage);
    await stage.staff('replyToCustomer', { conversationId: id, text: 'Hi', author: 'operator' });
    await stage.staff('replyToCustomer', { conversationId: id, text: 'Hi', author: 'ai' });
    const { data } = (await stage.api.get(`${path}/messages`)).body;
    expect(
      data.map((one: { direction: string; author_type: string }) => [one.direction, one.author_type]),
    ).toEqual([
      ['outbound', 'ai'],
      ['outbound', 'operator'],
      ['inbound', 'customer'],
    ]);
  },
);

reading('[conversations.messages.13] an unknown conversation has no messages to list', async ({ api }) => {
  expect(verdict(await api.get(`/conversations/${UNKNOWN_ID}/messages`))).toBe('404 not-found');
});
