import { bookingIdOf } from '../domain/ids.ts';
import type { Snapshot } from '../domain/object.ts';
import { ownOf } from '../domain/outside-booking.ts';
import type { Action, Handler } from '../ports/handler.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import type { ObjectView } from '../ports/work.ts';
import { isLive } from '../submit/current-state.ts';
import { originOf } from './origin.ts';

export interface BookedTwiceParts {
  readonly view: Pick<ObjectView, 'peek'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
}

/**
 * Names two live appointments of one row or event. Workers on both sides of a split may have made them, or one whose writes a failover
 * forgot: the event feed brings the other one. Nothing is cancelled, because only people know which of them counts.
 */
export function createBookedTwice({ view, problems }: BookedTwiceParts): Handler {
  return {
    name: 'booked twice',
    from: 'appointment',
    async reconcile({ snapshot }): Promise<Action> {
      const origin = snapshot && originOf(snapshot);
      if (snapshot === undefined || origin === undefined) return 'nothing';
      const id = bookingIdOf(origin);
      const other = await recordedElse(view, id, snapshot);
      if (isLive(snapshot) && other !== undefined && isLive(other)) {
        await problems.raise(bookedTwice(id, [other.id, snapshot.id]));
      } else if (other !== undefined || !isLive(snapshot)) await problems.clear(targetOf(id));
      return 'nothing';
    },
  };
}

/** Sorted, so that whoever finds them raises the same problem. */
export function bookedTwice(bookingId: string, appointmentIds: readonly string[]) {
  return {
    target: targetOf(bookingId),
    code: 'booked-twice',
    message: `the appointments ${[...appointmentIds].sort().join(' and ')} were booked by one row or event`,
    advice: 'Look at each on the platform, and cancel what is too many. The worker cancels none of them.',
  };
}

function targetOf(bookingId: string): string {
  return `booking:${bookingId}`;
}

/** The appointment that the booking's record names, if it is another one. */
async function recordedElse(
  view: BookedTwiceParts['view'],
  bookingId: string,
  snapshot: Snapshot,
): Promise<Snapshot | undefined> {
  const booking = await view.peek({ kind: 'booking', id: bookingId });
  const own = Object.values(booking?.links ?? {}).flatMap(({ booking: record }) => ownOf(record) ?? []);
  const other = own.find(({ id }) => id !== snapshot.id);
  return other && (await view.peek({ kind: 'appointment', id: other.id }))?.snapshot;
}
