// The faults of a bad day, on the way to the worker and on both sides of it.
import type { Fault, FaultPlan } from '../../sandbox/faults.ts';
import type { DeliveryPolicy } from '../../sandbox/platform/options.ts';

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
    faults.add({ method, path: EVENTS, share: 0.005, fault: calendarQuota(403) });
    faults.add({ method, path: EVENTS, share: 0.005, fault: calendarQuota(429) });
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
  faults.add({ method: 'GET', path: /\/values/, skip: 6, times: 1, fault: sheetsQuota() });
}

/** The platform answers 500 and breaks connections on the paths that the worker reads. */
export function spoilPlatform(faults: FaultPlan): void {
  const path = /^\/v1\/(events|appointments|contacts|conversations)/;
  faults.add({ method: 'GET', path, share: 0.04, fault: { kind: 'status', status: 500 } });
  faults.add({ method: 'GET', path, share: 0.03, fault: { kind: 'reset' } });
}

function calendarQuota(status: 403 | 429): Fault {
  const reason = status === 403 ? 'userRateLimitExceeded' : 'rateLimitExceeded';
  const message = status === 403 ? 'User Rate Limit Exceeded' : 'Rate Limit Exceeded';
  const error = { errors: [{ domain: 'usageLimits', reason, message }], code: status, message };
  return { kind: 'status', status, body: JSON.stringify({ error }) };
}

function sheetsQuota(): Fault {
  const error = { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' };
  return { kind: 'status', status: 429, body: JSON.stringify({ error }) };
}
