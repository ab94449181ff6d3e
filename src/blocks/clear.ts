/**
 * Cancels all blocks of entries at a person's request. In: entries. Out: first the blocks to cancel, then the cancelled ones. For a single
 * entry, only proven blocks are touched.
 */
import { findNamed } from '../bookings/outside/names.ts';
import { originOf } from '../bookings/outside/origin.ts';
import type { CarryParts } from '../bookings/submit/carry.ts';
import { type BlockRule, isBlockOrigin, type Span } from '../domain/block.ts';
import type { PlatformWriter } from '../ports/platform.ts';
import { send } from './send.ts';
import { ALL_PAGES_MAX, BEGUN_BEFORE_MS, blockOf, everyAppointment, OPEN_STATUSES } from './standing.ts';

/** Takes the place of an entry's name. No real name contains a space. */
const NO_ENTRY = 'no entry';

export interface ClearedBlock extends Span {
  readonly rule: string;
  readonly id: string;
  readonly origin: string;
  readonly resourceId: string | undefined;
}

/**
 * Blocks that have not ended yet, including those of people who left the YAML. `everywhere` adds blocks whose contact, service or entry the
 * YAML no longer names. Only the mark proves those, so a person must confirm their cancellation.
 */
export async function blocksToClear(
  parts: Pick<CarryParts, 'clock' | 'directory'> & { readonly writer: Pick<PlatformWriter, 'list'> },
  rules: readonly BlockRule[],
  { everywhere }: { readonly everywhere: boolean },
): Promise<readonly ClearedBlock[]> {
  const nowMs = parts.clock.now();
  const services = servicesOf(rules, parts);
  const found = new Map<string, ClearedBlock>();
  const look = async (filters: Readonly<Record<string, string>>): Promise<void> => {
    const since = { 'starts_at[gte]': new Date(nowMs - BEGUN_BEFORE_MS).toISOString() };
    for await (const each of everyAppointment(parts.writer, { ...filters, ...since }, ALL_PAGES_MAX)) {
      const own = services.find((about) => blockOf(each, about) !== undefined);
      const origin = originOf(each);
      if (!isBlockOrigin(origin) || !OPEN_STATUSES.has(each.status)) continue;
      const span = { startMs: Date.parse(each.starts_at), endMs: Date.parse(each.ends_at) };
      if ((own === undefined && !everywhere) || span.endMs <= nowMs) continue;
      const resourceId = each.resource_id ?? each.resource_ids[0];
      found.set(each.id, { ...span, rule: own?.name ?? NO_ENTRY, id: each.id, origin, resourceId });
    }
  };
  if (everywhere) await look({});
  else
    for (const { contactId, serviceId } of services)
      await look({ contact_id: contactId, service_id: serviceId });
  return [...found.values()].toSorted((a, b) => a.startMs - b.startMs);
}

/** True once the block is cancelled, false when the platform refuses. Rejects with the error families; repeating the call is safe. */
export async function clearBlock(parts: CarryParts, { id, origin }: ClearedBlock): Promise<boolean> {
  const wish = { op: 'cancel', appointmentId: id, notifyCustomer: false } as const;
  let sent = await send(parts, origin, { op: 'cancel', wish });
  // The first call only finished a request that a worker had started with this block: send the cancellation again.
  if (sent.isOther) sent = await send(parts, origin, { op: 'cancel', wish });
  return sent.outcome === 'done' && !sent.isOther;
}

/**
 * Includes entries whose people have all left, because they may still have blocks. Leaves out entries without a known service, because
 * nothing proves their blocks.
 */
function servicesOf(rules: readonly BlockRule[], { directory }: Pick<CarryParts, 'directory'>) {
  return rules.flatMap((rule) => {
    const service = findNamed(directory.current().services, rule.service);
    const { name, contactId } = rule;
    return typeof service === 'string' ? [] : [{ name, contactId, serviceId: service.id }];
  });
}
