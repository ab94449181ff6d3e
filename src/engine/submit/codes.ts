/**
 * What every refusal of create, reschedule and cancel means for the wish (platform API, Errors, Appointment codes and General codes). Other
 * codes are judged by their status. 401, 402, 403 on the scope, 429 and 5xx never get here: they refuse nothing.
 */
import type { TerminalError } from '../domain/errors.ts';

/**
 * `refuse`: the person has to change something, or nothing can be done. `offer`: the same, and another time would help. `other-key`: our
 * key was used with another body or is invalid, and the wish itself was not judged.
 */
export type Behaviour = 'refuse' | 'offer' | 'other-key';

/** Every code of the document that can answer one of the three requests, and the worker's own codes. */
export const BEHAVIOURS = {
  'slot-unavailable': 'offer',
  'outside-working-hours': 'offer',
  'starts-at-in-past': 'offer',
  'no-resources': 'refuse',
  'appointment-not-reschedulable': 'refuse',
  'appointment-not-cancellable': 'refuse',
  'service-inactive': 'refuse',
  'invalid-duration': 'refuse',
  'too-many-guests': 'refuse',
  'service-not-found': 'refuse',
  'branch-not-found': 'refuse',
  'branch-id-required': 'refuse',
  'resource-not-eligible': 'refuse',
  'contact-not-found': 'refuse',
  'bad-request': 'refuse',
  forbidden: 'refuse',
  'not-found': 'refuse',
  conflict: 'refuse',
  validation: 'refuse',
  'idempotency-conflict': 'other-key',
  // Not the booking's fault: it is still carried, under another key or after an operator has acted.
  'idempotency-key-required': 'other-key',
  'idempotency-key-invalid': 'other-key',
  // The worker's own codes.
  'customer-unknown': 'refuse',
  'moved-meanwhile': 'refuse',
  'off-grid': 'offer',
} as const satisfies Record<string, Behaviour>;

/** Codes about the worker's own key; authors of bookings do not see them. */
export type KeyCode = {
  [Code in keyof typeof BEHAVIOURS]: (typeof BEHAVIOURS)[Code] extends 'other-key' ? Code : never;
}[keyof typeof BEHAVIOURS];

export function behaviourOf(error: TerminalError): Behaviour {
  const known: Readonly<Record<string, Behaviour>> = BEHAVIOURS;
  // The list of codes grows. A new 409 concerns the current state, like a taken slot, so other times may help; the rest is refused.
  return (
    (Object.hasOwn(BEHAVIOURS, error.code) ? known[error.code] : undefined) ??
    (error.status === 409 ? 'offer' : 'refuse')
  );
}
