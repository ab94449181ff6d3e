import { afterEach, expect, test } from 'vitest';
import { clientFor, failureOf, list, problem, type Seen, Stands } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

const conversation = (more: object = {}) => ({
  object: 'conversation',
  id: 'v',
  project_id: 'p',
  channel: 'pigeon',
  status: 'open',
  closed_reason: null,
  ...more,
});
const message = (id: string, more: object = {}) => ({
  object: 'message',
  id,
  conversation_id: 'v',
  direction: 'inbound',
  text: 'hello',
  attachments: [{ url: null }],
  status: null,
  ...more,
});

async function clientOn(reply: Parameters<Stands['answering']>[0]) {
  const { url, seen } = await stands.answering(reply);
  return { conversations: clientFor(url).conversations, seen };
}

const queryOf = (one: Seen | undefined) => Object.fromEntries(one?.query ?? []);

test('conversations are listed with every filter of the document', async () => {
  const { conversations, seen } = await clientOn(() => list([conversation()], true));
  const filters = {
    project_id: 'p',
    status: 'open,snoozed',
    channel: 'web,telegram',
    'created[gte]': '2026-03-01T00:00:00+03:00',
    'created[lte]': '2026-03-02T00:00:00+03:00',
  };
  expect(await conversations.list({ filters, limit: 5, startingAfter: 'u' })).toEqual({
    data: [conversation()],
    hasMore: true,
  });
  expect(queryOf(seen[0])).toEqual({ ...filters, limit: '5', starting_after: 'u' });
});

test('a conversation is read, and absent on a 404', async () => {
  const { conversations } = await clientOn(({ path }) =>
    path === '/v1/conversations/v' ? { status: 200, body: conversation() } : problem(404, 'not-found'),
  );
  expect(await conversations.get('v')).toEqual(conversation());
  expect(await conversations.get('w')).toBeUndefined();
});

test('a message without its attachments breaks the document', async () => {
  const { conversations } = await clientOn(() => list([message('m', { attachments: null })]));
  const error = await failureOf(conversations.messages('v'));
  expect(error.message).toContain('conversations.messages');
  expect(error.message).toContain('data.0.attachments is not of type array');
});
