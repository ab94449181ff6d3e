/** All blocks of entries, cancelled because a person says so. In: entries. Out: what would go, then what went. Only proven blocks are touched. */
import { findNamed } from '../bookings/outside/names.ts';
import type { CarryParts } from '../bookings/submit/carry.ts';
import type { BlockRule, Span } from '../domain/block.ts';
import type { PlatformWriter } from '../ports/platform.ts';
import { send } from './send.ts';
import { blockOf, everyAppointment } from './standing.ts';

/** The list goes by beginnings: what began the day before may go on. */
const BEGUN_BEFORE_MS = 24 * 3_600_000;

export interface ClearedBlock extends Span {
  readonly rule: string;
  readonly id: string;
  readonly origin: string;
  readonly resourceId: string | undefined;
}

/** Blocks that are not over, of people whom the YAML does not name any more as well. */
export async function blocksToClear(
  parts: Pick<CarryParts, 'clock' | 'directory'> & { readonly writer: Pick<PlatformWriter, 'list'> },
  rules: readonly BlockRule[],
): Promise<readonly ClearedBlock[]> {
  const nowMs = parts.clock.now();
  const found = new Map<string, ClearedBlock>();
  for (const { rule, serviceId } of servicesOf(rules, parts)) {
    const about = { contactId: rule.contactId, serviceId };
    const filters = {
      ...{ contact_id: rule.contactId, service_id: serviceId },
      'starts_at[gte]': new Date(nowMs - BEGUN_BEFORE_MS).toISOString(),
    };
    for await (const each of everyAppointment(parts.writer, filters)) {
      const origin = blockOf(each, about);
      const span = { startMs: Date.parse(each.starts_at), endMs: Date.parse(each.ends_at) };
      if (origin === undefined || span.endMs <= nowMs) continue;
      const resourceId = each.resource_id ?? each.resource_ids[0];
      found.set(each.id, { ...span, rule: rule.name, id: each.id, origin, resourceId });
    }
  }
  return [...found.values()].toSorted((a, b) => a.startMs - b.startMs);
}

/** True once the block is cancelled; false when the platform refuses. Rejects with the error families: ask again, nothing is done twice. */
export async function clearBlock(parts: CarryParts, { id, origin }: ClearedBlock): Promise<boolean> {
  const wish = { op: 'cancel', appointmentId: id, notifyCustomer: false } as const;
  let sent = await send(parts, origin, { op: 'cancel', wish });
  // What a worker had begun with this block is finished first.
  if (sent.isOther) sent = await send(parts, origin, { op: 'cancel', wish });
  return sent.outcome === 'done' && !sent.isOther;
}

/** An entry whose people have all left may still have blocks; without its service nothing proves them. */
function servicesOf(rules: readonly BlockRule[], { directory }: Pick<CarryParts, 'directory'>) {
  return rules.flatMap((rule) => {
    const service = findNamed(directory.current().services, rule.service);
    return typeof service === 'string' ? [] : [{ rule, serviceId: service.id }];
  });
}
