import type { Claim } from '../engine/domain/work.ts';

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
