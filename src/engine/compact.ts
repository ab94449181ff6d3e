// Most of an object's memory in Redis would be the names of its fields, which are the same in each. The stored form leaves them out.

import type { EntityKey, EntityKind, Snapshot } from './object.ts';

/** Values in the order of `names`. Absent ones are null, or not there at the end. */
export function valuesOf(names: readonly string[], fields: Readonly<Record<string, unknown>>): unknown[] {
  const values = names.map((name) => fields[name] ?? null);
  while (values.length > 0 && values.at(-1) === null) values.pop();
  return values;
}

/** Fields of a snapshot by kind (platform API), those that are mostly null last. What is stored depends on the order: only add at the end. */
const FIELDS: Readonly<Partial<Record<EntityKind, readonly string[]>>> = {
  appointment: [
    ...['project_id', 'branch_id', 'service_id', 'service_name', 'resource_id', 'status', 'source'],
    ...['starts_at', 'ends_at', 'timezone', 'guests_count', 'customer_name', 'customer_phone'],
    ...['created_at', 'updated_at', 'contact_id', 'customer_email', 'conversation_id', 'price_amount'],
    ...['price_currency', 'comment', 'cancel_reason', 'cancelled_by', 'metadata', 'resource_ids'],
  ],
  contact: [
    ...['project_id', 'type', 'name', 'phone', 'lifecycle', 'status', 'source', 'created_at', 'updated_at'],
    ...['first_name', 'last_name', 'email', 'position', 'metadata'],
  ],
};

/** Begins a compact text. No JSON text has it before a bracket, so a version that does not know the form reads nothing wrong. */
const COMPACT = '2';
const INSTANT = /_at$/;

/**
 * The snapshot as stored: an array of its values, without what the key, the object's project or the main resource says. A field that is not
 * listed here stands with its name in an object behind them. A snapshot without one of the listed fields is stored as JSON.
 */
export function snapshotText(
  { kind, id }: EntityKey,
  snapshot: Snapshot,
  projectId: string | undefined,
): string {
  const names = FIELDS[kind];
  const plain = () => JSON.stringify(snapshot);
  if (names === undefined || snapshot.id !== id || snapshot['object'] !== kind) return plain();
  const { id: _, object: __, ...others } = snapshot as Record<string, unknown>;
  const known: Record<string, unknown> = {};
  for (const name of names) {
    const value = others[name];
    if (value === undefined || (typeof value === 'number' && INSTANT.test(name))) return plain();
    known[name] = INSTANT.test(name) ? instantOf(value) : value;
    delete others[name];
  }
  if (known['project_id'] === null) return plain();
  if (known['project_id'] === projectId) known['project_id'] = null;
  if (kind === 'appointment') {
    if (known['resource_ids'] === null) return plain();
    if (isOnly(known['resource_ids'], known['resource_id'])) known['resource_ids'] = null;
  }
  const values = valuesOf(names, known);
  if (Object.keys(others).length > 0) {
    while (values.length < names.length) values.push(null);
    values.push(others);
  }
  return COMPACT + JSON.stringify(values);
}

/** `projectId`: of the object. */
export function readSnapshot({ kind, id }: EntityKey, text: string, projectId: string | undefined): Snapshot {
  const names = FIELDS[kind];
  if (names === undefined || !text.startsWith(COMPACT)) return JSON.parse(text) as Snapshot;
  const values = JSON.parse(text.slice(COMPACT.length)) as readonly unknown[];
  const fields: Record<string, unknown> = { object: kind };
  for (const [at, name] of names.entries()) {
    const value = values[at] ?? null;
    fields[name] = INSTANT.test(name) && typeof value === 'number' ? new Date(value).toISOString() : value;
  }
  fields['project_id'] ??= projectId ?? null;
  if (kind === 'appointment') fields['resource_ids'] ??= [fields['resource_id']];
  return { ...fields, ...(values[names.length] as object | undefined), id };
}

/** For scripts: a function that reads one field of a stored appointment. An instant may be milliseconds instead of ISO 8601. */
export const APPOINTMENT_FIELD = `
local places = { ${(FIELDS.appointment ?? []).map((name, at) => `${name} = ${at + 1}`).join(', ')} }
local function appointment_reader(text, read)
  local is_compact = string.sub(text, 1, 1) == '${COMPACT}'
  local values = read(is_compact and string.sub(text, 2) or text)
  return values and function(name) return values[is_compact and places[name] or name] end
end
`;

/** Milliseconds, if the text can be made from them again. */
function instantOf(value: unknown): unknown {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) || new Date(atMs).toISOString() !== value ? value : atMs;
}

function isOnly(list: unknown, item: unknown): boolean {
  return Array.isArray(list) && list.length === 1 && list[0] === item && item !== null;
}
