import type { Intake, KeptDeliveries } from '../../ports/intake.ts';
import type { Leases } from '../../ports/leases.ts';
import type { Log } from '../../ports/runtime.ts';
import type { Rush } from '../../ports/work.ts';
import { repeat, WakeAll } from '../../work/loops.ts';
import type { Part } from '../../work/supervisor.ts';
import { takeBody } from './delivery.ts';

/** Most deliveries kept: with more of them, deliveries are taken in before they are answered, because Redis holds them in memory. */
const KEPT_MAX = 10_000;
/** Longest delivery kept: a longer one is taken in before it is answered. The platform's own have some thousand characters. */
const KEPT_CHARS_MAX = 16_384;
/** Deliveries taken in by one call of the intake store. */
const TAKEN_AT_ONCE = 50;
/** Time between two looks for deliveries that a dead process has kept. */
const LOOK_EVERY_MS = 5_000;
/** Pause while another process takes the deliveries in: it may have seen the end before the newest arrived. */
const HELD_RETRY_MS = 500;

export interface DeliveryBacklogParts {
  readonly deliveries: KeptDeliveries;
  readonly intake: Intake;
  readonly leases: Leases;
  readonly rush: Rush;
  readonly log: Log;
}

/**
 * In a rush a delivery is only kept and answered, which is less work than taking it in. It is taken in after the rush, or in a turn during
 * it. What a dead process has kept is taken in by another process, or by the next one.
 */
export class DeliveryBacklog implements Part {
  readonly name = 'delivery backlog';
  readonly #parts: DeliveryBacklogParts;
  readonly #bell = new WakeAll();
  /** Waiting deliveries, as of the last one that was kept or removed. */
  #waiting = 0;
  #isCalled = false;

  constructor(parts: DeliveryBacklogParts) {
    this.#parts = parts;
  }

  /** Whether this delivery would be kept now. */
  takes(body: string): boolean {
    return this.#waiting < KEPT_MAX && body.length <= KEPT_CHARS_MAX && this.#parts.rush.isOn();
  }

  /** The delivery is durable once this returns. Rejects with `RetryableError` when that is uncertain. */
  async keep(body: string): Promise<'kept'> {
    this.#waiting = await this.#parts.deliveries.keep(body);
    if (this.#isCalled) return 'kept';
    this.#isCalled = true;
    this.#bell.call();
    return 'kept';
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    const turn = { name: this.name, everyMs: LOOK_EVERY_MS, signal, log, wakeAll: this.#bell };
    await repeat(turn, () => this.#look(signal));
  }

  async #look(until: AbortSignal): Promise<number | undefined> {
    const { deliveries, leases } = this.#parts;
    this.#isCalled = false;
    if ((await deliveries.after(undefined, 1)).length === 0) {
      // Another process may have taken them in.
      this.#waiting = 0;
      return undefined;
    }
    const held = await leases.hold('deliveries', ({ signal }) => this.#takeAll(signal), { until });
    if (held !== undefined) return undefined;
    this.#isCalled = true;
    return HELD_RETRY_MS;
  }

  /** A delivery that cannot be taken in yet delays none behind it. Rejects with the first such error, after trying all. */
  async #takeAll(signal: AbortSignal): Promise<void> {
    const { deliveries, rush } = this.#parts;
    let failed: PromiseRejectedResult | undefined;
    let last: string | undefined;
    while (!signal.aborted) {
      await rush.giveWay();
      const some = await deliveries.after(last, TAKEN_AT_ONCE);
      if (some.length === 0) break;
      last = some.at(-1)?.id;
      const ends = await Promise.allSettled(some.map(({ body }) => takeBody(this.#parts, body)));
      // After a death before this line they are taken in again, which finds that their events are known.
      this.#waiting = await deliveries.remove(
        some.filter((_, nth) => ends[nth]?.status === 'fulfilled').map(({ id }) => id),
      );
      failed ??= ends.find((end) => end.status === 'rejected');
    }
    if (failed !== undefined) throw failed.reason;
  }
}
