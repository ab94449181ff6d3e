import { describe, expect, it } from 'vitest';
import type { PlatformSandboxOptions } from '../../src/platform/sandbox.ts';
import { codeOf, openStage, UNKNOWN_ID } from './stage.ts';

const HOUR_MS = 3_600_000;

async function chatting(options: PlatformSandboxOptions = {}, channel = 'web') {
  const stage = await openStage({ delivery: { hold: true }, ...options });
  await stage.endpoint();
  const { chats } = stage.sandbox.dashboard;
  const { conversationId, messageId } = chats.customerWrites({
    text: 'Hello',
    channel,
    customerName: 'Olga',
  });
  const path = `/conversations/${conversationId}`;
  return { stage, chats, conversationId, messageId, path };
}

describe('conversations', () => {
  it('a customer who writes starts one', async () => {
    const { stage, conversationId, messageId, path } = await chatting();
    expect((await stage.get(path)).body).toEqual({
      object: 'conversation',
      id: conversationId,
      project_id: stage.projectId,
      channel: 'web',
      status: 'open',
      customer_name: 'Olga',
      message_count: 1,
      closed_reason: null,
      closed_at: null,
      last_message_at: expect.stringMatching(/Z$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await stage.get(`${path}/messages`)).body.data).toEqual([
      {
        object: 'message',
        id: messageId,
        conversation_id: conversationId,
        direction: 'inbound',
        author_type: 'customer',
        source: null,
        text: 'Hello',
        attachments: [],
        status: null,
        created_at: expect.any(String),
      },
    ]);
    expect(await stage.feedTypes()).toEqual(['message.created', 'conversation.created']);
  });

  it('list by status, channel and creation, bounds inclusive', async () => {
    const { stage, chats, conversationId } = await chatting();
    stage.clock.advance(HOUR_MS);
    const second = chats.customerWrites({ text: 'Hi', channel: 'telegram' }).conversationId;
    chats.close(second);
    const found = async (query: string): Promise<string[]> =>
      (await stage.get(`/conversations?${query}`)).body.data.map((one: { id: string }) => one.id);
    const createdAt = encodeURIComponent(
      (await stage.get(`/conversations/${conversationId}`)).body.created_at,
    );
    expect(await found('status=open,closed')).toEqual([second, conversationId]);
    expect(await found('status=closed')).toEqual([second]);
    expect(await found('channel=web,vk')).toEqual([conversationId]);
    expect(await found(`created[gte]=${createdAt}`)).toEqual([second, conversationId]);
    expect(await found(`created[lte]=${createdAt}`)).toEqual([conversationId]);
    expect((await stage.get('/conversations?status=open,gone')).status).toBe(422);
    expect((await stage.get('/conversations?created[gte]=yesterday')).status).toBe(422);
  });

  it('closing stores the reason, and again changes nothing', async () => {
    const { stage, path } = await chatting();
    const first = await stage.post(`${path}/close`, { reason: 'duplicate' }, { idempotencyKey: null });
    expect([first.status, first.body.status, first.body.closed_reason]).toEqual([200, 'closed', 'duplicate']);
    expect(first.body.closed_at).toMatch(/Z$/);
    const second = await stage.post(`${path}/close`, { reason: 'spam' });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await stage.feedTypes()).filter((type) => type === 'conversation.closed')).toHaveLength(1);
  });

  it('closing needs no body, and only known reasons', async () => {
    const { stage, path } = await chatting();
    expect((await stage.post(`${path}/close`, { reason: 'bored' })).status).toBe(422);
    expect((await stage.post(`${path}/close`)).body.closed_reason).toBe('resolved');
    expect((await stage.post(`/conversations/${UNKNOWN_ID}/close`, {})).status).toBe(404);
  });

  it('a customer who writes within two hours reopens it; later, or from the archive, a new one starts', async () => {
    const { stage, chats, conversationId } = await chatting();
    chats.close(conversationId);
    stage.clock.advance(HOUR_MS);
    expect(chats.customerWrites({ text: 'again', conversationId }).conversationId).toBe(conversationId);
    expect((await stage.feedTypes()).slice(0, 2)).toEqual(['message.created', 'conversation.reopened']);
    chats.close(conversationId);
    stage.clock.advance(2.1 * HOUR_MS);
    expect(chats.customerWrites({ text: 'late', conversationId }).conversationId).not.toBe(conversationId);
    expect((await stage.feedTypes()).slice(0, 2)).toEqual(['message.created', 'conversation.created']);
  });

  it('a staff reply into an archived one reopens it, yet the next customer message starts a new one', async () => {
    const { stage, chats, conversationId, path } = await chatting();
    chats.close(conversationId);
    chats.archive(conversationId);
    chats.reply(conversationId, { text: 'One more thing' });
    expect((await stage.get(path)).body.status).toBe('open');
    expect((await stage.feedTypes()).slice(0, 2)).toEqual(['message.created', 'conversation.reopened']);
    expect(chats.customerWrites({ text: 'yes?', conversationId }).conversationId).not.toBe(conversationId);
  });

  it('a staff reply long after closing leaves it archived too', async () => {
    const { stage, chats, conversationId } = await chatting();
    chats.close(conversationId);
    stage.clock.advance(3 * HOUR_MS);
    chats.reply(conversationId, { text: 'Still there?' });
    expect(chats.customerWrites({ text: 'yes', conversationId }).conversationId).not.toBe(conversationId);
  });

  it('escalation is an event; the return from snoozed or spam is none', async () => {
    const { stage, chats, conversationId, path } = await chatting();
    chats.escalate(conversationId);
    expect((await stage.feedTypes())[0]).toBe('conversation.escalated');
    const before = (await stage.feedTypes()).length;
    chats.snooze(conversationId);
    expect((await stage.get(path)).body.status).toBe('snoozed');
    chats.reopen(conversationId);
    chats.markSpam(conversationId);
    chats.reopen(conversationId);
    expect((await stage.get(path)).body.status).toBe('open');
    expect(await stage.feedTypes()).toHaveLength(before);
  });

  it('closed and reopened within the delay: closed arrives with status open', async () => {
    const { stage, chats, conversationId } = await chatting({ eventDelayMs: [1000, 1000] });
    stage.clock.advance(2000);
    chats.close(conversationId);
    chats.reopen(conversationId);
    stage.clock.advance(2000);
    const { data } = (await stage.get('/events?type=conversation.closed')).body;
    expect(data[0].data.object.status).toBe('open');
  });
});

