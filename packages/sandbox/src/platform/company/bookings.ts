/**
 * Appointments for a seeded company at random free times: most in the future, a few past ones marked as completed or no-show.
 */
import { Problem } from '../problem.ts';
import type { Random } from '../random.ts';
import type { PlatformSandbox } from '../sandbox.ts';
import { localMidnight } from './day.ts';
import { COMMENTS } from './names.ts';

const DAYS_BEHIND = 3;
const DAYS_AHEAD = 21;
const PAST_SHARE = 0.05;
const OPENS_AT_MIN = 9 * 60;
const LAST_START_MIN = 19 * 60 + 30;
const GRID_MIN = 15;
const MINUTE_MS = 60_000;
/** Attempts per appointment before the company counts as full. */
const TRIES_MAX = 400;
const SOURCES = ['widget', 'page', 'lk', 'lk', 'neuro_chat'];

export interface BookingPlan {
  readonly random: Random;
  readonly count: number;
  readonly branchIds: string[];
  readonly personIds: string[];
  readonly serviceIds: string[];
  readonly contactIds: string[];
}

export function bookAppointments(sandbox: PlatformSandbox, plan: BookingPlan): string[] {
  const persons = sandbox.truth
    .resources()
    .filter((resource) => plan.personIds.includes(String(resource['id'])))
    .map((resource) => ({ id: String(resource['id']), timezone: String(resource['timezone']) }));
  const contacts = new Map(sandbox.truth.contacts().map((contact) => [String(contact['id']), contact]));
  const pastCount = Math.floor(plan.count * PAST_SHARE);
  return Array.from({ length: plan.count }, (_, index) => {
    const isPast = index < pastCount;
    const contactId = plan.contactIds.length > 0 ? plan.random.pick(plan.contactIds) : undefined;
    const customer = contactId === undefined ? {} : customerOf(contacts.get(contactId));
    const appointmentId = bookOne(sandbox, plan, { isPast, persons, contactId, customer });
    if (isPast)
      sandbox.dashboard.markAppointment(
        appointmentId,
        plan.random.pick(['completed', 'completed', 'no_show']),
      );
    return appointmentId;
  });
}

interface One {
  readonly isPast: boolean;
  readonly persons: { id: string; timezone: string }[];
  readonly contactId: string | undefined;
  readonly customer: object;
}

function bookOne(sandbox: PlatformSandbox, plan: BookingPlan, one: One): string {
  const { random } = plan;
  const id = random.uuid();
  const now = sandbox.clock.now();
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const person = random.pick(one.persons);
    const day = one.isPast ? -1 - random.below(DAYS_BEHIND) : 1 + random.below(DAYS_AHEAD);
    const minute = OPENS_AT_MIN + GRID_MIN * random.below((LAST_START_MIN - OPENS_AT_MIN) / GRID_MIN);
    const startsAt = localMidnight(now, person.timezone, day) + minute * MINUTE_MS;
    try {
      return sandbox.dashboard.bookAs(random.pick(SOURCES), {
        id,
        serviceId: random.pick(plan.serviceIds),
        resourceId: person.id,
        startsAt,
        notify: false,
        ...(one.contactId === undefined ? { customerName: 'Guest' } : { contactId: one.contactId }),
        ...one.customer,
        ...(random.next() < 0.2 ? { comment: random.pick(COMMENTS) } : {}),
      });
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 409) throw error;
    }
  }
  throw new RangeError(`${plan.count} appointments do not fit into the time of ${one.persons.length} people`);
}

function customerOf(contact: Record<string, unknown> | undefined): object {
  const fields = {
    customerName: contact?.['name'],
    customerPhone: contact?.['phone'],
    customerEmail: contact?.['email'],
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
}
