/**
 * Delivers formed events to endpoints: signed, delayed, sometimes lost or doubled, with retries. In: an event's body and the
 * endpoint. Out: HTTP requests to the customer. Delivers at least once, in no order, except that the policy loses some deliveries
 * which the platform believes it sent.
 */
import type { SandboxClock } from '../../clock.ts';
import { type DeliveryPolicy, LIMITS } from '../options.ts';
import type { Random } from '../random.ts';
import type { EndpointRecord } from '../records.ts';
import { type Outcome, Postman } from './post.ts';
import { signatureHeaders } from './signature.ts';

/** Additional delay of a doubled delivery's second copy, in ms. */
const DOUBLE_GAP_MS: [number, number] = [5, 50];

export interface Letter {
  readonly eventId: string;
  readonly body: string;
}

interface Parcel {
  readonly letter: Letter;
  readonly endpoint: EndpointRecord;
  /** The second copy of a doubled delivery is sent once. Only the first is retried. */
  readonly isCopy: boolean;
}

export interface CourierStats {
  /** Deliveries (event times endpoint) that the platform believes it sent. Includes lost ones, but no copies and retries. */
  webhooksSent: number;
  webhooksLost: number;
  webhooksDoubled: number;
  /** Requests answered 2xx, including copies and retries. */
  webhooksDelivered: number;
  /** All requests, whatever their outcome. */
  webhookAttempts: number;
}

export class Courier {
  policy: DeliveryPolicy;
  /** How many of the next deliveries are lost, whatever the policy says. */
  toLose = 0;
  readonly stats: CourierStats = {
    webhooksSent: 0,
    webhooksLost: 0,
    webhooksDoubled: 0,
    webhooksDelivered: 0,
    webhookAttempts: 0,
  };
  readonly #clock: SandboxClock;
  readonly #random: Random;
  readonly #postman = new Postman();
  #held: Parcel[] = [];
  #underWay = 0;
  #waits = new Map<() => void, Parcel>();
  #alarms = new Map<string, () => void>();
  #isClosed = false;
  /** Called when the last open parcel is finished. */
  onIdle: () => void = () => {};
  /** Called for every delivery that the policy loses. */
  onLost: (letter: Letter) => void = () => {};
  /** Called when an endpoint has had no 2xx for 72 hours. */
  onFailing: (endpoint: EndpointRecord) => void = () => {};

  constructor(parts: { clock: SandboxClock; random: Random; policy: DeliveryPolicy }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.policy = parts.policy;
  }

  /** Unfinished parcels: waiting, held, in flight or before a retry. */
  get open(): number {
    return this.#underWay;
  }

  /** The unfinished parcels that wait for their time, mostly for a retry. */
  get waiting(): number {
    return this.#waits.size;
  }

  send(letter: Letter, endpoint: EndpointRecord): void {
    this.stats.webhooksSent += 1;
    const isUnlucky = this.#random.next() < this.policy.loseShare;
    const isLost = isUnlucky || this.toLose > 0;
    const isDoubled = this.#random.next() < this.policy.doubleShare;
    if (isLost) {
      this.toLose = Math.max(0, this.toLose - 1);
      this.stats.webhooksLost += 1;
      this.onLost(letter);
      return;
    }
    this.#dispatch({ letter, endpoint, isCopy: false }, this.#random.between(this.policy.delayMs));
    if (!isDoubled) return;
    this.stats.webhooksDoubled += 1;
    const gapMs = this.#random.between(DOUBLE_GAP_MS);
    this.#dispatch({ letter, endpoint, isCopy: true }, this.#random.between(this.policy.delayMs) + gapMs);
  }

  /** Sends held deliveries. Starts one request after another, in the given order. */
  releaseHeld(order: 'as-formed' | 'reversed' | 'shuffled'): void {
    const held = this.#held;
    this.#held = [];
    const leaving =
      order === 'as-formed' ? held : order === 'reversed' ? held.reverse() : this.#random.shuffle(held);
    for (const parcel of leaving) void this.#attempt(parcel, 0);
  }

  /** One request outside the policy, without loss or retry (test deliveries). */
  sendOnce(letter: Letter, endpoint: EndpointRecord): Promise<Outcome> {
    return this.#request(letter, endpoint, LIMITS.testTimeoutMs);
  }

  /** Cancels waiting deliveries of a deleted or disabled endpoint (platform API, Webhook endpoint states). */
  cancelFor(endpoint: EndpointRecord): void {
    for (const [cancel, parcel] of [...this.#waits]) {
      if (parcel.endpoint !== endpoint) continue;
      cancel();
      this.#waits.delete(cancel);
      this.#finish();
    }
    const mine = this.#held.filter((parcel) => parcel.endpoint === endpoint);
    this.#held = this.#held.filter((parcel) => parcel.endpoint !== endpoint);
    for (const _ of mine) this.#finish();
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#waits.keys()) cancel();
    for (const cancel of this.#alarms.values()) cancel();
    this.#waits.clear();
    this.#postman.close();
  }

  #dispatch(parcel: Parcel, delayMs: number): void {
    this.#underWay += 1;
    if (this.policy.hold) this.#held.push(parcel);
    else if (delayMs <= 0) void this.#attempt(parcel, 0);
    else this.#wait(parcel, delayMs, 0);
  }

  #wait(parcel: Parcel, delayMs: number, attempt: number): void {
    const cancel = this.#clock.after(delayMs, () => {
      this.#waits.delete(cancel);
      void this.#attempt(parcel, attempt);
    });
    this.#waits.set(cancel, parcel);
  }

  async #attempt(parcel: Parcel, attempt: number): Promise<void> {
    const { endpoint, letter } = parcel;
    this.stats.webhookAttempts += 1;
    const outcome = await this.#request(letter, endpoint, this.policy.timeoutMs);
    if (this.#isClosed) return;
    if (outcome.error === null) {
      this.stats.webhooksDelivered += 1;
      endpoint.failingSince = null;
      this.#finish();
      return;
    }
    this.#noteFailure(endpoint);
    const retryMs = parcel.isCopy ? undefined : this.policy.retryDelaysMs[attempt];
    if (retryMs === undefined || endpoint.status === 'disabled') this.#finish();
    else this.#wait(parcel, retryMs, attempt + 1);
  }

  #request(letter: Letter, endpoint: EndpointRecord, timeoutMs: number): Promise<Outcome> {
    const headers = signatureHeaders({
      scheme: this.policy.signature,
      eventId: letter.eventId,
      body: letter.body,
      secrets: activeSecrets(endpoint, this.#clock.now()),
      sentAtMs: this.#clock.now(),
    });
    return this.#postman.post(endpoint.url, headers, { body: letter.body, timeoutMs });
  }

  /** The first failure starts a period of 72 hours in which a 2xx must come (platform API, Delivery rule 5). */
  #noteFailure(endpoint: EndpointRecord): void {
    if (endpoint.failingSince !== null) return;
    const since = this.#clock.now();
    endpoint.failingSince = since;
    const cancel = this.#clock.after(LIMITS.failingMs, () => {
      if (endpoint.failingSince === since && !this.#isClosed) this.onFailing(endpoint);
    });
    this.#alarms.get(endpoint.id)?.();
    this.#alarms.set(endpoint.id, cancel);
  }

  #finish(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.onIdle();
  }
}

function activeSecrets(endpoint: EndpointRecord, now: number): string[] {
  const old = endpoint.oldSecret;
  return old && old.until > now ? [endpoint.secret, old.secret] : [endpoint.secret];
}
