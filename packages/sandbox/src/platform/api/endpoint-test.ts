/**
 * Test deliveries (platform API, POST .../test): sent immediately, without retries, never in the feed. One at a time, and ten a minute for
 * the whole company. A disabled endpoint can also be tested.
 */
import type { Core } from '../core.ts';
import { isEventType } from '../event-types.ts';
import { testEvent } from '../events/sample.ts';
import { utc } from '../instant.ts';
import type { Call } from '../operation.ts';
import { LIMITS } from '../options.ts';
import { Problem } from '../problem.ts';
import type { EndpointRecord } from '../records.ts';

const MINUTE_MS = 60_000;

export class EndpointTest {
  readonly #core: Core;
  #isRunning = false;
  #startedAt: number[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  async run(endpoint: EndpointRecord, { body, caller }: Call): Promise<Record<string, unknown>> {
    const type = body.requiredText('type');
    if (type !== '' && !isEventType(type)) body.complaints.add('type', 'must be an event type');
    body.check();
    if (!isEventType(type)) throw new Problem('internal', 'unreachable: the type was checked');
    if (!caller.canRead(type)) throw new Problem('forbidden', `The key cannot read: ${type}.`);
    if (this.#isRunning)
      throw new Problem('webhook-test-in-progress', 'A test is already running for the company.');
    this.#takeTurn();
    this.#isRunning = true;
    try {
      return await this.#deliver(endpoint, type);
    } finally {
      this.#isRunning = false;
    }
  }

  async #deliver(
    endpoint: EndpointRecord,
    type: Parameters<typeof testEvent>[0],
  ): Promise<Record<string, unknown>> {
    const { clock, courier, world } = this.#core;
    const now = clock.now();
    const eventId = world.newId();
    const letter = { eventId, body: JSON.stringify(testEvent(type, { id: eventId, now })) };
    const outcome = await courier.sendOnce(letter, endpoint);
    return {
      object: 'webhook_delivery',
      id: world.newId(),
      event_id: eventId,
      // The document does not show the allowed values of `status`.
      status: outcome.error === null ? 'succeeded' : 'failed',
      status_code: outcome.statusCode,
      duration_ms: outcome.durationMs,
      error: outcome.error,
      created_at: utc(now),
    };
  }

  #takeTurn(): void {
    const now = this.#core.clock.now();
    this.#startedAt = this.#startedAt.filter((at) => now - at < MINUTE_MS);
    const oldest = this.#startedAt[0];
    if (this.#startedAt.length >= LIMITS.testsPerMinute && oldest !== undefined) {
      const seconds = Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1000));
      throw new Problem('rate-limited', 'Too many test events.', {
        headers: { 'Retry-After': String(seconds) },
      });
    }
    this.#startedAt.push(now);
  }
}
