import type { SandboxClock } from '../clock.ts';

/** Limits from the platform's document (Limits), and the sandbox's own where the document is silent. */
export const LIMITS = {
  pageDefault: 20,
  pageMax: 100,
  slotsDefault: 100,
  slotsMax: 200,
  slotWindowMs: 31 * 86_400_000,
  idempotencyKeyChars: 64,
  endpointsPerCompany: 10,
  endpointDescriptionChars: 256,
  testsPerMinute: 10,
  testTimeoutMs: 5_000,
  failingMs: 72 * 3_600_000,
  feedMs: 30 * 86_400_000,
  eventBodyBytes: 256 * 1024,
  attachmentLinkMs: 10 * 60_000,
  reopenMs: 2 * 3_600_000,
  requestBodyBytes: 2 * 1024 * 1024,
  requestIdChars: 128,
} as const;

export type SignatureScheme = 'timestamped' | 'body' | 'standard';

/** How webhooks travel. Shares are of the deliveries (event times endpoint), 0 to 1. */
export interface DeliveryPolicy {
  /** Share of deliveries that the platform believes it sent, but the customer never gets. The event is in the feed. */
  loseShare: number;
  /** Share of deliveries sent twice, at different moments. */
  doubleShare: number;
  /** Range of a random wait before sending, which also shuffles deliveries. */
  delayMs: [number, number];
  /** Holds deliveries until `releaseHeld`. */
  hold: boolean;
  /** Waits before the second, third, ... attempt after an answer other than 2xx. */
  retryDelaysMs: number[];
  timeoutMs: number;
  signature: SignatureScheme;
}

export const DEFAULT_DELIVERY: DeliveryPolicy = {
  loseShare: 0,
  doubleShare: 0,
  delayMs: [0, 0],
  hold: false,
  retryDelaysMs: [5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 43_200_000, 86_400_000],
  timeoutMs: 10_000,
  signature: 'timestamped',
};

/**
 * The points on which the platform's document is silent or contradicts itself. The first value of each is the default.
 */
export interface SilentSwitches {
  /** A path outside the API with a valid key. `split`: unknown first segment 403, unknown path below a known one 404. */
  unknownPath: 'split' | 'forbidden' | 'not-found';
  /** `starting_after` with a well-formed but unknown id. */
  unknownCursor: 'empty-page' | 'validation';
  /** Which answers an Idempotency-Key remembers. */
  idempotencyRemembers: '2xx-and-409' | '2xx' | 'all-but-422';
  idempotencyHours: number;
  /** Whether a repeated body is compared as a JSON value or byte by byte. */
  idempotencyCompares: 'json' | 'bytes';
  idempotencyScope: 'key' | 'company';
  /** Whether events for a disabled endpoint still enter the feed. */
  feedWhileDisabled: 'skipped' | 'recorded';
  /** Whether the feed shows what was subscribed when the event was sent, or what is subscribed today. */
  feedFilter: 'when-sent' | 'todays-subscription';
  feedOrder: 'sent' | 'created';
  /** Order of events with the same moment in a feed ordered by creation. */
  feedTies: 'sent' | 'any';
  /** Groups that the key cannot read. */
  feedUnreadableGroups: 'left-out' | 'forbidden';
  /** Who sees an endpoint whose `project_ids` is null. */
  companyWideEndpoint: 'all-projects-key' | 'every-key';
  wildcard: 'alone' | 'beside-others';
  durationOnFixed: 'validation' | 'ignored';
  durationAbsentOnInterval: 'minimum' | 'validation';
  intervalPrice: 'per-unit' | 'flat';
  slotsUntil: 'ends-by-to' | 'starts-before-to';
  bookingGrid: 'free' | 'enforced';
  plusInQueryTime: 'validation' | 'accepted';
  mergeAppointments: 'to-survivor' | 'contact-null';
  /** A `customer_phone` that is not a phone number. */
  oddCustomerPhone: 'validation' | 'as-given';
  /** `customer_name` and `customer_email` beside `contact_id`. */
  customerFieldsBesideContact: 'appointment-only' | 'overwrite-contact';
  /** `resource_id` of a cancelled appointment (`resource_ids` is always empty). */
  cancelledResourceId: 'kept' | 'null';
  /** Precision of `created_at` and `updated_at`. With seconds, quick changes have an equal `updated_at`. */
  timestamps: 'milliseconds' | 'seconds';
  /** `updated_at` of every contact and appointment. */
  updatedAt: 'shown' | 'null';
  /** Message sending and lead operations, whose paths the document does not show. */
  unshownOperations: 'not-served' | 'served';
  /** Delay of every call but a GET before it is performed, in ms; makes `idempotency-in-progress` reachable. */
  workMs: number;
}

export const DEFAULT_SWITCHES: SilentSwitches = {
  unknownPath: 'split',
  unknownCursor: 'empty-page',
  idempotencyRemembers: '2xx-and-409',
  idempotencyHours: 24,
  idempotencyCompares: 'json',
  idempotencyScope: 'key',
  feedWhileDisabled: 'skipped',
  feedFilter: 'when-sent',
  feedOrder: 'sent',
  feedTies: 'sent',
  feedUnreadableGroups: 'left-out',
  companyWideEndpoint: 'all-projects-key',
  wildcard: 'alone',
  durationOnFixed: 'validation',
  durationAbsentOnInterval: 'minimum',
  intervalPrice: 'per-unit',
  slotsUntil: 'ends-by-to',
  bookingGrid: 'free',
  plusInQueryTime: 'validation',
  mergeAppointments: 'to-survivor',
  oddCustomerPhone: 'validation',
  customerFieldsBesideContact: 'appointment-only',
  cancelledResourceId: 'kept',
  timestamps: 'milliseconds',
  updatedAt: 'shown',
  unshownOperations: 'not-served',
  workMs: 0,
};

export interface PlatformSandboxOptions {
  host?: string;
  port?: number;
  clock?: SandboxClock;
  /** The same seed gives the same ids, delays and losses. Absent: a random seed. */
  seed?: number;
  rateLimitPerMinute?: number;
  /** Length of the window in milliseconds, for tests that cannot wait a minute. Default 60 000. */
  rateLimitWindowMs?: number;
  /** Delay from a change to the event's snapshot. [0, 0]: inside the change itself. */
  eventDelayMs?: [number, number];
  delivery?: Partial<DeliveryPolicy>;
  switches?: Partial<SilentSwitches>;
  /** The only deliberate relaxation: endpoint urls on loopback may be plain http. Default true. */
  allowLoopbackHttpEndpoints?: boolean;
}
