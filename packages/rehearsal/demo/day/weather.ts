// The faults of a bad day, on the way to the worker and on both sides of it.
import type { FaultPlan } from '@slotbridge/sandbox/faults';
import { trouble } from '@slotbridge/sandbox/google/troubles';
import type { DeliveryPolicy } from '@slotbridge/sandbox/platform/options';

/** The real platform forms an event 1 to 3 s after the change. The demo is faster, to save time. */
export const EVENT_DELAY_MS: [number, number] = [200, 800];

/** Each delivery gets its own random delay, so that later events overtake earlier ones. */
export const BAD_DELIVERY = {
  loseShare: 0.2,
  doubleShare: 0.2,
  delayMs: [0, 1_000],
} satisfies Partial<DeliveryPolicy>;

export const GOOD_DELIVERY = {
  loseShare: 0,
  doubleShare: 0,
  delayMs: [0, 50],
} satisfies Partial<DeliveryPolicy>;

const EVENTS = /\/calendars\/[^/]+\/events/;
const WRITES = ['POST', 'PATCH', 'DELETE'];

/** Google answers 503, loses answers of performed calls, and refuses for quota. */
export function spoilGoogle(faults: FaultPlan): void {
  for (const method of WRITES) {
    faults.add({ method, path: EVENTS, share: 0.02, fault: { kind: 'status', status: 503 } });
    faults.add({ method, path: EVENTS, share: 0.02, fault: { kind: 'commit-then-reset' } });
    faults.add({ method, path: EVENTS, share: 0.005, fault: { kind: 'commit-then-status', status: 502 } });
    faults.add({ method, path: EVENTS, share: 0.005, fault: { kind: 'reset' } });
    faults.add({ method, path: EVENTS, share: 0.005, fault: trouble('calendarUserRateLimit') });
    faults.add({ method, path: EVENTS, share: 0.005, fault: trouble('calendarTooMany') });
  }
  faults.add({
    method: 'POST',
    path: /:batchUpdate/,
    skip: 1,
    times: 1,
    fault: { kind: 'commit-then-reset' },
  });
  faults.add({
    method: 'POST',
    path: /:batchUpdate/,
    skip: 2,
    times: 1,
    fault: { kind: 'status', status: 503 },
  });
  faults.add({ method: 'GET', path: /\/values/, skip: 6, times: 1, fault: trouble('sheetsTooMany') });
}

/** The CalDAV server answers 503, and loses answers of performed calls. */
export function spoilCaldav(faults: FaultPlan): void {
  for (const method of ['PUT', 'DELETE']) {
    faults.add({ method, share: 0.02, fault: { kind: 'status', status: 503 } });
    faults.add({ method, share: 0.02, fault: { kind: 'commit-then-reset' } });
    faults.add({ method, share: 0.01, fault: { kind: 'reset' } });
  }
}

/** The platform answers 500 and breaks connections on the paths that the worker reads. */
export function spoilPlatform(faults: FaultPlan): void {
  const path = /^\/v1\/(events|appointments|contacts|conversations)/;
  faults.add({ method: 'GET', path, share: 0.04, fault: { kind: 'status', status: 500 } });
  faults.add({ method: 'GET', path, share: 0.03, fault: { kind: 'reset' } });
}
