import type { HostSeen, RemoteSide } from '../engine/ports/hosts.ts';
import { type Clock, type Meter, steadyClock } from '../engine/ports/runtime.ts';

/** Since when each side has not answered this process. */
export class Reach {
  readonly #clock: Clock;
  /** Undefined while it answers. */
  readonly #unansweredSinceMs = new Map<RemoteSide, number | undefined>();

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  note(side: RemoteSide, isAnswered: boolean): void {
    const sinceMs = this.#unansweredSinceMs.get(side) ?? this.#clock.now();
    this.#unansweredSinceMs.set(side, isAnswered ? undefined : sinceMs);
  }

  unreachedMs(): HostSeen['unreachedMs'] {
    const of = (side: RemoteSide) => {
      if (!this.#unansweredSinceMs.has(side)) return undefined;
      return Math.round(this.#clock.now() - (this.#unansweredSinceMs.get(side) ?? this.#clock.now()));
    };
    return { platform: of('platform'), google: of('google') };
  }

  /** Notes the platform's answers by its counter of requests. */
  hearing(meter: Meter): Meter {
    return {
      observe: (...seen) => meter.observe(...seen),
      add: (counter, labels, by) => {
        if (counter === 'platform_requests_total') this.note('platform', labels?.['status'] !== 'no-answer');
        meter.add(counter, labels, by);
      },
    };
  }
}
