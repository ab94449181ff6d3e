import { hash } from 'node:crypto';

/** An object as the platform's GET shows it, with the field names of the platform API. Unknown fields are kept. */
export type Snapshot = Readonly<Record<string, unknown>> & { readonly id: string };

/** The fields of an appointment that the worker acts on (platform API, Appointment). */
export interface Appointment extends Snapshot {
  readonly project_id: string;
  readonly branch_id: string;
  readonly service_id: string;
  readonly service_name: string | null;
  readonly resource_id: string | null;
  /** Empty for a cancelled appointment: its time is released. */
  readonly resource_ids: readonly string[];
  /** `pending`, `confirmed`, `arrived`, `completed`, `cancelled`, `no_show`; the list is open, unknown values are passed on. */
  readonly status: string;
  /** ISO 8601, UTC. */
  readonly starts_at: string;
  readonly ends_at: string;
  /** IANA zone of the branch. */
  readonly timezone: string;
}

/** The fields of a contact that the worker acts on (platform API, Contact). */
export interface Contact extends Snapshot {
  readonly project_id: string;
  readonly lifecycle: string;
  readonly status: string;
}

/**
 * An ISO 8601 instant as 20 digits of microseconds, so that Redis can compare two of them as text. Empty for null, a missing value, or
 * something that is not a time.
 */
export function instantKey(iso: unknown): string {
  if (typeof iso !== 'string') return '';
  const seconds = Math.floor(Date.parse(iso) / 1000);
  if (!Number.isFinite(seconds) || seconds < 0) return '';
  const fraction = /\.(\d{1,6})/.exec(iso)?.[1] ?? '';
  return `${String(seconds).padStart(14, '0')}${fraction.padEnd(6, '0')}`;
}

/** Equal for values that are equal as JSON, in any order of their keys. 32 hex digits of SHA-256. */
export function contentHash(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 32);
}

/** Every delivery passes here: plain concatenation takes a third of the time of mapped entries. */
function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(fields).sort()) {
    const item = fields[name];
    if (item !== undefined) text += `${text === '' ? '' : ','}${nameJson(name)}:${canonicalJson(item)}`;
  }
  return `{${text}}`;
}

/** Cache of field names as JSON: the platform has some hundred. */
const nameJsons = new Map<string, string>();
const NAMES_MAX = 1_000;
const NAME_CHARS_MAX = 64;

function nameJson(name: string): string {
  const known = nameJsons.get(name);
  if (known !== undefined) return known;
  const json = JSON.stringify(name);
  if (nameJsons.size < NAMES_MAX && name.length <= NAME_CHARS_MAX) nameJsons.set(name, json);
  return json;
}
