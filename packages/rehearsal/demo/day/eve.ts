import { customerWrites, staffReply, type Talking } from './chats.ts';
import { carryLeadOn, orderCall } from './leads.ts';

const CHATS = 60;
const LEADS = 40;

/**
 * Conversations and callback requests from before the worker's first start. The endpoint already exists, so they are in the
 * feed.
 */
export function talkBefore(cast: Talking): void {
  for (let count = 0; count < CHATS; count += 1) {
    customerWrites(cast);
    if (count % 2 === 0) staffReply(cast);
  }
  for (let count = 0; count < LEADS; count += 1) orderCall(cast);
  for (let count = 0; count < LEADS; count += 1) carryLeadOn(cast);
}
