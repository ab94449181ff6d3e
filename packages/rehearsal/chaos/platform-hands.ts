// What happens on the platform without the worker: customers and staff in its dashboard. Nobody is mailed about any of it.
import type { Anybody, Deed } from './act.ts';
import { newSubject, Skipped } from './ledger.ts';
import type { Stage } from './stage.ts';
import { appointmentOf, newPhone } from './subjects.ts';

type DeedOf<Name extends Deed['do']> = Extract<Deed, { do: Name }>;
type Hands<Names extends Deed['do']> = {
  readonly [Name in Names]: (stage: Stage, deed: DeedOf<Name>) => void;
};

export const platformHands: Hands<
  'book' | 'reschedule' | 'cancel' | 'contact' | 'rename-contact' | 'merge-contacts' | 'delete-contact'
> = {
  book(stage, { as, slot, service, with: person }) {
    const { services } = stage.ids;
    const start = stage.hour(slot);
    const phone = newPhone(as);
    const resourceId = personIn(stage, person);
    const appointmentId = stage.platform.dashboard.bookAs('lk', {
      ...{ serviceId: services[service], resourceId, startsAt: start, notify: false },
      ...{ customerName: `Customer ${as}`, customerPhone: phone },
    });
    stage.ledger.add(
      newSubject(
        { name: as, origin: 'platform', phone, appointmentId },
        { by: 'platform', start, resource: resourceId },
      ),
    );
  },

  reschedule(stage, { who, slot, with: person }) {
    const subject = stage.ledger.subject(who);
    const appointment = appointmentOf(stage, subject);
    if (appointment === undefined || appointment['status'] === 'cancelled')
      throw new Skipped('there is no appointment');
    const start = stage.hour(slot);
    const resource = person === undefined ? undefined : personIn(stage, person);
    stage.platform.dashboard.reschedule(String(appointment['id']), {
      ...{ startsAt: start, notify: false },
      ...(resource !== undefined && { resourceId: resource }),
    });
    subject.wishes.push({ by: 'platform', start, ...(resource !== undefined && { resource }) });
    if (resource !== undefined) subject.own = {};
  },

  cancel(stage, { who }) {
    const subject = stage.ledger.subject(who);
    const appointment = appointmentOf(stage, subject);
    if (appointment === undefined || appointment['status'] === 'cancelled')
      throw new Skipped('there is no appointment');
    subject.cancels.push('platform');
    stage.platform.dashboard.cancel(String(appointment['id']), { notify: false });
  },

  contact(stage, { as }) {
    const id = stage.platform.dashboard.createContact({
      ...{ projectId: stage.ids.projectId, name: `Contact ${as}`, phone: newPhone(as) },
    });
    stage.ledger.contacts.set(as, id);
    for (const wished of [`Contact ${as}`, newPhone(as)]) stage.ledger.wishCell(id, wished);
  },

  'rename-contact'(stage, { who, to }) {
    const id = contactOf(stage, who);
    stage.platform.dashboard.changeContact(id, { name: to });
    stage.ledger.wishCell(id, to);
  },

  'merge-contacts'(stage, { who, into }) {
    const duplicate = contactOf(stage, who);
    const kept = contactOf(stage, into);
    stage.platform.dashboard.mergeContacts(kept, duplicate);
    for (const name of stage.ledger.cells.get(duplicate) ?? []) stage.ledger.wishCell(kept, name);
    stage.ledger.contacts.delete(who);
  },

  'delete-contact'(stage, { who }) {
    stage.platform.dashboard.deleteContact(contactOf(stage, who));
    stage.ledger.contacts.delete(who);
  },
};

function personIn({ ids }: Stage, person: Anybody): string {
  const id = ids.people[person];
  if (id === undefined) throw new Skipped(`there is no ${person}`);
  return id;
}

export function contactOf({ ledger }: Stage, name: string): string {
  const id = ledger.contacts.get(name);
  if (id === undefined) throw new Skipped(`there is no ${name}`);
  return id;
}
