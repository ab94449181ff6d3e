import { followsCustomers } from '../domain/mirror.ts';
import { type CustomerOf, createCustomerBell, createCustomers } from '../mirrors/filter/customers.ts';
import type { Handler } from '../ports/handler.ts';
import type { Core } from './core.ts';

/** The worker's look at who comes: what it learns of a contact is kept. */
export function openCustomers({ store, remotes, intake, clock }: Core): CustomerOf {
  return createCustomers({
    view: store.ledger,
    reader: remotes.platform.reader,
    worker: { appointments: store.customerAppointments, intake, clock },
  });
}

/** None where nothing asks who comes. */
export function customerHandlers({ config, store, queues }: Core): readonly Handler[] {
  if (!followsCustomers([...config.mirrors, ...config.feeds])) return [];
  const { customerAppointments: appointments, dirtyMarks } = store;
  return [createCustomerBell({ appointments, dirtyMarks, queue: queues.objects })];
}
