/**
 * One step of a plan to the platform. The plan was made from a list of what stands, so nothing is looked for before a new request. Stored
 * before it leaves; what was begun is finished first, and its answer, if it was lost, is found among the contact's appointments.
 */
import { type CarryParts, carry } from '../bookings/submit/carry.ts';
import { requestOf, type Subject } from '../bookings/submit/request.ts';
import type { Verdict } from '../domain/booking.ts';
import { RetryableError } from '../domain/errors.ts';
import { isBookingRequest } from '../domain/intent.ts';
import { contentHash } from '../domain/snapshot.ts';

/** `isOther`: an earlier request of this origin was finished instead, and the plan may be out of date. */
export type Sent = Verdict & { readonly isOther: boolean };

export async function send(parts: CarryParts, origin: string, subject: Subject): Promise<Sent> {
  const record = await parts.intents.read(origin);
  const open = record?.open;
  if (open !== undefined && isBookingRequest(open)) {
    const verdict = await carry(parts, { origin, request: open, isFresh: false });
    return { ...verdict, isOther: contentHash(open.wish) !== contentHash(subject.wish) };
  }
  const facts = { origin, generation: (record?.generation ?? 0) + 1, nowMs: parts.clock.now() };
  const request = requestOf(subject, facts);
  const begun = await parts.intents.begin(origin, request);
  if (begun.outcome !== 'begun') {
    throw new RetryableError('intent-contended', 'several handlers book for one origin at once', {
      target: 'platform',
    });
  }
  return { ...(await carry(parts, { origin, request, isFresh: true })), isOther: false };
}
