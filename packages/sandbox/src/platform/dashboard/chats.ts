/** Conversations, from the side of customers, staff and the AI assistant. */
import type { Core } from '../core.ts';
import type { ConversationRecord, MessageRecord } from '../records.ts';
import { demand } from './catalogue.ts';

export interface CustomerMessage {
  text: string;
  /** Absent: starts a new conversation. */
  conversationId?: string;
  projectId?: string;
  channel?: string;
  customerName?: string;
  /** Names of files that are still loading: their url is null until `finishLoading`. */
  attachments?: string[];
}

export interface Reply {
  text: string;
  author?: 'operator' | 'ai';
  /** Its current status. Default `pending`. */
  status?: 'pending' | 'delivered' | 'failed';
  failureCode?: 'channel_not_configured' | 'recipient_unavailable' | 'provider_error';
}

export class Chats {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Continues the open conversation, reopens one closed within about two hours, or starts a new one. */
  customerWrites(message: CustomerMessage): { conversationId: string; messageId: string } {
    const conversation = this.#conversationFor(message);
    const { id } = this.#core.conversations.addMessage(conversation, {
      direction: 'inbound',
      authorType: 'customer',
      source: null,
      text: message.text,
      status: null,
      attachments: message.attachments?.map((name) => ({ name, loaded: false })),
    });
    return { conversationId: conversation.id, messageId: id };
  }

  /** A reply by staff or the AI assistant reopens a closed conversation. An archived one stays archived. */
  reply(conversationId: string, reply: Reply): string {
    const conversation = this.#conversation(conversationId);
    if (this.#core.conversations.isArchived(conversation)) conversation.archived = true;
    if (conversation.status === 'closed') this.#core.conversations.reopen(conversation);
    return this.#core.conversations.addMessage(conversation, {
      direction: 'outbound',
      authorType: reply.author ?? 'operator',
      source: null,
      text: reply.text,
      status: reply.status ?? 'pending',
      failureCode: reply.status === 'failed' ? (reply.failureCode ?? 'provider_error') : null,
    }).id;
  }

  close(conversationId: string, reason = 'resolved'): void {
    this.#core.conversations.close(this.#conversation(conversationId), reason);
  }

  reopen(conversationId: string): void {
    this.#core.conversations.reopen(this.#conversation(conversationId));
  }

  escalate(conversationId: string): void {
    this.#core.conversations.escalate(this.#conversation(conversationId));
  }

  snooze(conversationId: string): void {
    this.#core.conversations.setAside(this.#conversation(conversationId), 'snoozed');
  }

  markSpam(conversationId: string): void {
    this.#core.conversations.setAside(this.#conversation(conversationId), 'spam');
  }

  archive(conversationId: string): void {
    this.#conversation(conversationId).archived = true;
  }

  disconnectChannel(conversationId: string): void {
    this.#conversation(conversationId).channelConnected = false;
  }

  /** `pending` to `delivered` or `failed`. In the website chat only, `delivered` to `read`. */
  setMessageStatus(
    messageId: string,
    status: 'delivered' | 'failed' | 'read',
    failureCode: 'channel_not_configured' | 'recipient_unavailable' | 'provider_error' = 'provider_error',
  ): void {
    const message = this.#message(messageId);
    const from = status === 'read' ? 'delivered' : 'pending';
    const isWeb = this.#core.world.conversations.get(message.conversationId)?.channel === 'web';
    if (message.status !== from || (status === 'read' && !isWeb)) {
      throw new RangeError(`a message that is ${message.status} cannot become ${status} here`);
    }
    this.#core.conversations.changeMessage(message, {
      status,
      failureCode: status === 'failed' ? failureCode : null,
    });
  }

  /** Marks the files of a customer's message as loaded: message.updated. */
  finishLoading(messageId: string): void {
    const message = this.#message(messageId);
    const attachments = message.attachments.map(({ name }) => ({ name, loaded: true }));
    this.#core.conversations.changeMessage(message, { attachments });
  }

  #conversationFor(message: CustomerMessage): ConversationRecord {
    const { conversations } = this.#core;
    const known =
      message.conversationId === undefined ? undefined : this.#conversation(message.conversationId);
    if (!known || conversations.isArchived(known)) return this.#start(message, known);
    if (known.status === 'closed' || known.status === 'snoozed') conversations.reopen(known);
    return known;
  }

  #start(message: CustomerMessage, before: ConversationRecord | undefined): ConversationRecord {
    const projectId = message.projectId ?? before?.projectId ?? [...this.#core.world.projects.keys()][0];
    if (projectId === undefined) throw new RangeError('there is no project');
    return this.#core.conversations.open({
      projectId,
      channel: message.channel ?? before?.channel ?? 'web',
      customerName: message.customerName ?? before?.customerName ?? 'Visitor',
    });
  }

  #conversation(id: string): ConversationRecord {
    return demand(this.#core.world.conversations, id);
  }

  #message(id: string): MessageRecord {
    return demand(this.#core.world.messages, id);
  }
}
