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

test('a conversation is closed with its reason, with or without a key', async () => {
  const closed = conversation({ status: 'closed', closed_reason: 'duplicate' });
  const { conversations, seen } = await clientOn(() => ({ status: 200, body: closed }));
  expect(await conversations.close('v', { reason: 'duplicate' }, { idempotencyKey: 'k' })).toEqual(closed);
  await conversations.close('v');
  expect(seen.map((one) => [one.method, one.path, one.body, one.headers['idempotency-key']])).toEqual([
    ['POST', '/v1/conversations/v/close', '{"reason":"duplicate"}', 'k'],
    ['POST', '/v1/conversations/v/close', '{}', undefined],
  ]);
});

test('messages are walked page by page', async () => {
  const { conversations, seen } = await clientOn(({ query }) =>
    query.get('starting_after') === null ? list([message('m2')], true) : list([message('m1')]),
  );
  const ids: string[] = [];
  for await (const page of conversations.messagePages('v')) ids.push(...page.data.map((one) => one.id));
  expect(ids).toEqual(['m2', 'm1']);
  expect(seen.map((one) => one.path)).toEqual(Array(2).fill('/v1/conversations/v/messages'));
});

test('a message without its attachments breaks the document', async () => {
  const { conversations } = await clientOn(() => list([message('m', { attachments: null })]));
  const error = await failureOf(conversations.messages('v'));
  expect(error.message).toContain('conversations.messages');
  expect(error.message).toContain('data.0.attachments is not of type array');
});