describe('messages', () => {
  it('pending, delivered, read: each is message.updated; read only in the website chat', async () => {
    const { stage, chats, conversationId, path } = await chatting();
    const id = chats.reply(conversationId, { text: 'Hi' });
    chats.setMessageStatus(id, 'delivered');
    chats.setMessageStatus(id, 'read');
    expect((await stage.get(`${path}/messages`)).body.data[0]).toMatchObject({
      id,
      status: 'read',
      direction: 'outbound',
    });
    expect((await stage.feedTypes()).slice(0, 3)).toEqual([
      'message.updated',
      'message.updated',
      'message.created',
    ]);
    const telegram = chats.customerWrites({ text: 'x', channel: 'telegram' }).conversationId;
    const other = chats.reply(telegram, { text: 'y', status: 'delivered' });
    expect(() => chats.setMessageStatus(other, 'read')).toThrow(RangeError);
  });

  it('a failed one carries its code, others no failure', async () => {
    const { stage, chats, conversationId, path } = await chatting();
    const id = chats.reply(conversationId, { text: 'Hi' });
    expect((await stage.get(`${path}/messages`)).body.data[0]).not.toHaveProperty('failure');
    chats.setMessageStatus(id, 'failed', 'recipient_unavailable');
    expect((await stage.get(`${path}/messages`)).body.data[0]).toMatchObject({
      status: 'failed',
      failure: { code: 'recipient_unavailable' },
    });
  });

  it('when message.created already carried the final status no message.updated follows', async () => {
    const { stage, chats, conversationId } = await chatting({ eventDelayMs: [1000, 1000] });
    stage.clock.advance(2000);
    const id = chats.reply(conversationId, { text: 'Hi' });
    chats.setMessageStatus(id, 'delivered');
    stage.clock.advance(2000);
    const { data } = (await stage.get('/events')).body;
    const ofMessage = data.filter(
      (event: { data: { object: { id: string } } }) => event.data.object.id === id,
    );
    expect(ofMessage.map((event: { type: string }) => event.type)).toEqual(['message.created']);
    expect(ofMessage[0].data.object.status).toBe('delivered');
  });

  it('an attachment has no url until it is loaded, then message.updated', async () => {
    const { stage, chats, path } = await chatting();
    const { messageId, conversationId } = chats.customerWrites({
      text: '',
      conversationId: path.split('/')[2] ?? '',
      attachments: ['a.jpg'],
    });
    const shown = async () =>
      (await stage.get(`/conversations/${conversationId}/messages`)).body.data[0].attachments;
    expect(await shown()).toEqual([{ url: null }]);
    chats.finishLoading(messageId);
    expect(await shown()).toEqual([{ url: expect.stringMatching(/^https:/) }]);
    expect((await stage.feedTypes())[0]).toBe('message.updated');
  });

  it('list newest first, page by cursor, and take a project_id without effect', async () => {
    const { stage, chats, conversationId, path } = await chatting();
    chats.customerWrites({ text: 'elsewhere', channel: 'vk' });
    for (const text of ['1', '2', '3']) chats.reply(conversationId, { text });
    const first = (await stage.get(`${path}/messages?limit=2&project_id=${UNKNOWN_ID}`)).body;
    expect(first.data.map((one: { text: string }) => one.text)).toEqual(['3', '2']);
    const rest = (await stage.get(`${path}/messages?starting_after=${first.data[1].id}`)).body;
    expect(rest.data.map((one: { text: string }) => one.text)).toEqual(['1', 'Hello']);
    expect((await stage.get(`/conversations/${UNKNOWN_ID}/messages`)).status).toBe(404);
  });
});

