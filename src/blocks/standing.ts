/** What stands on the platform for one person, read as it is now: blocks, and what others have taken. */
import { originOf } from '../bookings/outside/origin.ts';
import { isBlockOrigin, type Span } from '../domain/block.ts';
import { RetryableError } from '../domain/errors.ts';
import type { Appointment } from '../domain/snapshot.ts';
import type { PlatformWriter } from '../ports/platform.ts';
import type { Person } from './people.ts';
import type { StandingBlock } from './plan.ts';

/** One person's appointments in a turn, out of a hundred. */
const PAGES_MAX = 30;
/** The same for everybody, where somebody waits for it. */
export const ALL_PAGES_MAX = 2_000;
/** The list goes by beginnings: what began the day before may go on. */
export const BEGUN_BEFORE_MS = 24 * 3_600_000;

/** Statuses that can be moved and cancelled (platform API, Appointment states). */
export const OPEN_STATUSES = new Set(['pending', 'confirmed']);

export interface StandingTime {
  readonly blocks: readonly StandingBlock[];
  readonly taken: readonly Span[];
}

/** Rejects unless the whole list was read: what it does not show would be booked again. */
export async function readStanding(
  writer: Pick<PlatformWriter, 'list'>,
  person: Person,
  within: Span,
): Promise<StandingTime> {
  const filters = {
    resource_id: person.resourceId,
    'starts_at[gte]': new Date(within.startMs - BEGUN_BEFORE_MS).toISOString(),
    'starts_at[lt]': new Date(within.endMs).toISOString(),
  };
  const all: Appointment[] = [];
  for await (const each of everyAppointment(writer, filters)) all.push(each);
  return standingAmong(all, person);
}

/** What of these appointments stands for the person. */
export function standingAmong(appointments: readonly Appointment[], person: Person): StandingTime {
  const blocks: StandingBlock[] = [];
  const taken: Span[] = [];
  for (const each of appointments) {
    if (!each.resource_ids.includes(person.resourceId) || each.status === 'cancelled') continue;
    const span = { startMs: Date.parse(each.starts_at), endMs: Date.parse(each.ends_at) };
    const origin = blockOf(each, { contactId: person.rule.contactId, serviceId: person.serviceId });
    if (origin === undefined) taken.push(span);
    else blocks.push({ ...span, id: each.id, origin });
  }
  return { blocks, taken };
}

/** Pages of one list, to its end. */
export async function* everyAppointment(
  writer: Pick<PlatformWriter, 'list'>,
  filters: Readonly<Record<string, string>>,
  pagesMax = PAGES_MAX,
): AsyncGenerator<Appointment> {
  let after: string | undefined;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await writer.list(filters, after);
    yield* page.data;
    after = page.data.at(-1)?.id;
    if (!page.hasMore || after === undefined) return;
  }
  throw new RetryableError(
    'blocks-list-too-long',
    'the platform lists more appointments than blocks can be among',
    {
      target: 'platform',
      advice: 'Shorten the horizon of the entry of blocks.',
    },
  );
}

/**
 * The origin of a block that may be touched. House contact, service and mark have to agree, and the appointment has to be open. Undefined
 * for everything else, whatever it looks like.
 */
export function blockOf(
  appointment: Appointment,
  { contactId, serviceId }: { readonly contactId: string; readonly serviceId: string },
): string | undefined {
  const origin = originOf(appointment);
  const isProven =
    isBlockOrigin(origin) &&
    appointment['contact_id'] === contactId &&
    appointment.service_id === serviceId &&
    OPEN_STATUSES.has(appointment.status);
  return isProven ? origin : undefined;
}
