// Replaces an object's personal data by field names, so that templates can be shown without it.
import type { Directory } from '../../engine/domain/directory.ts';
import type { PlatformKind, Snapshot } from '../../engine/domain/object.ts';
import { TEMPLATE_NAMES } from './names.ts';

/** Fields that name a person, reach a person, or hold what someone typed (platform API, Resources and their fields). */
const PERSONAL: Readonly<Record<PlatformKind, readonly string[]>> = {
  appointment: [
    ...['customer_name', 'customer_phone', 'customer_email'],
    ...['comment', 'cancel_reason', 'metadata'],
  ],
  contact: ['name', 'first_name', 'last_name', 'email', 'phone', 'position', 'metadata'],
  conversation: ['customer_name'],
  message: ['text', 'failure'],
  lead: ['name', 'phone', 'status_reason'],
};

/**
 * The object with `‹customer_name›` in place of every personal value. Null and empty values stay, so that conditions on a missing value
 * give the same result. Fields that no template can name are masked too, because fields that the platform adds later may be personal.
 */
export function maskPeople(kind: PlatformKind, snapshot: Snapshot): Snapshot {
  const shown = TEMPLATE_NAMES[kind].filter((name) => !PERSONAL[kind].includes(name));
  const fields = Object.entries(snapshot).map(([name, value]) => [
    name,
    shown.includes(name) ? value : mask(name, value),
  ]);
  return { ...Object.fromEntries(fields), id: snapshot.id };
}

/** The object's words that identify no person: values that masking leaves unchanged, and the names of its resources. */
export function harmlessWords(
  snapshot: Snapshot,
  { masked, directory }: { readonly masked: Snapshot; readonly directory: Directory },
): readonly string[] {
  const ids = Array.isArray(snapshot['resource_ids']) ? snapshot['resource_ids'].map(String) : [];
  const same = Object.entries(snapshot).flatMap(([field, value]) =>
    typeof value === 'string' && masked[field] === value ? [value] : [],
  );
  return [...same, ...ids.flatMap((id) => directory.resources.get(id)?.name ?? [])];
}

function mask(name: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return value;
  if (Array.isArray(value)) return value.map((item) => mask(name, item));
  if (typeof value !== 'object') return `‹${name}›`;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(`${name}.${key}`, item)]));
}
