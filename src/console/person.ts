import { ROLES, type Role, type Visitor } from '../engine/role.ts';
import type { Claim } from '../engine/work.ts';
import type { OidcConfig } from '../mapping/config.ts';
import { maskAll, maskText } from '../operate/personal-data.ts';
import type { Visit } from './visit.ts';

/** The details by which people know an object. */
export interface Person {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
}

const FIELD_CHARS_MAX = 200;

/** Returns the person of an appointment or a contact; undefined when it names nobody. */
export function personOf(claim: Claim | undefined): Person | undefined {
  const fields = claim?.snapshot ?? {};
  const text = (...names: readonly string[]) => {
    const found = names.map((name) => (fields as Readonly<Record<string, unknown>>)[name]);
    return found
      .flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : []))
      .slice(0, 1)
      .join('')
      .slice(0, FIELD_CHARS_MAX);
  };
  const person = {
    name: text('customer_name', 'name'),
    phone: text('customer_phone', 'phone'),
    email: text('customer_email', 'email'),
  };
  return person.name + person.phone + person.email === '' ? undefined : person;
}

/**
 * The parts of a report that the visitor may see. Ids of calendars are addresses of people, and messages from elsewhere may quote one.
 * Without the right to see people, every text is masked as in a log line.
 */
export function forEyes<T>(visit: Pick<Visit, 'may'>, report: T): T {
  return visit.may('see-people') ? report : maskAll(report);
}

/** The same for single texts. Each text is masked only once. */
export function textForEyes(visit: Pick<Visit, 'may'>): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (visit.may('see-people')) return text;
    const told = known.get(text) ?? maskText(text);
    known.set(text, told);
    return told;
  };
}

/** What a provider says about a person, in a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

const NAME_CHARS_MAX = 100;
/** Longest part of the user name that is shown; the `sub` behind it distinguishes people. */
const USERNAME_CHARS_MAX = 40;
/** Most groups that are read: a provider may put a person into many. */
const GROUPS_READ_MAX = 1_000;

/**
 * The person as the console knows them, with their highest role; undefined when they have none. An address counts only if the provider has
 * verified it: otherwise anybody could write any address into their profile.
 */
export function knownPerson(claims: Claims, { roles, claim }: OidcConfig): Visitor | undefined {
  const { email, email_verified: isVerified, preferred_username: username, sub } = claims;
  const address = typeof email === 'string' && isVerified === true ? email.toLowerCase() : undefined;
  const domain = address?.slice(address.lastIndexOf('@'));
  const groups = claim === undefined ? [] : textsIn(claims[claim]);
  const has = (role: Role) =>
    roles[role].some((name) =>
      name.includes('@')
        ? address !== undefined && (name.startsWith('@') ? name === domain : name === address)
        : groups.includes(name),
    );
  const role = ROLES.findLast(has);
  if (role === undefined || typeof sub !== 'string' || sub === '') return undefined;
  // People may choose their user name, even a colleague's; `sub` is unique.
  const isNamed = typeof username === 'string' && username !== '';
  const who = address ?? (isNamed ? `${username.slice(0, USERNAME_CHARS_MAX)} (${sub})` : sub);
  return { role, who: who.replace(/\p{Cc}/gu, ' ').slice(0, NAME_CHARS_MAX) };
}

function textsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, GROUPS_READ_MAX) : [value];
  return values.filter((each) => typeof each === 'string');
}
