import { expect, test } from 'vitest';
import type { EditCarrier } from '../../src/engine/carriers.ts';
import { carriersInTurn } from '../../src/engine/reconcile.ts';
import type { Claim } from '../../src/engine/work.ts';
import { double } from '../stand/double.ts';

/** What carries the changes of an object that holds these. */
async function askedFor(kind: 'contact' | 'appointment' | 'class', held: Partial<Claim>) {
  const asked: string[] = [];
  const carrier = (name: string): EditCarrier => ({
    async carry(claim) {
      asked.push(name);
      return { claim, failures: [] };
    },
  });
  const all = {
    contactRows: carrier('contact'),
    appointmentRows: carrier('rows'),
    events: carrier('events'),
  };
  const nothing = { snapshot: { id: 'c' }, deleted: false, sightings: [], links: {} };
  const claim = { ...double<Claim>(nothing), ...nothing, key: { kind, id: 'c' }, ...held };
  expect(await carriersInTurn(all).carry(claim)).toEqual({ claim, failures: [] });
  return asked;
}

const begun: Partial<Claim> = { rowNotes: { 'a mirror that has left the YAML': double({ sent: [] }) } };
const edited: Partial<Claim> = { rowEdits: [double({ mirror: 'contacts' })] };
const sighted: Partial<Claim> = { sightings: [double({})] };

test.each([
  ['contact', {}, []],
  ['contact', begun, ['contact']],
  ['contact', edited, ['contact']],
  ['appointment', {}, []],
  ['appointment', sighted, ['events']],
  ['appointment', begun, ['rows']],
  ['appointment', { ...edited, ...sighted }, ['events', 'rows']],
  ['class', sighted, ['events']],
] as const)('P4: %s that holds %j is carried by %j, whatever the YAML names', async (kind, held, asked) => {
  expect(await askedFor(kind, held)).toEqual(asked);
});
