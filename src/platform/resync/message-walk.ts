// The platform lists messages only by conversation. So the walk reads the conversations, and the messages of each recently active one,
// newest first, down to a moment. It reads one page at a time, so that the caller can stop and resume after each.
import type { Snapshot } from '../../engine/domain/object.ts';
import type { PlatformReader } from '../../engine/ports/platform.ts';

/** Where the walk is. */
export interface MessagePosition {
  /** Conversations left on the current page. The first is in progress. */
  readonly waiting: readonly string[];
  /** Last message taken from the first of them. */
  readonly message?: string;
  /** Last conversation of that page. */
  readonly conversation: string | undefined;
  readonly isLastPage: boolean;
}

export interface MessageBounds {
  /** Conversations that began earlier are left out; ISO 8601. */
  readonly beganFrom: string;
  /** Messages that were written earlier are left out, and so are conversations whose last message was; ISO 8601. */
  readonly writtenFrom: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface MessageStep {
  readonly found: readonly Snapshot[];
  /** Undefined at the end of the walk. */
  readonly next: MessagePosition | undefined;
}

/** Takes one more page, of conversations (which yields no messages) or of messages. */
export async function takeMessages(
  reader: Pick<PlatformReader, 'page' | 'messages'>,
  position: MessagePosition | undefined,
  bounds: MessageBounds,
): Promise<MessageStep> {
  const [conversationId] = position?.waiting ?? [];
  if (position !== undefined && conversationId !== undefined) {
    return takePage(reader, { ...position, conversationId }, bounds);
  }
  if (position?.isLastPage === true) return { found: [], next: undefined };
  const { limit, signal, beganFrom, writtenFrom } = bounds;
  const page = await reader.page('conversation', {
    ...{ limit, signal },
    ...(position?.conversation === undefined ? {} : { startingAfter: position.conversation }),
    filters: { 'created[gte]': beganFrom },
  });
  const waiting = page.data.filter((each) => isSince(each['last_message_at'], writtenFrom));
  const last = page.data.at(-1)?.id;
  const next = {
    waiting: waiting.map(({ id }) => id),
    conversation: last,
    isLastPage: !page.hasMore || last === undefined,
  };
  return { found: [], next };
}

async function takePage(
  reader: Pick<PlatformReader, 'messages'>,
  position: MessagePosition & { readonly conversationId: string },
  { limit, signal, writtenFrom }: MessageBounds,
): Promise<MessageStep> {
  const { conversationId, message, waiting, ...page } = position;
  const { data, hasMore } = await reader.messages(conversationId, {
    ...{ limit, signal },
    ...(message === undefined ? {} : { startingAfter: message }),
  });
  const found = data.filter((each) => isSince(each['created_at'], writtenFrom));
  const last = data.at(-1);
  const goesOn = hasMore && last !== undefined && isSince(last['created_at'], writtenFrom);
  const next = goesOn ? { ...page, waiting, message: last.id } : { ...page, waiting: waiting.slice(1) };
  return { found, next };
}

/** An unreadable time counts as recent, because a silent omission would be worse. */
function isSince(instant: unknown, from: string): boolean {
  const atMs = Date.parse(String(instant));
  return Number.isNaN(atMs) || atMs >= Date.parse(from);
}
