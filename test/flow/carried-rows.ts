/** A tab of three contacts in which people type. */
import { expect } from 'vitest';
import type { CarriedRules, CarriedStands } from '../stand/carried-sheet.ts';

export const ADA = { name: 'Ada Lovelace', phone: '+74950001101', email: 'ada@example.com' };
export const BEA = { name: 'Bea Miles', phone: '+74950001102', email: 'bea@example.com' };
export const CLEO = { name: 'Cleo Stone', phone: '+74950001103', email: 'cleo@example.com' };

export async function startContacts(stands: CarriedStands, rules: CarriedRules = {}) {
  const world = await stands.start(rules);
  const make = ({ name, phone, email }: typeof ADA) => world.create(name, phone, email);
  const ids = { ada: make(ADA), bea: make(BEA), cleo: make(CLEO) };
  // Nobody has typed anything yet.
  await world.settle(1);
  expect(world.row(ids.ada)).toMatchObject({ Name: ADA.name, Phone: ADA.phone, Answer: '' });
  return { world, ...ids };
}
