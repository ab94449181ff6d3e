// Checks the status regularly, and notifies people once when something is wrong and once when it is over. A lease allows one process at a
// time to check. The alert book is in Redis, so that neither a restart nor a second worker repeats a notice. A kill between the webhook's
// answer and the next write to Redis repeats that message.
import { type AlertBook, type AlertCondition, type AlertName, EMPTY_BOOK } from '../../domain/alert.ts';
import type { LeaseProof, Leases } from '../../ports/leases.ts';
import type { AlertStore } from '../../ports/operator.ts';
import type { StatusSource } from '../status.ts';
import { type AlertBounds, conditionsOf } from './conditions.ts';
import { type DeliveryParts, logNotices, postNotices } from './delivery.ts';
import { paceOf } from './pace.ts';
import { type AlertDamping, step } from './step.ts';

export interface AlerterParts extends DeliveryParts {
  readonly status: StatusSource;
  readonly store: AlertStore;
  readonly leases: Leases;
  readonly bounds: AlertBounds;
  readonly damping: AlertDamping;
  /** Receives the current alerts, for the metric. */
  readonly show: (alerts: ReadonlySet<AlertName>) => void;
}

const LEASE = 'alerts';

export class Alerter {
  readonly #parts: AlerterParts;
  /** Alerts that only this process can detect: it cannot read the state. */
  #own: AlertBook = EMPTY_BOOK;
  #shared: AlertBook = EMPTY_BOOK;

  constructor(parts: AlerterParts) {
    this.#parts = parts;
  }

  /** Checks once. Never rejects. */
  async look(signal: AbortSignal): Promise<void> {
    const unreadable = await this.#lookTogether(signal).then(
      () => [],
      () => [UNREADABLE],
    );
    if (signal.aborted) return;
    const told = logNotices(this.#parts, this.#step(this.#own, unreadable));
    this.#own = await postNotices(this.#parts, told, signal);
    const raised = [...this.#shared.standing, ...this.#own.standing].filter((alert) => alert.isRaised);
    this.#parts.show(new Set(raised.map((alert) => alert.alert)));
  }

  async #lookTogether(signal: AbortSignal): Promise<void> {
    const { leases, store } = this.#parts;
    const held = await leases.hold(LEASE, (lease) => this.#advance(lease, lease.signal), { until: signal });
    // Another process holds the lease; this process's metric shows the same alerts anyway.
    this.#shared = held?.result ?? (await store.read());
  }

  async #advance(lease: LeaseProof, signal: AbortSignal): Promise<AlertBook> {
    const { status, store, bounds, clock } = this.#parts;
    const report = await status.read();
    const before = await store.read();
    const pace = paceOf(report, before.pace, clock.now());
    const seen = conditionsOf(report, bounds, clock.now() - pace.sinceMs);
    const decided = { ...this.#step(before, seen), pace };
    // Saved before anybody is notified: without that, the same notice would be sent again and again while Redis is full.
    if (!(await store.save(decided, lease)) || signal.aborted) return decided;
    const logged = logNotices(this.#parts, decided);
    if (logged !== decided) await store.save(logged, lease);
    const told = await postNotices(this.#parts, logged, signal);
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
  text: 'the state in Redis cannot be read or written; webhooks get 503, and the platform sends them again',
  advice: 'Check that Redis runs and has memory and disk left.',
};
