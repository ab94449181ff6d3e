/** A submitter over a real Redis and the platform's sandbox, with one small company, and a clock in the hand. */

import type { PlatformSandboxOptions } from '@slotbridge/sandbox/platform/sandbox';
import type { IntentStore } from '../../../src/engine/intent.ts';
import type { Leases } from '../../../src/engine/leases.ts';
import type { Directory } from '../../../src/engine/mirror.ts';
import type { BookWish, CancelWish, MoveWish } from '../../../src/engine/outside-booking.ts';
import type { ContactLookup, PlatformWriter } from '../../../src/engine/platform.ts';
import { type BookingSubmitter, createBookingSubmitter } from '../../../src/engine/submitter.ts';
import { createCustomerCards, createPlatformWriter } from '../../../src/platform/client.ts';
import { SandboxStands } from '../../platform/sandbox-stand.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../../stand/store.ts';

/** A Tuesday in Moscow; the sandbox's clock stands at Monday noon. */
export const TUESDAY_10 = '2026-03-03T10:00:00+03:00';
export const TUESDAY_12 = '2026-03-03T12:00:00+03:00';
export const TUESDAY_14 = '2026-03-03T14:00:00+03:00';
export const ORIGIN = 'calendar anna@clinic.example event1';
export const PHONE = '+79990001122';
export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** What the submitter stands on, so that a test can put something in between. */
export interface Ground {
  readonly writer: PlatformWriter;
  readonly cards: ContactLookup;
  readonly intents: IntentStore;
  readonly leases: Leases;
}

export class PushStands {
  readonly #platforms = new SandboxStands();
  readonly #stores: TestStore[] = [];
  #redis: Promise<TestRedis> | undefined;

  async start(options: PlatformSandboxOptions = {}) {
    this.#redis ??= startTestRedis();
    const world = await this.#platforms.start({ rateLimitPerMinute: 1_000_000, ...options });
    const store = openTestStore((await this.#redis).url);
    this.#stores.push(store);
    await store.ready();
    const client = world.client();
    const directory = { now: await client.reader.directory() };
    const ground: Ground = {
      writer: createPlatformWriter(client),
      cards: createCustomerCards(client),
      intents: store.intents,
      leases: store.leases,
    };
    const submitter = (own: Ground = ground): BookingSubmitter =>
      createBookingSubmitter({
        ...own,
        directory: { current: (): Directory => directory.now },
        clock: world.clock,
        log: SILENT_LOG,
      });
    return {
      ...world,
      store,
      ground,
      submitter,
      readDirectory: async () => {
        directory.now = await client.reader.directory();
      },
      /** Redis with everything in it is lost. */
      forgetAll: () => store.redis.flushall(),
      live: () =>
        world.sandbox.truth.appointments().filter((appointment) => appointment['status'] !== 'cancelled'),
      book: (more: Partial<BookWish> = {}): BookWish => ({
        op: 'book',
        serviceId: world.serviceId,
        startsAt: TUESDAY_10,
        resourceId: world.annaId,
        customer: { name: 'Ivan', phone: PHONE, create: true },
        notifyCustomer: false,
        ...more,
      }),
      move: (appointmentId: string, startsAt: string, more: Partial<MoveWish> = {}): MoveWish => ({
        op: 'move',
        appointmentId,
        startsAt,
        notifyCustomer: false,
        ...more,
      }),
      cancel: (appointmentId: string, more: Partial<CancelWish> = {}): CancelWish => ({
        op: 'cancel',
        appointmentId,
        notifyCustomer: false,
        ...more,
      }),
    };
  }

  async closeWorlds(): Promise<void> {
    for (const store of this.#stores.splice(0)) store.close();
    await this.#platforms.close();
  }

  async close(): Promise<void> {
    await this.closeWorlds();
    await (await this.#redis)?.stop();
  }
}

export type PushWorld = Awaited<ReturnType<PushStands['start']>>;

/** The appointment of a verdict; fails the test when it is a refusal. */
export function appointmentOf(verdict: Awaited<ReturnType<BookingSubmitter['submit']>>) {
  if (verdict.outcome === 'done') return verdict.appointment;
  throw new Error(`refused with ${verdict.refusal.code}`);
}

/** The refusal of a verdict; fails the test when there is none. */
export function refusalOf(verdict: Awaited<ReturnType<BookingSubmitter['submit']>>) {
  if (verdict.outcome === 'refused') return verdict.refusal;
  throw new Error('not refused');
}
