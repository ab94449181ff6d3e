/** The event feed: what was sent during the last 30 days, newest first, with the same body as sent. */

import type { EventType } from '../event-types.ts';
import { NewestFirst } from '../newest-first.ts';
import { LIMITS, type SilentSwitches } from '../options.ts';
import type { Random } from '../random.ts';

export interface FedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly projectId: string;
  readonly createdAt: number;
  /** The delivered JSON text. */
  readonly body: string;
  /** Sent to an endpoint, or shown anyway because of a switch. */
  readonly isRecorded: boolean;
}

export class Feed {
  readonly #switches: () => SilentSwitches;
  readonly #random: Random;
  readonly #bySending = new NewestFirst<FedEvent>();
  readonly #byCreation = new NewestFirst<FedEvent>();
  readonly #byId = new Map<string, FedEvent>();

  constructor(parts: { switches: () => SilentSwitches; random: Random }) {
    this.#switches = parts.switches;
    this.#random = parts.random;
  }

  record(event: FedEvent): void {
    this.#byId.set(event.id, event);
    this.#bySending.add(event.id, event, { rank: 0 });
    const tie = this.#switches().feedTies === 'any' ? this.#random.next() : 0;
    this.#byCreation.add(event.id, event, { rank: event.createdAt, tie });
  }

  get(id: string): FedEvent | undefined {
    return this.#byId.get(id);
  }

  newestFirst(after?: string): Iterable<FedEvent> {
    return this.#switches().feedOrder === 'sent' ? this.#bySending.walk(after) : this.#byCreation.walk(after);
  }

  /** Within 30 days, and subscribed as the switch `feedFilter` defines it. */
  shows(event: FedEvent, now: number, isSubscribedToday: (event: FedEvent) => boolean): boolean {
    if (now - event.createdAt > LIMITS.feedMs) return false;
    return this.#switches().feedFilter === 'todays-subscription'
      ? isSubscribedToday(event)
      : event.isRecorded;
  }
}
