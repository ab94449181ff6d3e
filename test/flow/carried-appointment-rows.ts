/** A tab of seven appointments in which people type. */
import { expect } from 'vitest';
import type { CarriedRules, CarriedStands, CarriedWorld } from '../stand/carried-sheet.ts';

const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
/** What Google makes of a typed date with an hour. */
export const typed = (text: string) =>
  (Date.parse(`${text.replace(' ', 'T')}:00Z`) - DAY_ZERO_MS) / 86_400_000;
const NAMES = ['Ada Lovelace', 'Bea Miles', 'Cleo Stone', 'Dora Finch', 'Eva Stein', 'Fay Hill', 'Gus Moor'];

export async function startAppointments(stands: CarriedStands, rules: CarriedRules = {}) {
  const world = await stands.start({ kind: 'appointment', ...rules });
  // Tuesday in Moscow, an hour and a half apart; the clock stands at Monday noon.
  const at = ['07:00', '08:30', '10:00', '11:30', '13:00', '14:30', '16:00'];
  const ids = NAMES.map((name, i) => world.book(name, `2026-03-03T${at[i]}:00.000Z`));
  // Nobody has typed anything yet.
  await world.settle(1);
  const [ada = '', bea = '', cleo = '', dora = '', eva = ''] = ids;
  expect(world.row(ada)).toMatchObject({ Name: NAMES[0], Cancel: false, Answer: '' });
  expect(world.appointment(ada)).toMatchObject({ starts_at: '2026-03-03T07:00:00.000Z' });
  return { world, ids, ada, bea, cleo, dora, eva };
}

export const standing = (world: CarriedWorld) =>
  Object.fromEntries(
    world.platform.sandbox.truth
      .appointments()
      .map((each) => [String(each['id']), `${String(each['status'])} ${String(each['starts_at'])}`]),
  );
