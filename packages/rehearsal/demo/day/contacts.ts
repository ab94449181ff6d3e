// What happens to contacts.
import { wireText } from '../judge/company.ts';
import { accepted } from './api.ts';
import { somePhone } from './attempts.ts';
import type { Cast } from './cast.ts';
import { CUSTOMER_NAMES } from './people.ts';

export async function meetContact({ api, company, notebook, random }: Cast): Promise<void> {
  const met = accepted(
    await api.post('/contacts', {
      project_id: company.projectId,
      name: random.pick(CUSTOMER_NAMES),
      phone: somePhone(random),
      lifecycle: random.pick(['lead', 'customer', 'churned']),
    }),
  );
  if (met !== undefined) notebook.met(wireText(met['id']));
}

export async function changeContact({ api, notebook, random }: Cast): Promise<void> {
  const change = random.pick([
    { name: random.pick(CUSTOMER_NAMES) },
    { phone: somePhone(random) },
    { email: `new${random.below(1_000_000)}@example.com` },
    { email: null },
    { lifecycle: random.pick(['lead', 'mql', 'sql', 'customer', 'churned']) },
  ]);
  accepted(await api.patch(`/contacts/${notebook.contact()}`, change));
}

export function blockOrArchive({ notebook, platform, random }: Cast): void {
  const id = notebook.contact();
  if (random.next() < 0.5) platform.dashboard.blockContact(id);
  else platform.dashboard.changeContact(id, { status: 'archived' });
}

export function deleteContact({ notebook, platform }: Cast): void {
  const id = notebook.contact();
  notebook.forget(id);
  platform.dashboard.deleteContact(id);
}

export function mergeContacts({ notebook, platform }: Cast): void {
  const duplicate = notebook.contact();
  notebook.forget(duplicate);
  platform.dashboard.mergeContacts(notebook.contact(), duplicate);
}
