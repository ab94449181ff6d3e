// The platform lists messages by conversation only: the conversations are walked, and in each that spoke lately its messages, newest
// first, down to a moment. One page at a time, so that whoever walks can stop and go on after each.
import type { Snapshot } from '../../domain/snapshot.ts';
import type { PlatformReader } from '../../ports/platform.ts';

/** Where the walk stands. */
export interface MessagePosition {
  /** Conversations of the page that is being worked through, the first one at work. */
  readonly waiting: readonly string[];
  /** Last message taken of the first of them. */
  readonly message?: string;
  /** Last conversation of that page. */
  readonly conversation: string | undefined;
  readonly isLastPage: boolean;
}

export interface MessageBounds {
  /** Conversations that began earlier are not asked for; ISO 8601. */
  readonly beganFrom: string;
  /** Messages that were written earlier are not asked for, nor conversations whose last one was; ISO 8601. */
  readonly writtenFrom: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface MessageStep {
  readonly found: readonly Snapshot[];
  /** Undefined at the end of the walk. */
  readonly next: MessagePosition | undefined;
}

/** One page more, of conversations (which finds no message) or of messages. */
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

/** A time that cannot be read counts as recent: leaving it out would be silence. */
function isSince(instant: unknown, from: string): boolean {
  const atMs = Date.parse(String(instant));
  return Number.isNaN(atMs) || atMs >= Date.parse(from);
}
