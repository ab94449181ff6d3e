import { createHmac, randomBytes } from 'node:crypto';
import { counted } from '../engine/counts.ts';
import { isLimit } from '../engine/errors.ts';
import type { PersonMatch } from '../engine/person.ts';
import type { Config } from '../mapping/config.ts';

/** Replaces a value that must not be in a log line. */
export const MASK = '[masked]';

/**
 * Bounds of a logged text, of the part that is searched, and of the digest. Longer texts are cut: they are useless in a log, and the
 * patterns below must stay fast.
 */
const TEXT_CHARS_MAX = 2_000;
const SEARCHED_CHARS_MAX = 20_000;
const DIGEST_CHARS = 6;

/**
 * Masks anything that looks like a secret, an e-mail address or a phone number, and names in targets of problems. It cuts the text at 2,000
 * characters. Other names look like ordinary words, so the code that logs and the list of private fields must keep them out.
 */
export function maskText(text: string): string {
  const masked = text
    .slice(0, SEARCHED_CHARS_MAX)
    .replace(MAPPED_NAME, (_, where: string, name: string) => `${where}[name ${digest(name)}]`)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(KNOWN_SECRET, MASK)
    .replace(URL_CREDENTIALS, `://${MASK}@`)
    .replace(EMAIL, (email) => `[email ${digest(email)}]`)
    .replace(PHONE, '[phone]');
  return masked.length > TEXT_CHARS_MAX ? `${masked.slice(0, TEXT_CHARS_MAX)}…` : masked;
}

/** The same for every text within a value of JSON, the names of its fields included. */
export function maskAll<T>(value: T): T {
  return masked(value) as T;
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [maskText(name), masked(each)]));
}

/** True for a field name whose value must never be shown, in any spelling (`apiKey`, `api_key`, `API-KEY`). */
export function isPrivateField(name: string): boolean {
  return PRIVATE_FIELDS.has(name.toLowerCase().replace(/[-_]/g, ''));
}

/** The target of a problem with a line of the mapping, which names a resource: often a colleague. */
const MAPPED_NAME = /^(mapping:[^/]{1,100}\/(?:(?:where|event\.color|classes)\.[a-z_]{1,40}\/)?)([\s\S]+)$/;
const BEARER = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;
/** Standard Webhooks secrets, Google's access and refresh tokens, private keys. */
const KNOWN_SECRET =
  /\bwhsec_[\w+/=-]+|\bya29\.[\w.-]+|\b1\/\/[\w-]{20,}|-----BEGIN [^-]*PRIVATE KEY-----[^-]*/g;
const URL_CREDENTIALS = /:\/\/[^\s/@]{1,256}@/g;
/** Also in URL-encoded form: a calendar's id is part of the path of Google's requests. */
const EMAIL = /[^\s@%/:;,<>()[\]"'=?&]{1,64}(?:@|%40)[^\s@%/:;,<>()[\]"'=?&]{1,255}/gi;
/** Only the international form: without the plus it could be any id or time. */
const PHONE = /\+\d(?:[ ().-]{0,2}\d){6,14}/g;

/** Random until `saltDigests` is called. A log belongs to a process, and so does its salt. */
let salt: string | undefined;

/**
 * From now on, digests depend on this installation, so that nobody outside can find an address by trying names. They stay the same after a
 * restart and on every host with this YAML.
 */
export function saltDigests({
  platform: { apiKey },
  redis: { url, dataDir, prefix },
}: {
  readonly platform: Pick<Config['platform'], 'apiKey'>;
  readonly redis: Config['redis'];
}): void {
  salt = JSON.stringify([apiKey, url ?? dataDir, prefix]);
}

/** Within an installation, one address or name always gets the same six digits: a reader sees whether one calendar fails or all. */
export function digest(email: string, chars = DIGEST_CHARS): string {
  const address = email
    .toLowerCase()
    .replace('%40', '@')
    .replace(/(?<!\.)\.+$/, '');
  salt ??= randomBytes(16).toString('hex');
  return createHmac('sha256', salt).update(address).digest('hex').slice(0, chars);
}

const PRIVATE_FIELDS: ReadonlySet<string> = new Set([
  'accesstoken',
  'apikey',
  'authorization',
  'clientsecret',
  'cookie',
  'password',
  'privatekey',
  'refreshtoken',
  'secret',
  'secrets',
  'token',
  'webhooksecret',
  // What the platform's contacts and appointments contain about a person (platform API, Contact and Appointment).
  'comment',
  'customeremail',
  'customername',
  'customerphone',
  'email',
  'firstname',
  'lastname',
  'phone',
  // Whole objects and rows contain all of the above.
  'body',
  'cells',
  'snapshot',
]);

/** One place that holds data about a person. Contains names of places, never their contents. */
export interface PersonPlace {
  readonly kind: 'event' | 'row' | 'key';
  readonly where: string;
  readonly name: string;
  /** How the person was recognised; a name alone may belong to someone else. */
  readonly by: readonly PersonMatch[];
}

export interface PersonReport {
  /** Ids. */
  readonly contacts: readonly string[];
  readonly appointments: readonly string[];
  readonly places: readonly PersonPlace[];
  /** Places that could not be read. */
  readonly unread: readonly { readonly place: string; readonly code: string }[];
  readonly outOfReach: readonly string[];
}

export function formatPerson({ contacts, appointments, places, unread, outOfReach }: PersonReport): string {
  const lines = [...new Set(places.map(({ where }) => where))].flatMap((where) => {
    const found = places.filter((each) => each.where === where);
    return [`${where}: ${found.length}`, ...found.map(({ name, by }) => `  ${name}  (${by.join(', ')})`)];
  });
  return [
    `${counted(contacts.length, 'contact')}${contacts.length === 0 ? '' : `: ${contacts.join(', ')}`}`,
    counted(appointments.length, 'appointment'),
    ...(places.length === 0 ? ['Nothing was found in calendars, sheets and Redis.'] : lines),
    ...unread.map(
      ({ place, code }) =>
        `NOT READ: ${place} (${code}). ${isLimit(code) ? 'The limit ends by itself: run the command again in a minute.' : 'Fix this, then run the command again.'}`,
    ),
    ...(places.some(({ by }) => by.join() === 'name')
      ? ['If only the name matches, it may be another person.']
      : []),
    `Not searched: ${outOfReach.join('; ')}.`,
  ].join('\n');
}
