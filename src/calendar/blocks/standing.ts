/** Reads what one person has on the platform now: blocks, and time taken by other appointments. */

import { isBlockOrigin, type Span } from '../../engine/domain/block.ts';
import { RetryableError } from '../../engine/domain/errors.ts';
import type { Appointment } from '../../engine/domain/object.ts';
import { resourcesOf } from '../../engine/domain/subject.ts';
import { originOf } from '../../engine/outside/origin.ts';
import type { PlatformWriter } from '../../engine/ports/platform.ts';
import type { Person } from './people.ts';
import type { StandingBlock } from './plan.ts';

/** Most pages that a turn reads of one person's appointments, a hundred per page. */
const PAGES_MAX = 30;
/** Most pages that a command reads of everyone's appointments, while its caller waits. */
export const ALL_PAGES_MAX = 2_000;
/**
 * How far before the window a list starts; the platform filters by start, and an appointment from the day before may reach into the window.
 */
export const BEGUN_BEFORE_MS = 24 * 3_600_000;

/** Statuses in which an appointment can be moved and cancelled (platform API, Appointment states). */
export const OPEN_STATUSES = new Set(['pending', 'confirmed']);

export interface StandingTime {
  readonly blocks: readonly StandingBlock[];
  readonly taken: readonly Span[];
}

/** Rejects unless the whole list was read, because the plan would book missing blocks again. */
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

/** Sorts the person's appointments into blocks and taken time. */
export function standingAmong(appointments: readonly Appointment[], person: Person): StandingTime {
  const blocks: StandingBlock[] = [];
  const taken: Span[] = [];
  for (const each of appointments) {
    if (!resourcesOf(each).includes(person.resourceId)) continue;
    const span = { startMs: Date.parse(each.starts_at), endMs: Date.parse(each.ends_at) };
    const origin = blockOf(each, { contactId: person.rule.contactId, serviceId: person.serviceId });
    if (origin === undefined) taken.push(span);
    else blocks.push({ ...span, id: each.id, origin });
  }
  return { blocks, taken };
}

/** Yields every appointment of one list. Throws `RetryableError` when the list has more than `pagesMax` pages. */
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
 * The origin of a block that may be touched: house contact, service and mark agree, and the appointment is open. Undefined for every other
 * appointment.
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
