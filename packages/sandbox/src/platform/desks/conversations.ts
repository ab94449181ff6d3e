/** All changes of conversations and their messages, with their events (platform API, Conversation states). */
import { LIMITS } from '../options.ts';
import type { ConversationRecord, MessageRecord } from '../records.ts';
import { assignChanged, type DeskParts } from './desk.ts';

export interface NewMessage {
  readonly direction: MessageRecord['direction'];
  readonly authorType: string;
  readonly source: string | null;
  readonly text: string;
  readonly status: MessageRecord['status'];
  readonly failureCode?: string | null | undefined;
  readonly attachments?: { name: string; loaded: boolean }[] | undefined;
}

export class ConversationDesk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  open(given: {
    projectId: string;
    channel: string;
    customerName: string;
    id?: string | undefined;
  }): ConversationRecord {
    const { world, press, clock } = this.#parts;
    const conversation = world.conversations.add({
      ...world.stamp(given.projectId, given.id),
      channel: given.channel,
      status: 'open',
      customerName: given.customerName,
      messageCount: 0,
      closedReason: null,
      closedAt: null,
      lastMessageAt: clock.now(),
      archived: false,
      channelConnected: true,
    });
    press.announce('conversation.created', conversation);
    return conversation;
  }

  /** Closing again changes nothing, not even the reason. */
  close(conversation: ConversationRecord, reason: string): void {
    if (conversation.status === 'closed') return;
    const closedAt = this.#parts.clock.now();
    this.#set(conversation, { status: 'closed', closedReason: reason, closedAt });
    this.#parts.press.announce('conversation.closed', conversation);
  }

  /** Sends an event when reopened from `closed`, but not from `snoozed` or `spam`. */
  reopen(conversation: ConversationRecord): void {
    const wasClosed = conversation.status === 'closed';
    this.#set(conversation, { status: 'open', closedReason: null, closedAt: null });
    if (wasClosed) this.#parts.press.announce('conversation.reopened', conversation);
  }

  escalate(conversation: ConversationRecord): void {
    this.#parts.press.announce('conversation.escalated', conversation);
  }

  /** The document does not show which operation does this. Neither status sends an event. */
  setAside(conversation: ConversationRecord, status: 'snoozed' | 'spam'): void {
    this.#set(conversation, { status });
  }

  /** Archived, or closed for more than about two hours: the next customer message starts a new conversation. */
  isArchived(conversation: ConversationRecord): boolean {
    if (conversation.archived) return true;
    return (
      conversation.closedAt !== null && this.#parts.clock.now() - conversation.closedAt > LIMITS.reopenMs
    );
  }

  addMessage(conversation: ConversationRecord, given: NewMessage): MessageRecord {
    const { world, press, clock } = this.#parts;
    const message = world.messages.add({
      ...world.stamp(conversation.projectId),
      conversationId: conversation.id,
      direction: given.direction,
      authorType: given.authorType,
      source: given.source,
      text: given.text,
      attachments: given.attachments ?? [],
      status: given.status,
      failureCode: given.failureCode ?? null,
    });
    this.#set(conversation, { messageCount: conversation.messageCount + 1, lastMessageAt: clock.now() });
    press.announce('message.created', message);
    return message;
  }

  /** Sends no event for a status that message.created already showed (platform API, per-type rules). */
  changeMessage(
    message: MessageRecord,
    change: Partial<Pick<MessageRecord, 'status' | 'failureCode' | 'attachments'>>,
  ): void {
    if (!assignChanged<MessageRecord>(message, change)) return;
    this.#parts.world.touch(message);
    this.#parts.press.announce('message.updated', message, { unlessSent: true });
  }

  #set(conversation: ConversationRecord, change: Partial<ConversationRecord>): void {
    if (assignChanged<ConversationRecord>(conversation, change)) this.#parts.world.touch(conversation);
  }
}
