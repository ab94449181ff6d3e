import type { Random } from '@slotbridge/sandbox/platform/random';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { HOUSE, isBlock, type Wire, wireText } from '../judge/company.ts';

/** What the people of the day know: contacts and their bookings. They look up details in the platform's own data. */
export class Notebook {
  readonly #platform: PlatformSandbox;
  readonly #random: Random;
  readonly #appointments: string[];
  #contacts: string[];

  /** `others`: ids of appointments that these people leave alone. */
  constructor(platform: PlatformSandbox, random: Random, others: readonly string[] = []) {
    this.#platform = platform;
    this.#random = random;
    const appointments = platform.truth.appointments().filter((one) => !isBlock(one));
    this.#appointments = appointments.map((one) => wireText(one['id'])).filter((id) => !others.includes(id));
    const contacts = platform.truth.contacts().map((one) => wireText(one['id']));
    this.#contacts = contacts.filter((id) => id !== HOUSE);
  }

  booked(id: string): void {
    this.#appointments.push(id);
  }

  met(contactId: string): void {
    this.#contacts.push(contactId);
  }

  forget(contactId: string): void {
    this.#contacts = this.#contacts.filter((id) => id !== contactId);
  }

  /** A random appointment in one of these statuses, if the tries find one. */
  appointment(...statuses: readonly string[]): Wire | undefined {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const found = this.#platform.truth.appointment(this.#random.pick(this.#appointments));
      if (found !== undefined && statuses.includes(wireText(found['status']))) return found;
    }
    return undefined;
  }

  /** A random conversation in one of these statuses, if there is one. */
  conversation(...statuses: readonly string[]): Wire | undefined {
    return this.#one(
      this.#platform.truth.conversations().filter((one) => statuses.includes(wireText(one['status']))),
    );
  }

  lead(): Wire | undefined {
    return this.#one(this.#platform.truth.leads());
  }

  #one(things: readonly Wire[]): Wire | undefined {
    return things.length === 0 ? undefined : this.#random.pick(things);
  }

  contact(): string {
    return this.#random.pick(this.#contacts);
  }
}

const TRIES_MAX = 200;
