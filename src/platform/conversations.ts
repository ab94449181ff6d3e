import * as z from 'zod';
import type { Snapshot } from '../engine/object.ts';
import type { Page } from '../engine/platform.ts';
import { described, identifier, pageOf, wireObject } from './http-answer.ts';
import { type ListRequest, listQuery, ReadableObjects, segment, type Transport } from './http-transport.ts';

/** A dialogue with a customer (platform API, Conversation). The document shows these fields and says that there are more. */
export interface Conversation extends Snapshot {
  readonly project_id: string;
  readonly channel: string;
  /** `open`, `closed`, `snoozed`, `spam`. */
  readonly status: string;
  readonly customer_name: string | null;
  readonly message_count: number;
  readonly closed_reason: string | null;
  readonly closed_at: string | null;
  readonly last_message_at: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

/** One message (platform API, Message). It has no `updated_at`. */
export interface Message extends Snapshot {
  readonly conversation_id: string;
  /** `inbound`, `outbound`. */
  readonly direction: string;
  readonly author_type: string;
  readonly source: string | null;
  readonly text: string | null;
  /** Links expire after a while. */
  readonly attachments: readonly (Readonly<Record<string, unknown>> & { readonly url?: string | null })[];
  /** `pending`, `delivered`, `failed`, `read`; null for the customer's own messages. */
  readonly status: string | null;
  readonly failure?: { readonly code: string } | null;
  readonly created_at: string;
}

export interface ConversationFilters {
  readonly project_id?: string;
  /** Comma-separated. */
  readonly status?: string;
  /** Comma-separated. */
  readonly channel?: string;
  /** Date-time with zone, inclusive. */
  readonly 'created[gte]'?: string;
  readonly 'created[lte]'?: string;
}

const conversation = described<Conversation>(wireObject('conversation', {}));
const messagePage = pageOf(
  described<Message>(
    wireObject('message', { conversation_id: identifier, attachments: z.array(z.looseObject({})) }),
  ),
);

/** Platform API, Conversations and messages. Sending is missing, because the document does not show its path. */
export class ConversationsApi extends ReadableObjects<Conversation, ConversationFilters> {
  constructor(transport: Transport) {
    super(transport, { of: 'conversations', one: conversation });
  }

  /** Messages to and from the customer, newest first, without the team's internal notes. */
  async messages(conversationId: string, request: ListRequest<object> = {}): Promise<Page<Message>> {
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
