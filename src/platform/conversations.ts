import * as z from 'zod';
import type { Snapshot } from '../engine/object.ts';
import type { Page } from '../engine/platform.ts';
import { described, identifier, pageOf, wireObject } from './http-answer.ts';
import { type ListRequest, listQuery, ReadableObjects, segment, type Transport } from './http-transport.ts';

const conversation = described<Snapshot>(wireObject('conversation', {}));
const messagePage = pageOf(
  described<Snapshot>(
    wireObject('message', { conversation_id: identifier, attachments: z.array(z.looseObject({})) }),
  ),
);

/** Platform API, Conversations and messages. Sending is missing, because the document does not show its path. */
export class ConversationsApi extends ReadableObjects<Snapshot> {
  constructor(transport: Transport) {
    super(transport, { of: 'conversations', one: conversation });
  }

  /** Messages to and from the customer, newest first, without the team's internal notes. */
  async messages(conversationId: string, request: ListRequest = {}): Promise<Page<Snapshot>> {
    return this.transport.request({
      ...request,
      operation: 'conversations.messages',
      method: 'GET',
      path: `/conversations/${segment(conversationId)}/messages`,
      query: listQuery(request),
      answer: messagePage,
    });
  }
}
