// Classes: several appointments of one service, resource and start, shown in one event. Pure.
import { createHash } from 'node:crypto';
import type { Snapshot } from './object.ts';
import { resourcesOf } from './object.ts';

/** One class: a service with a resource at a start. Its appointments are those of the participants. */
export interface ClassSlot {
  readonly serviceId: string;
  /** The main resource. */
  readonly resourceId: string;
  readonly startMs: number;
}

/** `classes` of a mirror. */
export interface ClassRule {
  /** Names or ids. */
  readonly services: readonly string[];
  /** Services whose number of places differs from that of their resource. */
  readonly places: readonly { readonly service: string; readonly places: number }[];
  readonly title: string;
  readonly description: string | undefined;
  /** Liquid template of one line per appointment. Absent: the event names no one. */
  readonly guests?: string;
  /** What happens to the class when people drag its event to another time: the event is put back, or all appointments move. */
  readonly moved: 'refuse' | 'all';
}

/** One appointment of a class, as the event names it. */
export interface GuestLine {
  readonly id: string;
  /** Escaped for a description. */
  readonly text: string;
  /** Number of people it is for. */
  readonly people: number;
}

/** `guests` of a class: the lines that may be shown, and how many people come in total. */
export interface GuestList {
  readonly lines: readonly GuestLine[];
  readonly people: number;
}

/**
 * Stands in for a mirror name in links. An appointment records its classes under it, and a class the appointments it has notified. No
 * mirror can have this name.
 */
export const CLASSES = '@classes';

/** Undefined for an appointment without resource or start. Also for a cancelled one: only stored links say which class it was in. */
export function slotOf(snapshot: Snapshot): ClassSlot | undefined {
  const { service_id: serviceId, starts_at: startsAt, resource_id: main, status } = snapshot;
  const resourceId = typeof main === 'string' && main !== '' ? main : resourcesOf(snapshot)[0];
  const startMs = Date.parse(String(startsAt));
  if (typeof serviceId !== 'string' || serviceId === '' || status === 'cancelled') return undefined;
  if (resourceId === undefined || Number.isNaN(startMs)) return undefined;
  return { serviceId, resourceId, startMs };
}

/** The same for all appointments of a class, on every machine, and after a loss of Redis. */
export function classIdOf(slot: ClassSlot): string {
  return `c${createHash('sha256').update(classSlotText(slot)).digest('hex').slice(0, CLASS_DIGITS)}`;
}
const CLASS_DIGITS = 32;

/** The form used in links and in the mark of the event. No id contains a space. */
export function classSlotText({ serviceId, resourceId, startMs }: ClassSlot): string {
  return `${serviceId} ${resourceId} ${new Date(startMs).toISOString()}`;
}

/** Parses `classSlotText`; undefined for any other text. */
export function slotIn(text: unknown): ClassSlot | undefined {
  const [serviceId, resourceId, start, ...rest] = typeof text === 'string' ? text.split(' ') : [];
  const startMs = Date.parse(start ?? '');
  if (!serviceId || !resourceId || Number.isNaN(startMs) || rest.length > 0) return undefined;
  return { serviceId, resourceId, startMs };
}

/** The stored snapshot of a class: no personal data, and nothing that a turn takes for the truth. */
export function storedClass(slot: ClassSlot, nowMs: number): Snapshot {
  return {
    ...{
      object: 'class',
      id: classIdOf(slot),
      slot: classSlotText(slot),
      seen_at: new Date(nowMs).toISOString(),
    },
    ...{ service_id: slot.serviceId, resource_id: slot.resourceId },
    starts_at: new Date(slot.startMs).toISOString(),
  };
}

/** Appointments that were moved, and could not be moved back when the class was refused. */
export interface ClassSplit {
  /** ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  readonly ids: readonly string[];
}

/** A class as it is now, from a platform list of its appointments. */
export interface ClassNow extends Snapshot {
  /** The live appointments of the class, each once, always in the same order. */
  readonly members: readonly Snapshot[];
  /** Appointments left at another time by a refused move of the class. */
  readonly split?: ClassSplit;
}

/** `listed` may contain an appointment twice, because pages shift; the newer one counts. */
export function classNow(slot: ClassSlot, listed: readonly Snapshot[]): ClassNow {
  const classId = classIdOf(slot);
  const newest = new Map<string, Snapshot>();
  for (const each of listed) {
    const known = newest.get(each.id);
    if (known === undefined || updatedMs(known) <= updatedMs(each)) newest.set(each.id, each);
  }
  const members = [...newest.values()]
    .filter((each) => {
      const own = slotOf(each);
      return own !== undefined && classIdOf(own) === classId;
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const standing = members.map(({ id, status, guests_count: guests }) => `${id} ${status} ${guests}`).join();
  const updatedAtMs = Math.max(0, ...members.map(updatedMs));
  const updated = updatedAtMs > 0 ? { updated_at: new Date(updatedAtMs).toISOString() } : {};
  return { ...asOne(slot, members), ...updated, standing: digest(standing), members };
}

/**
 * The class as templates and calendars see it: one appointment that combines its members. Without members it is cancelled and names no
 * resources, as a cancelled appointment does.
 */
export function asAppointment(
  now: ClassNow,
  members: readonly Snapshot[],
  places: number | undefined,
): Snapshot {
  const slot = slotIn(now['slot']);
  const taken = members.reduce((sum, each) => sum + guestsOf(each), 0);
  return {
    ...(slot === undefined ? { id: now.id } : asOne(slot, members)),
    standing: now['standing'],
    ...{ bookings: members.length, taken, places: places ?? null },
    ...{
      free: places === undefined ? null : Math.max(0, places - taken),
      over: places === undefined ? 0 : Math.max(0, taken - places),
    },
  };
}

function asOne(slot: ClassSlot, members: readonly Snapshot[]): Snapshot {
  const [first] = members;
  const startsAt = new Date(slot.startMs).toISOString();
  const same = { object: 'class', id: classIdOf(slot), slot: classSlotText(slot), starts_at: startsAt };
  if (first === undefined)
    return {
      ...{ ...same, service_id: slot.serviceId, resource_id: null, resource_ids: [] },
      ...{ status: 'cancelled', ends_at: startsAt },
    };
  const seconds = members.flatMap(resourcesOf).filter((id) => id !== slot.resourceId);
  const { project_id, branch_id, service_name, timezone } = first;
  return {
    ...{ ...same, project_id, branch_id, service_id: slot.serviceId, service_name, timezone },
    ...{ resource_id: slot.resourceId, resource_ids: [slot.resourceId, ...new Set(seconds.sort())] },
    ...{
      status: statusOf(members),
      ends_at: latest(
        members.map(({ ends_at: endsAt }) => endsAt),
        startsAt,
      ),
    },
  };
}

/** The status that all members share; otherwise the class takes place. */
function statusOf(members: readonly Snapshot[]): string {
  const all = new Set(members.map(({ status }) => String(status)));
  const [only] = all;
  return all.size === 1 && only !== undefined ? only : 'confirmed';
}

function latest(instants: readonly unknown[], atLeast: string): string {
  const all = instants.map((each) => Date.parse(String(each))).filter((each) => !Number.isNaN(each));
  return new Date(Math.max(Date.parse(atLeast), ...all)).toISOString();
}

/** Some appointments are for several people. */
export function guestsOf({ guests_count: guests }: Snapshot): number {
  return typeof guests === 'number' && Number.isInteger(guests) && guests > 0 ? guests : 1;
}

function updatedMs({ updated_at: updated }: Snapshot): number {
  const ms = typeof updated === 'string' ? Date.parse(updated) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, CLASS_DIGITS);
}
