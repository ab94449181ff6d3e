/** The parts of the platform that its API and its dashboard share. */
import type { SandboxClock } from '../clock.ts';
import { Courier } from './delivery/courier.ts';
import { AppointmentDesk } from './desks/appointments.ts';
import { ContactDesk } from './desks/contacts.ts';
import { ConversationDesk } from './desks/conversations.ts';
import { EndpointDesk } from './desks/endpoints.ts';
import { LeadDesk } from './desks/leads.ts';
import { Feed } from './events/feed.ts';
import { EventPublisher } from './events/press.ts';
import { KeyRing } from './keys.ts';
import {
  DEFAULT_DELIVERY,
  DEFAULT_SWITCHES,
  type PlatformSandboxOptions,
  type SilentSwitches,
} from './options.ts';
import { Random } from './random.ts';
import { Renderer } from './render.ts';
import { World } from './world.ts';

const DEFAULT_EVENT_DELAY_MS: [number, number] = [1000, 3000];

export class Core {
  switches: SilentSwitches;
  readonly clock: SandboxClock;
  readonly random: Random;
  readonly world: World;
  readonly renderer: Renderer;
  readonly feed: Feed;
  readonly courier: Courier;
  readonly press: EventPublisher;
  readonly keys: KeyRing;
  readonly contacts: ContactDesk;
  readonly appointments: AppointmentDesk;
  readonly conversations: ConversationDesk;
  readonly leads: LeadDesk;
  readonly endpoints: EndpointDesk;
  readonly allowsLoopbackHttp: boolean;
  readonly #timers = new Set<() => void>();

  constructor(clock: SandboxClock, options: PlatformSandboxOptions) {
    const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
    const switches = (): SilentSwitches => this.switches;
    this.clock = clock;
    this.switches = { ...DEFAULT_SWITCHES, ...options.switches };
    this.allowsLoopbackHttp = options.allowLoopbackHttpEndpoints ?? true;
    this.random = new Random(seed);
    this.world = new World({ clock, ids: this.random.fork('ids') });
    this.renderer = new Renderer({ switches, now: () => clock.now() });
    this.feed = new Feed({ switches, random: this.random.fork('feed') });
    this.courier = new Courier({
      clock,
      random: this.random.fork('delivery'),
      policy: { ...DEFAULT_DELIVERY, ...options.delivery },
    });
    this.press = new EventPublisher({
      clock,
      random: this.random.fork('events'),
      world: this.world,
      feed: this.feed,
      courier: this.courier,
      renderer: this.renderer,
      switches,
      delayMs: options.eventDelayMs ?? DEFAULT_EVENT_DELAY_MS,
    });
    this.keys = new KeyRing({ random: this.random.fork('keys'), projects: this.world.projects });
    const desk = { clock, world: this.world, press: this.press, switches };
    this.contacts = new ContactDesk(desk);
    this.appointments = new AppointmentDesk(desk);
    this.conversations = new ConversationDesk(desk);
    this.leads = new LeadDesk({ ...desk, after: (ms, run) => this.after(ms, run) });
    this.endpoints = new EndpointDesk({ clock, world: this.world, courier: this.courier });
    this.courier.onFailing = (endpoint) => this.endpoints.disable(endpoint, 'failing');
  }

  /** A timer that is cancelled when the sandbox closes. */
  after(ms: number, run: () => void): void {
    const cancel = this.clock.after(ms, () => {
      this.#timers.delete(cancel);
      run();
    });
    this.#timers.add(cancel);
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.press.close();
    this.courier.close();
  }
}
