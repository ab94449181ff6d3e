import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { type Company, UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

const HOUR_MS = 3_600_000;
const REFUSED = '422 validation';
const STATUSES = ['open', 'closed', 'snoozed', 'spam'];
const REASONS = ['resolved', 'abandoned', 'duplicate', 'spam', 'wrong_channel'];

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

async function found(company: Company, query: string): Promise<string[]> {
  return ids((await company.api.get(`/conversations?${query}`)).body.data);
}

reading('[conversations.object.1] a conversation has every field of the table', async (company) => {
  const conversation = await company.one('/conversations');
  const fields = ['object', 'id', 'project_id', 'channel', 'status', 'customer_name', 'message_count'];
  const times = ['closed_reason', 'closed_at', 'last_message_at', 'created_at', 'updated_at'];
  expect(Object.keys(conversation)).toEqual(expect.arrayContaining([...fields, ...times]));
  expect(conversation.object).toBe('conversation');
});

reading('[conversations.object.2] every conversation is open, closed, snoozed or spam', async (company) => {
  for (const { status } of await company.some('/conversations?limit=100')) expect(STATUSES).toContain(status);
});

reading(
  '[conversations.object.3] an open conversation has neither a reason nor a moment of closing',
  async (company) => {
    for (const one of await company.some('/conversations?status=open'))
      expect([one.closed_reason, one.closed_at]).toEqual([null, null]);
  },
);

needing(
  'clock',
  '[conversations.object.4] the count and the moment of the last message follow the messages',
  async (stage) => {
    const { id, path } = await chat(stage);
    const before = (await stage.api.get(path)).body;
    await stage.control.advance(HOUR_MS);
    await stage.staff('replyToCustomer', { conversationId: id, text: 'Hi' });
    const { body } = await stage.api.get(path);
    expect([before.message_count, body.message_count]).toEqual([1, 2]);
    expect(Date.parse(body.last_message_at)).toBeGreaterThanOrEqual(
      Date.parse(before.last_message_at) + HOUR_MS,
    );
  },
);

needing(
  'dashboard',
  '[conversations.object.5] who closed it cannot be read from the object',
  async (stage) => {
    const [byStaff, byApi] = [await chat(stage), await chat(stage)];
    await stage.staff('closeConversation', { id: byStaff.id });
    await stage.api.post(`${byApi.path}/close`, {});
    const [one, other] = (await stage.api.get('/conversations')).body.data;
    const told = (it: Record<string, unknown>) =>
      Object.entries(it).filter(([name]) => !/(^id|_at)$/.test(name));
    expect(told(one)).toEqual(told(other));
  },
);

needing('company', '[conversations.list.1] several statuses are given with commas between', async (stage) => {
  const [open, closed, snoozed] = [await chat(stage), await chat(stage), await chat(stage)];
  await stage.staff('closeConversation', { id: closed.id });
  await stage.staff('snoozeConversation', { id: snoozed.id });
  expect(await found(stage, 'status=open')).toEqual([open.id]);
  expect(await found(stage, 'status=closed')).toEqual([closed.id]);
  expect(await found(stage, 'status=snoozed,open')).toEqual([snoozed.id, open.id]);
  expect(await found(stage, 'status=spam')).toEqual([]);
});

reading('[conversations.list.2] a status that is not listed is refused', async ({ api }) => {
  for (const status of ['gone', 'open,gone'])
    expect(verdict(await api.get(`/conversations?status=${status}`))).toBe(REFUSED);
});

needing('company', '[conversations.list.3] several channels are given with commas between', async (stage) => {
  const chats: Record<string, string> = {};
  for (const channel of ['web', 'telegram', 'email']) chats[channel] = (await chat(stage, { channel })).id;
  expect(await found(stage, 'channel=telegram')).toEqual([chats['telegram']]);
  expect(await found(stage, 'channel=web,email')).toEqual([chats['email'], chats['web']]);
});

needing('clock', '[conversations.list.4] created[gte] includes its own moment', async (stage) => {
  const older = await chat(stage);
  await stage.control.advance(HOUR_MS);
  const newer = await chat(stage);
  const { created_at } = (await stage.api.get(newer.path)).body;
  expect(await found(stage, `created[gte]=${encodeURIComponent(created_at)}`)).toEqual([newer.id]);
  expect(await found(stage, 'created[gte]=2020-01-01T00:00:00Z')).toEqual([newer.id, older.id]);
});

needing('clock', '[conversations.list.5] created[lte] includes its own moment', async (stage) => {
  const older = await chat(stage);
  const { created_at } = (await stage.api.get(older.path)).body;
  await stage.control.advance(HOUR_MS);
  await chat(stage);
  expect(await found(stage, `created[lte]=${encodeURIComponent(created_at)}`)).toEqual([older.id]);
  expect(await found(stage, 'created[lte]=2020-01-01T00:00:00Z')).toEqual([]);
});

reading('[conversations.list.6] a bound without a zone or without a time is refused', async ({ api }) => {
  for (const bound of ['gte', 'lte'])
    for (const moment of ['yesterday', '2026-01-01', '2026-01-01T00:00:00'])
      expect(verdict(await api.get(`/conversations?created[${bound}]=${moment}`))).toBe(REFUSED);
});

needing('company', '[conversations.list.7] status and channel combine', async (stage) => {
  const wanted = await chat(stage, { channel: 'vk' });
  await chat(stage, { channel: 'web' });
  const closed = await chat(stage, { channel: 'vk' });
  await stage.staff('closeConversation', { id: closed.id });
  expect(await found(stage, 'channel=vk&status=open')).toEqual([wanted.id]);
});

reading('[conversations.get.1] a GET shows the conversation as the list does', async (company) => {
  const listed = await company.one('/conversations?status=closed');
  expect((await company.api.get(`/conversations/${listed.id}`)).body).toEqual(listed);
});

reading('[conversations.get.2] an unknown conversation is not found', async ({ api }) => {
  expect(verdict(await api.get(`/conversations/${UNKNOWN_ID}`))).toBe('404 not-found');
});

needing(
  'company',
  '[conversations.close.1][conversations.close.2] closing without a reason resolves, and says when',
  async (stage) => {
    const { path } = await chat(stage);
    const { status, body } = await stage.api.post(`${path}/close`, {});
    expect([status, body.status, body.closed_reason]).toEqual([200, 'closed', 'resolved']);
    expect(Math.abs(Date.parse(body.closed_at) - Date.now())).toBeLessThan(60_000);
  },
);

needing('company', '[conversations.close.3] every listed reason is stored', async (stage) => {
  for (const reason of REASONS) {
    const { path } = await chat(stage);
    expect((await stage.api.post(`${path}/close`, { reason })).body.closed_reason).toBe(reason);
  }
});

needing(
  'company',
  '[conversations.close.4] another reason is refused, and the conversation stays open',
  async (stage) => {
    const { path } = await chat(stage);
    expect(verdict(await stage.api.post(`${path}/close`, { reason: 'bored' }))).toBe(REFUSED);
    expect((await stage.api.get(path)).body.status).toBe('open');
  },
);

needing(
  'company',
  '[conversations.close.5] closing again changes nothing, not even the reason',
  async (stage) => {
    const { path } = await chat(stage);
    const first = await stage.api.post(`${path}/close`, { reason: 'duplicate' });
    const again = await stage.api.post(`${path}/close`, { reason: 'spam' });
    expect([again.status, again.body]).toEqual([200, first.body]);
  },
);

needing('company', '[conversations.close.6] an unknown conversation cannot be closed', async ({ api }) => {
  expect(verdict(await api.post(`/conversations/${UNKNOWN_ID}/close`, {}))).toBe('404 not-found');
});

needing('company', '[conversations.close.7] a null reason closes', async (stage) => {
  const { path } = await chat(stage);
  const { status, body } = await stage.api.post(`${path}/close`, { reason: null });
  expect([status, body.status]).toEqual([200, 'closed']);
  // The document does not say whether null means the default or stays null.
  expect([null, 'resolved']).toContain(body.closed_reason);
});

needing('company', '[conversations.close.8] closing needs no body', async (stage) => {
  const { path } = await chat(stage);
  expect((await stage.api.post(`${path}/close`)).body.status).toBe('closed');
});
