/** The platform's data for judges: everything, oldest first, as a GET would show it. */
import type { Core } from './core.ts';
import type { Wire } from './render.ts';
import type { CustomerMail } from './world.ts';

export class Truth {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  contacts(): Wire[] {
    return [...this.#core.world.contacts.all()].map(this.#core.renderer.contact);
  }

  appointments(): Wire[] {
    return [...this.#core.world.appointments.all()].map(this.#core.renderer.appointment);
  }

  /** One object by id; undefined when it does not exist or was deleted. */
  contact(id: string): Wire | undefined {
    const contact = this.#core.world.contacts.get(id);
    return contact && this.#core.renderer.contact(contact);
  }

  appointment(id: string): Wire | undefined {
    const appointment = this.#core.world.appointments.get(id);
    return appointment && this.#core.renderer.appointment(appointment);
  }

  services(): Wire[] {
    return [...this.#core.world.services.all()].map(this.#core.renderer.service);
  }

  resources(): Wire[] {
    const { world, renderer } = this.#core;
    return [...world.resources.all()].map((one) => renderer.resource(one, world.branches.get(one.branchId)));
  }

  branches(): Wire[] {
    return [...this.#core.world.branches.all()].map(this.#core.renderer.branch);
  }

  conversations(): Wire[] {
    return [...this.#core.world.conversations.all()].map(this.#core.renderer.conversation);
  }

  messages(): Wire[] {
    return [...this.#core.world.messages.all()].map(this.#core.renderer.message);
  }

  leads(): Wire[] {
    return [...this.#core.world.leads.all()].map(this.#core.renderer.lead);
  }

  projects(): Wire[] {
    return [...this.#core.world.projects.values()].map(({ id, name }) => ({ id, name }));
  }

  /** Without secrets. */
  endpoints(): Wire[] {
    return [...this.#core.world.endpoints.all()].map(this.#core.renderer.endpoint);
  }

  /** Emails that customers received. */
  customerMails(): CustomerMail[] {
    return [...this.#core.world.customerMails];
  }
}