describe('sending, whose path the document does not show', () => {
  it('is not served by default', async () => {
    const { stage, path } = await chatting();
    expect((await stage.post(`${path}/messages`, { text: 'Hi' })).status).toBe(405);
  });

  it('served by the switch: 201, pending, source api; a repeat with the same key is the same message', async () => {
    const { stage, path } = await chatting({ switches: { unshownOperations: 'served' } });
    const first = await stage.post(`${path}/messages`, { text: 'Hi' }, { idempotencyKey: 'k1' });
    expect([first.status, first.body.status, first.body.source]).toEqual([201, 'pending', 'api']);
    const again = await stage.post(`${path}/messages`, { text: 'Hi' }, { idempotencyKey: 'k1' });
    expect(again.body.id).toBe(first.body.id);
    expect((await stage.get(path)).body.message_count).toBe(2);
  });

  it.each([
    [
      'conversation-closed',
      'web',
      (it: Awaited<ReturnType<typeof chatting>>) => it.chats.close(it.conversationId),
    ],
    [
      'conversation-closed',
      'vk',
      (it: Awaited<ReturnType<typeof chatting>>) => it.chats.markSpam(it.conversationId),
    ],
    [
      'conversation-archived',
      'web',
      (it: Awaited<ReturnType<typeof chatting>>) => it.chats.archive(it.conversationId),
    ],
    ['channel-not-supported', 'image', () => {}],
    [
      'channel-disconnected',
      'max',
      (it: Awaited<ReturnType<typeof chatting>>) => it.chats.disconnectChannel(it.conversationId),
    ],
  ])('%s in %s', async (code, channel, prepare) => {
    const chat = await chatting({ switches: { unshownOperations: 'served' } }, channel);
    prepare(chat);
    const answer = await chat.stage.post(`${chat.path}/messages`, { text: 'Hi' });
    expect([answer.status, codeOf(answer)]).toEqual([409, code]);
  });

  it.each([
    ['telegram', 4096],
    ['vk', 4096],
    ['max', 4000],
    ['web', 8000],
    ['email', 8000],
  ])('%s takes %i characters and no more', async (channel, chars) => {
    const { stage, path } = await chatting({ switches: { unshownOperations: 'served' } }, channel);
    expect((await stage.post(`${path}/messages`, { text: 'x'.repeat(chars) })).status).toBe(201);
    expect((await stage.post(`${path}/messages`, { text: 'x'.repeat(chars + 1) })).status).toBe(422);
  });
});
