// Looks at the status again and again, and tells people once what has become wrong, and once when it is over. One process at a time looks,
// by lease. What it remembers stands in Redis, so that neither a restart nor a second worker tells it again. A kill between the webhook's
// answer and the next write to Redis tells that message twice.
import { type AlertBook, type AlertCondition, type AlertName, EMPTY_BOOK } from '../../domain/alert.ts';
import type { LeaseProof, Leases } from '../../ports/leases.ts';
import type { AlertStore } from '../../ports/operator.ts';
import type { StatusSource } from '../status.ts';
import { type AlertBounds, conditionsOf } from './conditions.ts';
import { type DeliveryParts, tellLog, tellWebhook } from './delivery.ts';
import { paceOf } from './pace.ts';
import { type AlertDamping, step } from './step.ts';

export interface AlerterParts extends DeliveryParts {
  readonly status: StatusSource;
  readonly store: AlertStore;
  readonly leases: Leases;
  readonly bounds: AlertBounds;
  readonly damping: AlertDamping;
  /** The alerts that stand now, for the metric. */
  readonly show: (alerts: ReadonlySet<AlertName>) => void;
}

const LEASE = 'alerts';

export class Alerter {
  readonly #parts: AlerterParts;
  /** What only this process can know: that it cannot read the state. */
  #own: AlertBook = EMPTY_BOOK;
  #shared: AlertBook = EMPTY_BOOK;

  constructor(parts: AlerterParts) {
    this.#parts = parts;
  }

  /** Looks once. Never rejects. */
  async look(signal: AbortSignal): Promise<void> {
    const unreadable = await this.#lookTogether(signal).then(
      () => [],
      () => [UNREADABLE],
    );
    if (signal.aborted) return;
    const told = tellLog(this.#parts, this.#step(this.#own, unreadable));
    this.#own = await tellWebhook(this.#parts, told, signal);
    const raised = [...this.#shared.standing, ...this.#own.standing].filter((alert) => alert.isRaised);
    this.#parts.show(new Set(raised.map((alert) => alert.alert)));
  }

  async #lookTogether(signal: AbortSignal): Promise<void> {
    const { leases, store } = this.#parts;
    const held = await leases.hold(LEASE, (lease) => this.#advance(lease, lease.signal), { until: signal });
    // Somebody else looks; the metric of this process says the same all the same.
    this.#shared = held?.result ?? (await store.read());
  }

  async #advance(lease: LeaseProof, signal: AbortSignal): Promise<AlertBook> {
    const { status, store, bounds, clock } = this.#parts;
    const report = await status.read();
    const before = await store.read();
    const pace = paceOf(report, before.pace, clock.now());
    const seen = conditionsOf(report, bounds, clock.now() - pace.sinceMs);
    const decided = { ...this.#step(before, seen), pace };
    // Stored before anybody is told: what was told without being remembered would be told again and again while Redis is full.
    if (!(await store.save(decided, lease)) || signal.aborted) return decided;
    const logged = tellLog(this.#parts, decided);
    if (logged !== decided) await store.save(logged, lease);
    const told = await tellWebhook(this.#parts, logged, signal);
    if (told !== logged) await store.save(told, lease);
    return told;
  }

  #step(book: AlertBook, seen: readonly AlertCondition[]): AlertBook {
    return step(book, seen, { ...this.#parts.damping, nowMs: this.#parts.clock.now() });
  }
}

const UNREADABLE: AlertCondition = {
  alert: 'state-unreadable',
  subject: 'redis',
  text: 'the state in Redis cannot be read or written; webhooks are answered 503, and the platform sends them again',
  advice: 'See that Redis runs and has memory and disk left.',
};
