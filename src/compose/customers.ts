import { followsCustomers } from '../domain/mirror.ts';
import { type CustomerOf, createCustomerBell, createCustomers } from '../mirrors/filter/customers.ts';
import type { Handler } from '../ports/handler.ts';
import type { Core } from './core.ts';

/** Looks up the customers of appointments, and keeps what the worker learns about a contact. */
export function openCustomers({ store, remotes, intake, clock }: Core): CustomerOf {
  return createCustomers({
    view: store.ledger,
    reader: remotes.platform.reader,
    worker: { appointments: store.customerAppointments, intake, clock },
  });
}

/** Empty unless a mirror or feed depends on the customer. */
export function customerHandlers({ config, store, queues }: Core): readonly Handler[] {
  if (!followsCustomers([...config.mirrors, ...config.feeds])) return [];
  const { customerAppointments: appointments, dirtyMarks } = store;
  return [createCustomerBell({ appointments, dirtyMarks, queue: queues.objects })];
}
