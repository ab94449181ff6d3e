import { DateTime } from 'luxon';
import type { Directory } from '../../engine/domain/directory.ts';
import { branchZone } from '../../engine/domain/mirror.ts';
import type { PlatformKind, Snapshot } from '../../engine/domain/object.ts';
import { localAt } from '../../engine/zones/local.ts';

/** The fields that a template sees: those of the object, named as in the platform API, and some that the worker adds. */
export type TemplateContext = Record<string, unknown>;

/** Fields that hold an instant. In a context they carry an offset, so that `date` prints the local time. */
const INSTANTS = [
  ...['starts_at', 'ends_at', 'created_at', 'updated_at'],
  ...['closed_at', 'last_message_at', 'handled_at'],
];
/** The same for the call of a lead. */
const CALL_INSTANTS = ['started_at', 'answered_at', 'connected_at', 'ended_at'];

/** An object of any kind as the templates of a sheet see it. */
export function sheetContext(
  kind: PlatformKind,
  snapshot: Snapshot,
  around: {
    readonly directory: Directory;
    readonly timezone: string | undefined;
    /** The object is deleted, so the context shows its last known state. */
    readonly deleted: boolean;
  },
): TemplateContext {
  const { directory, timezone, deleted } = around;
  if (kind === 'appointment') return { ...appointmentContext(snapshot, directory, timezone), deleted };
  const context = contactContext(snapshot, timezone, deleted);
  if (kind === 'lead') return { ...context, call: callIn(snapshot['call'], timezone ?? 'UTC') };
  if (kind !== 'message') return context;
  const { attachments, ...rest } = context;
  // Their links expire after ten minutes (platform API, Message): in a row they would be dead before anyone clicked.
  return { ...rest, attachment_count: Array.isArray(attachments) ? attachments.length : 0 };
}

/**
 * An appointment as templates see it. Times are in `timezone`, else in the zone of the appointment or its branch. `price` is in major
 * units. Names that the directory does not know are null.
 */
export function appointmentContext(
  snapshot: Snapshot,
  directory: Directory,
  timezone: string | undefined = undefined,
): TemplateContext {
  const branch = directory.branches.get(String(snapshot['branch_id']));
  const zone = timezone ?? branchZone(snapshot, directory) ?? 'UTC';
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

/** A contact as templates see it, or any object that needs only its times converted. A deleted object shows its last known state. */
export function contactContext(snapshot: Snapshot, timezone = 'UTC', deleted = false): TemplateContext {
  return { ...snapshot, ...localTimes(snapshot, timezone), deleted };
}

/** Null without a call, so that `call.ai_outcome` renders empty. */
function callIn(call: unknown, zone: string): TemplateContext | null {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return null;
  return { ...call, ...localTimes(call as Readonly<Record<string, unknown>>, zone, CALL_INSTANTS) };
}

function localTimes(
  object: Readonly<Record<string, unknown>>,
  zone: string,
  fields: readonly string[] = INSTANTS,
): TemplateContext {
  const times: TemplateContext = {};
  for (const field of fields) {
    const value = object[field];
    if (typeof value === 'string') times[field] = localTime(value, zone);
  }
  return times;
}

/** Caches local times: an object's event and rows show the same ones every turn, and zone lookups dominate rendering. */
const localTimesKnown = new Map<string, string>();
const LOCAL_TIMES_MAX = 5_000;
const ISO_CHARS_MAX = 40;

/** In whole seconds. Returns the text unchanged when it is not a time, or the zone is unknown. */
function localTime(iso: string, zone: string): string {
  if (iso.length > ISO_CHARS_MAX) return computedLocalTime(iso, zone);
  const name = `${iso} ${zone}`;
  const known = localTimesKnown.get(name);
  if (known !== undefined) return known;
  const local = computedLocalTime(iso, zone);
  // Rare enough to start over: entries in use return within one turn.
  if (localTimesKnown.size >= LOCAL_TIMES_MAX) localTimesKnown.clear();
  localTimesKnown.set(name, local);
  return local;
}

function computedLocalTime(iso: string, zone: string): string {
  const time = localAt(DateTime.fromISO(iso, { zone: 'utc' }).toMillis(), zone).startOf('second');
  return time.toISO({ suppressMilliseconds: true }) ?? iso;
}
