/** Sending to the customer: the document gives rules and codes, but neither method, path nor payload. */
import type { Core } from '../core.ts';
import type { Call } from '../operation.ts';
import { Problem } from '../problem.ts';
import type { ConversationRecord, MessageRecord } from '../records.ts';

/** Platform API, Limits: message text by channel. The API cannot send to a channel that is not listed. */
const TEXT_CHARS: Readonly<Record<string, number>> = {
  telegram: 4096,
  vk: 4096,
  max: 4000,
  web: 8000,
  email: 8000,
};

export function sendMessage(core: Core, { body }: Call, conversation: ConversationRecord): MessageRecord {
  const charsMax = TEXT_CHARS[conversation.channel];
  if (charsMax === undefined)
    throw new Problem('channel-not-supported', 'This channel cannot be sent to through the API.');
  const text = body.requiredText('text', charsMax);
  body.check();
  if (conversation.channel === 'web' && core.conversations.isArchived(conversation)) {
    throw new Problem(
      'conversation-archived',
      'The chat has finished; the next message of the visitor starts a new one.',
    );
  }
  if (conversation.status === 'closed' || conversation.status === 'spam') {
    throw new Problem('conversation-closed', 'The conversation is closed or marked spam.');
  }
  if (!conversation.channelConnected)
    throw new Problem('channel-disconnected', 'The channel was disconnected.');
  return core.conversations.addMessage(conversation, {
    direction: 'outbound',
    authorType: 'operator',
    source: 'api',
    text,
    status: 'pending',
  });
}
