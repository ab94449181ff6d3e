// Looks up the customer of an appointment: in the contact as stored here, else on the platform.

import type { Snapshot } from '../../engine/domain/object.ts';
import { type EntityKey, formatKey, isId } from '../../engine/domain/object.ts';
import type { KnownCustomer } from '../../engine/domain/person.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { Handler, MirrorTarget } from '../../engine/ports/handler.ts';
import type { Intake } from '../../engine/ports/intake.ts';
import type { PlatformReader } from '../../engine/ports/platform.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { CustomerAppointments, DirtyMarks, ObjectView, WorkQueue } from '../../engine/ports/work.ts';

/** Undefined while the customer is unknown. Rejects with the three error families. */
export type CustomerOf = (appointment: Snapshot) => Promise<KnownCustomer | undefined>;

interface CustomerParts {
  readonly view: Pick<ObjectView, 'peek'>;
  readonly reader: Pick<PlatformReader, 'get'>;
  /** Absent for read-only callers: then nothing is stored. */
  readonly worker?: {
    readonly appointments: Pick<CustomerAppointments, 'note'>;
    readonly intake: Pick<Intake, 'observe'>;
    readonly clock: Clock;
  };
}

export function createCustomers({ view, reader, worker }: CustomerParts): CustomerOf {
  return async (appointment) => {
    const id = appointment['contact_id'];
    if (typeof id !== 'string' || !isId(id)) return undefined;
    // Before the lookup, so that a later change of the contact finds the appointment.
    await worker?.appointments.note(id, appointment.id);
    const key: EntityKey = { kind: 'contact', id };
    const known = await view.peek(key);
    if (known?.deleted === true) return undefined;
    if (known?.snapshot !== undefined && !known.verify) return customerIn(known.snapshot);
    const found = await reader.get(key);
    if (found === undefined) return undefined;
    if (known === undefined) {
      const seen = { as: 'snapshot', snapshot: found } as const;
      await worker?.intake.observe({ key, source: 'list', occurredAtMs: worker.clock.now(), seen });
    }
    return customerIn(found);
  };
}

function customerIn({ lifecycle, name }: Snapshot): KnownCustomer {
  return {
    ...(typeof lifecycle === 'string' && { lifecycle }),
    ...(typeof name === 'string' && name.trim() !== '' && { name }),
  };
}

/** The same target, with the customer added to each claim. */
export function withCustomer(target: MirrorTarget, customerOf: CustomerOf): MirrorTarget {
  const told = async (claim: Claim): Promise<Claim> => {
    if (claim.snapshot === undefined || claim.deleted) return claim;
    return { ...claim, customer: await customerOf(claim.snapshot) };
  };
  return {
    name: target.name,
    from: target.from,
    reconcile: async (claim, failed) => target.reconcile(await told(claim), failed),
    preview: async (claim) => target.preview(await told(claim)),
    planned: async (claim) => target.planned(await told(claim)),
    expected: async (claim) => target.expected(await told(claim)),
    nextTurnAtMs: (claim, nowMs) => target.nextTurnAtMs?.(claim, nowMs),
  };
}

/** Whenever a contact changes, marks dirty the appointments that were judged by it. */
export function createCustomerBell(parts: {
  readonly appointments: CustomerAppointments;
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty'>;
  readonly queue: WorkQueue;
}): Handler {
  const { appointments, dirtyMarks, queue } = parts;
  return {
    name: 'customers',
    from: 'contact',
    async reconcile({ key }) {
      const ids = await appointments.of(key.id);
      if (ids.length === 0) return 'nothing';
      const keys = ids.map((id): EntityKey => ({ kind: 'appointment', id }));
      const unknown = await dirtyMarks.markDirty(keys, { read: false });
      queue.add(keys.filter((each) => !unknown.includes(each)).map(formatKey));
      // Appointments that are forgotten here need no turn. If they come back, they are noted again.
      await appointments.forgetUnknown(
        key.id,
        unknown.map(({ id }) => id),
      );
      return 'nothing';
    },
  };
}
