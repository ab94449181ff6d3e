/**
 * Sends one step of a plan to the platform. A new request leaves without a lookup, because the plan was made from a current list. Each
 * request is stored before it leaves. A request that is still open ends first: it is sent again only if the plan still wants it. If its
 * answer was lost, the submitter finds it among the contact's appointments.
 */

import { RetryableError } from '../../engine/domain/errors.ts';
import { isBookingRequest } from '../../engine/domain/intent.ts';
import { contentHash } from '../../engine/domain/object.ts';
import type { Verdict } from '../../engine/domain/outside-booking.ts';
import { type CarryParts, carry, endForOther } from '../../engine/submit/carry.ts';
import { requestOf, type Subject } from '../../engine/submit/request.ts';

/** `isOther`: the call returned the end of an earlier request of this origin instead, so the plan may be out of date. */
export type Sent = Verdict & { readonly isOther: boolean };

export async function send(parts: CarryParts, origin: string, subject: Subject): Promise<Sent> {
  const record = await parts.intents.read(origin);
  const open = record?.open;
  if (open !== undefined && isBookingRequest(open)) {
    if (contentHash(open.wish) === contentHash(subject.wish))
      return { ...(await carry(parts, { origin, request: open, isFresh: false })), isOther: false };
    const ended = await endForOther(parts, { origin, request: open });
    if (ended) return { ...ended, isOther: true };
  }
  const seed = await parts.intents.seed();
  const facts = { origin, generation: (record?.generation ?? 0) + 1, nowMs: parts.clock.now(), seed };
  const request = requestOf(subject, facts);
  const begun = await parts.intents.begin(origin, request);
  if (begun.outcome !== 'begun') {
    throw new RetryableError('intent-contended', 'several handlers book for one origin at once', {
      target: 'platform',
    });
  }
  return { ...(await carry(parts, { origin, request, isFresh: true })), isOther: false };
}
