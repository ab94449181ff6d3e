/** Conversation and message operations (platform API, Conversations and messages). */
import type { Core } from '../core.ts';
import type { Call, Operation } from '../operation.ts';
import { listBody, pageOf, readCursor } from '../paging.ts';
import { Problem } from '../problem.ts';
import type { ConversationRecord } from '../records.ts';
import { sendMessage } from './message-sending.ts';

const STATUSES = ['open', 'closed', 'snoozed', 'spam'];
const REASONS = ['resolved', 'abandoned', 'duplicate', 'spam', 'wrong_channel'] as const;

export function conversationOperations(core: Core): Operation[] {
  const { renderer, conversations, world } = core;
  const one = '/v1/conversations/:conversation';
  return [
    {
      method: 'GET',
      path: '/v1/conversations',
      scope: 'conversations:read',
      handle: (call) => ({ status: 200, json: list(core, call) }),
    },
    {
      method: 'GET',
      path: one,
      scope: 'conversations:read',
      handle: (call) => ({ status: 200, json: renderer.conversation(find(call)) }),
    },
    {
      method: 'POST',
      path: `${one}/close`,
      scope: 'conversations:write',
      idempotency: 'supported',
      handle: (call) => {
        const conversation = find(call);
        const reason = call.body.oneOf('reason', REASONS) ?? 'resolved';
        call.body.check();
        conversations.close(conversation, reason);
        return { status: 200, json: renderer.conversation(conversation) };
      },
    },
    {
      method: 'GET',
      path: `${one}/messages`,
      scope: 'conversations:read',
      handle: (call) => ({ status: 200, json: listMessages(core, call, find(call)) }),
    },
    {
      method: 'POST',
      path: `${one}/messages`,
      scope: 'conversations:write',
      idempotency: 'supported',
      // The document shows neither method nor path of sending. This is a guess, served only when the switch
      // allows it.
      isServed: () => core.switches.unshownOperations === 'served',
      handle: (call) => ({ status: 201, json: renderer.message(sendMessage(core, call, find(call))) }),
    },
  ];

  function find({ params, caller }: Call): ConversationRecord {
    const conversation = world.conversations.get(params['conversation']?.toLowerCase() ?? '');
    if (!conversation || !caller.sees(conversation.projectId))
      throw new Problem('not-found', 'No such conversation.');
    return conversation;
  }
}

function list({ world, renderer, switches }: Core, { query, caller }: Call): unknown {
  const cursor = readCursor(query);
  const projectId = query.uuid('project_id');
  const statuses = query.someOf('status', STATUSES);
  // The document gives channels only as "values that appear", so an unknown one matches nothing.
  const channels = query.text('channel')?.split(',');
  const from = query.instant('created[gte]') ?? Number.NEGATIVE_INFINITY;
  const to = query.instant('created[lte]') ?? Number.POSITIVE_INFINITY;
  query.check();
  if (projectId) caller.demandProject(projectId);
  const { items, hasMore } = pageOf(world.conversations, cursor, {
    sees: (id) => caller.sees(id),
    unknown: switches.unknownCursor,
    accepts: (conversation) =>
      (projectId === undefined || conversation.projectId === projectId) &&
      (statuses === undefined || statuses.includes(conversation.status)) &&
      (channels === undefined || channels.includes(conversation.channel)) &&
      conversation.createdAt >= from &&
      conversation.createdAt <= to,
  });
  return listBody(items.map(renderer.conversation), hasMore);
}

/** Accepts `project_id` without effect: the messages belong to the conversation in the path. */
function listMessages(core: Core, { query, caller }: Call, conversation: ConversationRecord): unknown {
  const cursor = readCursor(query);
  query.check();
  const { items, hasMore } = pageOf(core.world.messages, cursor, {
    sees: (id) => caller.sees(id),
    unknown: core.switches.unknownCursor,
    accepts: (message) => message.conversationId === conversation.id,
  });
  return listBody(items.map(core.renderer.message), hasMore);
}
