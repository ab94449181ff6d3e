/**
 * The platform as a real HTTP server on loopback, written from the platform's document alone. It is as strict as the document;
 * where the document is silent, switches decide.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SandboxClock } from '../clock.ts';
import { FaultPlan } from '../faults.ts';
import { installControl } from './control.ts';
import { Core } from './core.ts';
import { Dashboard } from './dashboard/dashboard.ts';
import type { CourierStats, Letter } from './delivery/courier.ts';
import type { AnnouncedChange } from './events/press.ts';
import type { KeyOptions } from './keys.ts';
import type { DeliveryPolicy, PlatformSandboxOptions, SilentSwitches } from './options.ts';
import { RateLimit } from './rate-limit.ts';
import { buildServer } from './server.ts';
import { Truth } from './truth.ts';

export type { DeliveryPolicy, PlatformSandboxOptions, SilentSwitches } from './options.ts';

const RATE_LIMIT_PER_MINUTE = 600;

export interface SandboxStats extends CourierStats {
  /** Calls to the API, whatever their outcome. */
  requests: number;
  /** By method and route pattern; unknown paths under `unknown`. */
  requestsByRoute: Record<string, number>;
  /** Changes that the platform announces, with or without subscribers. Excludes seeding and imports. */
  changes: number;
  /** Events that entered the feed. */
  eventsFormed: number;
  rateLimited: number;
  /** Emails to customers that were not suppressed by `notify_customer`. */
  customerMails: number;
  /** Events not yet formed, and unfinished deliveries. */
  underWay: number;
  /** Deliveries that wait for their time, mostly for a retry. */
  webhooksWaiting: number;
}

export class PlatformSandbox {
  readonly url: string;
  readonly clock: SandboxClock;
  readonly faults: FaultPlan;
  readonly dashboard: Dashboard;
  readonly truth: Truth;
  readonly #core: Core;
  readonly #app: FastifyInstance;
  readonly #rate: RateLimit;
  readonly #requestsByRoute: Map<string, number>;
  readonly #settled = new Set<() => void>();

  static async start(options: PlatformSandboxOptions = {}): Promise<PlatformSandbox> {
    const clock = options.clock ?? new SandboxClock();
    const core = new Core(clock, options);
    const random = core.random.fork('faults');
    const faults = new FaultPlan(() => random.next());
    const rate = new RateLimit({
      clock,
      perMinute: options.rateLimitPerMinute ?? RATE_LIMIT_PER_MINUTE,
      windowMs: options.rateLimitWindowMs,
    });
    const requestsByRoute = new Map<string, number>();
    const onRequest = (route = 'unknown'): void => {
      requestsByRoute.set(route, (requestsByRoute.get(route) ?? 0) + 1);
    };
    const app = buildServer({ core, rate, faults, onRequest });
    const built = { core, app, rate, faults, requestsByRoute };
    let sandbox: PlatformSandbox | undefined;
    installControl(app, () => sandbox);
    await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
    sandbox = new PlatformSandbox(built);
    return sandbox;
  }

  private constructor(built: {
    core: Core;
    app: FastifyInstance;
    rate: RateLimit;
    faults: FaultPlan;
    requestsByRoute: Map<string, number>;
  }) {
    const address = built.app.server.address() as AddressInfo;
    this.#core = built.core;
    this.#app = built.app;
    this.#rate = built.rate;
    this.#requestsByRoute = built.requestsByRoute;
    this.clock = built.core.clock;
    this.faults = built.faults;
    this.dashboard = new Dashboard(built.core);
    this.truth = new Truth(built.core);
    this.url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}/v1`;
    built.core.courier.onIdle = () => this.#noteIdle();
    built.core.press.onIdle = () => this.#noteIdle();
  }

  get delivery(): DeliveryPolicy {
    return this.#core.courier.policy;
  }

  /**
   * Applies to deliveries dispatched from now on. Setting `hold: false` does not release held deliveries; `releaseHeld` does.
   */
  set delivery(policy: DeliveryPolicy) {
    this.#core.courier.policy = policy;
  }

  /** How many of the next deliveries are lost, whatever the policy says. */
  get webhooksToLose(): number {
    return this.#core.courier.toLose;
  }

  set webhooksToLose(count: number) {
    this.#core.courier.toLose = count;
  }

  get switches(): SilentSwitches {
    return this.#core.switches;
  }

  set switches(switches: SilentSwitches) {
    this.#core.switches = switches;
  }

  get rateLimitPerMinute(): number {
    return this.#rate.perMinute;
  }

  set rateLimitPerMinute(perMinute: number) {
    this.#rate.perMinute = perMinute;
  }

  /** For judges; there may be several. Each is called for every change at its moment, and for every lost delivery. */
  observe(observer: { changed: (change: AnnouncedChange) => void; lost?: (letter: Letter) => void }): void {
    const { press, courier } = this.#core;
    const [toldBefore, lostBefore] = [press.onChange, courier.onLost];
    press.onChange = (change) => {
      toldBefore(change);
      observer.changed(change);
    };
    courier.onLost = (letter) => {
      lostBefore(letter);
      observer.lost?.(letter);
    };
  }

  createKey(options: KeyOptions = {}): string {
    return this.#core.keys.create(options);
  }

  /** New secrets of all webhook endpoints; the old ones sign no more. */
  rollWebhookSecrets(): string[] {
    const endpoints = [...this.#core.world.endpoints.all()];
    for (const endpoint of endpoints) this.#core.endpoints.rollSecret(endpoint, 0);
    return endpoints.map(({ secret }) => secret);
  }

  revokeKey(key: string): void {
    this.#core.keys.revoke(key);
  }

  /** Changes that `work` makes in the dashboard send no events. `work` must be synchronous. */
  silently<T>(work: () => T): T {
    return this.#core.press.silently(work);
  }

  stats(): SandboxStats {
    const { press, courier, world } = this.#core;
    const requestsByRoute = Object.fromEntries(this.#requestsByRoute);
    return {
      requests: Object.values(requestsByRoute).reduce((sum, count) => sum + count, 0),
      requestsByRoute,
      changes: press.changes,
      eventsFormed: press.formed,
      ...courier.stats,
      rateLimited: this.#rate.refused,
      customerMails: world.customerMails.length,
      underWay: this.#underWay,
      webhooksWaiting: courier.waiting,
    };
  }

  /** Resolves when every event is formed and every delivery is answered, lost or given up. Rejects after `timeoutMs`. */
  whenDeliveriesSettle(timeoutMs: number): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#settled.delete(settle);
        reject(new Error(`${this.#underWay} deliveries have not settled in ${timeoutMs} ms`));
      }, timeoutMs);
      const settle = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#settled.add(settle);
    });
  }

  releaseHeld(order: 'as-formed' | 'reversed' | 'shuffled' = 'as-formed'): void {
    this.#core.courier.releaseHeld(order);
  }

  async close(): Promise<void> {
    this.#core.close();
    for (const settle of this.#settled) settle();
    this.#settled.clear();
    await this.#app.close();
  }

  get #underWay(): number {
    return this.#core.press.waiting + this.#core.courier.open;
  }

  #noteIdle(): void {
    if (this.#underWay > 0) return;
    for (const settle of this.#settled) settle();
    this.#settled.clear();
  }
}
