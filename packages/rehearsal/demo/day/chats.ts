// What happens in conversations. No act snoozes one or marks it as spam: the platform sends no event for that.
import { wireText } from '../judge/company.ts';
import type { Cast } from './cast.ts';
import { CUSTOMER_NAMES, REMARKS } from './people.ts';

const CHANNELS = ['web', 'web', 'telegram', 'vk'];

/** Writes in a new conversation or an existing one; a closed one is thereby reopened. */
export function customerWrites({ company, notebook, platform, random }: Talking): void {
  const known = random.next() < 0.6 ? notebook.conversation('open', 'closed') : undefined;
  const { chats } = platform.dashboard;
  if (known !== undefined) {
    chats.customerWrites({ text: random.pick(REMARKS), conversationId: wireText(known['id']) });
    return;
  }
  chats.customerWrites({
    text: random.pick(REMARKS),
    projectId: company.projectId,
    channel: random.pick(CHANNELS),
    customerName: random.pick(CUSTOMER_NAMES),
  });
}

export function staffReply({ notebook, platform, random }: Talking): void {
  const conversation = notebook.conversation('open', 'closed');
  if (conversation === undefined) return;
  const { chats } = platform.dashboard;
  const author = random.pick(['operator', 'ai'] as const);
  const id = chats.reply(wireText(conversation['id']), { text: random.pick(REMARKS), author });
  chats.setMessageStatus(id, random.pick(['delivered', 'delivered', 'failed'] as const));
}

export function closeChat({ notebook, platform, random }: Talking): void {
  const conversation = notebook.conversation('open');
  const reason = random.pick(['resolved', 'abandoned', 'duplicate']);
  if (conversation !== undefined) platform.dashboard.chats.close(wireText(conversation['id']), reason);
}

/** Its closed and reopened events may arrive in any order, and both may show it open. */
export function reopenChat({ notebook, platform }: Talking): void {
  const conversation = notebook.conversation('closed');
  if (conversation !== undefined) platform.dashboard.chats.reopen(wireText(conversation['id']));
}

export function escalateChat({ notebook, platform }: Talking): void {
  const conversation = notebook.conversation('open');
  if (conversation !== undefined) platform.dashboard.chats.escalate(wireText(conversation['id']));
}

/** The part of the cast without the API. */
export type Talking = Pick<Cast, 'company' | 'notebook' | 'platform' | 'random'>;
