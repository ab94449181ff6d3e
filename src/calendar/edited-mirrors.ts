import {
  type CalendarMirror,
  calendarIdsOf,
  filtersByCustomer,
  type StaffEdits,
} from '../engine/domain/mirror.ts';
import type { Snapshot } from '../engine/domain/object.ts';
import type { KnownCustomer } from '../engine/domain/person.ts';
import type { Claim } from '../engine/domain/work.ts';
import type { DirectorySource } from '../engine/ports/platform.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import type { CustomerOf } from '../mapping/filter/customers.ts';
import { isInTime, takesAppointment } from '../mapping/route.ts';
import { classEdits, showsClass, takenBy } from './classes/class-target.ts';
import { classOf } from './classes/member.ts';

interface EditedMirrorsParts {
  readonly mirrors: readonly CalendarMirror[];
  readonly calendarsOf: (mirror: CalendarMirror) => ReadonlyMap<string, string>;
  readonly customerOf: CustomerOf;
  readonly directory: DirectorySource;
  readonly clock: Clock;
}

/** What the calendar mirrors say about changes to the events of one claim. `staffEdits` overrides a mirror's own rules, by mirror name. */
export function createEditedMirrors({ mirrors, ...parts }: EditedMirrorsParts) {
  const asksForCustomer = filtersByCustomer(mirrors);
  const customerOf = asksForCustomer ? parts.customerOf : undefined;
  return async (claim: Claim, staffEdits: Readonly<Record<string, StaffEdits>> = {}) => {
    const customer = claim.snapshot && (await customerOf?.(claim.snapshot));
    return mirrors.map((mirror) =>
      editedMirror(mirror, { ...parts, customerOf, customer, claim, staffEdits }),
    );
  };
}

function editedMirror(
  mirror: CalendarMirror,
  parts: Pick<EditedMirrorsParts, 'calendarsOf' | 'directory' | 'clock'> & {
    readonly customerOf: CustomerOf | undefined;
    readonly customer: KnownCustomer | undefined;
    readonly claim: Claim;
    readonly staffEdits: Readonly<Record<string, StaffEdits>>;
  },
) {
  const { claim, staffEdits, directory, customer, customerOf } = parts;
  const { name, where } = mirror;
  const isClass = claim.key.kind === 'class';
  const around = (linked: boolean) => {
    return { nowMs: parts.clock.now(), linked, directory: directory.current(), customer };
  };
  const keeps = (snapshot: Snapshot) =>
    takesAppointment(where, snapshot, around(true)) &&
    classOf([mirror.classes], { ...claim, snapshot }, directory.current()) === undefined;
  return {
    name,
    staffEdits: isClass ? classEdits(mirror) : (staffEdits[name] ?? mirror.staffEdits),
    resolved: () => parts.calendarsOf(mirror),
    calendars: calendarIdsOf(mirror),
    takes: (snapshot: Snapshot) => takesAppointment(where, snapshot, around(false)),
    async showsAll(members: readonly Snapshot[], startMs: number) {
      const there = members.map((member) => ({ ...member, starts_at: new Date(startMs).toISOString() }));
      if (!there.every((member) => isInTime(where, member, around(false)))) return false;
      const taken = await takenBy({ mirror, directory, ...(customerOf && { customerOf }) }, members, true);
      return taken.length === members.length;
    },
    keeps: (snapshot: Snapshot) => (isClass ? showsClass(mirror, claim, directory) : keeps(snapshot)),
  };
}
