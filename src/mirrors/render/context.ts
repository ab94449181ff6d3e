import { DateTime } from 'luxon';
import type { Directory } from '../../domain/directory.ts';
import type { Snapshot } from '../../domain/snapshot.ts';

/** What a template sees: the fields of the object, named as in the platform API, and some that the worker adds. */
export type TemplateContext = Record<string, unknown>;

/** Fields that hold an instant. In a context they carry an offset, so that `date` prints the local time. */
const INSTANTS = ['starts_at', 'ends_at', 'created_at', 'updated_at'];

/**
 * An appointment as templates see it. Times stand in `timezone`, else in the zone of the branch. `price` is in major units;
 * names that the directory does not know are null.
 */
export function appointmentContext(
  snapshot: Snapshot,
  directory: Directory,
  timezone: string | undefined = undefined,
): TemplateContext {
  const branch = directory.branches.get(String(snapshot['branch_id']));
  const zone = timezone ?? zoneOf(snapshot) ?? branch?.timezone ?? 'UTC';
  const nameOf = (id: unknown): string | null => directory.resources.get(String(id))?.name ?? null;
  const ids = Array.isArray(snapshot['resource_ids']) ? snapshot['resource_ids'] : [];
  const amount = snapshot['price_amount'];
  return {
    branch_address: null,
    ...snapshot,
    ...localTimes(snapshot, zone),
    resource_name: nameOf(snapshot['resource_id']),
    resource_names: ids.map(nameOf).filter((name) => name !== null),
    branch_name: branch?.name ?? null,
    // The platform counts in kopecks, hundredths whatever the currency (platform API, Appointment).
    price: typeof amount === 'number' ? amount / 100 : null,
    deleted: false,
  };
}

/** A contact as templates see it. Of a deleted one only what was last known is there. */
export function contactContext(snapshot: Snapshot, timezone = 'UTC', deleted = false): TemplateContext {
  return { ...snapshot, ...localTimes(snapshot, timezone), deleted };
}

function zoneOf(snapshot: Snapshot): string | undefined {
  const zone = snapshot['timezone'];
  return typeof zone === 'string' && zone !== '' ? zone : undefined;
}

function localTimes(snapshot: Snapshot, zone: string): TemplateContext {
  const times: TemplateContext = {};
  for (const field of INSTANTS) {
    const value = snapshot[field];
    if (typeof value === 'string') times[field] = localTime(value, zone);
  }
  return times;
}

/** In whole seconds. As it came when it is no time, or when the zone is none. */
function localTime(iso: string, zone: string): string {
  const time = DateTime.fromISO(iso, { zone: 'utc' }).setZone(zone).startOf('second');
  return time.toISO({ suppressMilliseconds: true }) ?? iso;
}
