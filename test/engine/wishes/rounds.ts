/** Whole rounds of a tab: it is read, its wishes are carried, its rows are written. The world goes on from one life of the worker to the next. */
import { expect } from 'vitest';
import { standing, startAppointments, typed } from '../../flow/carried-appointment-rows.ts';
import { ADA, BEA, startContacts } from '../../flow/carried-rows.ts';
import { CarriedStands, type CarriedWorld } from '../../stand/carried-sheet.ts';
import { IntakeStands } from '../../stand/intake-sheet.ts';
import type { Scene, Situations } from './situations.ts';
import { sharing } from './worlds.ts';

/** What a life of the worker has in common in both tabs of the mirror. */
function carriedRound(world: CarriedWorld): Omit<Scene, 'expectEnd'> {
  return {
    turn: (around) => world.calls.during(around, () => world.round()).catch(() => undefined),
    meanwhile: () => world.restart(),
    async settle() {
      world.clock.advance(400_000);
      await world.settle();
    },
  };
}

export function rounds(): Situations {
  const carried = new CarriedStands();
  const intake = new IntakeStands();
  const { world: contacts } = sharing(carried, () => startContacts(carried));
  const { world: appointments } = sharing(carried, async () => {
    const started = await startAppointments(carried);
    return { ...started, before: standing(started.world) };
  });
  const { world: bookings } = sharing(intake, () => intake.start());
  let lives = 0;
  return {
    ...{ of: 'a round', ways: 5 },
    async closeWorlds() {
      await Promise.all([carried.closeWorlds(), intake.closeWorlds()]);
    },
    async close() {
      await Promise.all([carried.close(), intake.close()]);
    },
    all: [
      {
        ...{ name: 'of a tab of contacts carries every change once, and nothing else', callsMin: 30 },
        async begin() {
          const { world, ada, bea } = await contacts();
          lives += 1;
          const [name, phone] = [`Ada ${lives}`, `+7495000${String(2000 + lives)}`];
          world.put(ada, 'Name', name);
          world.put(bea, 'Phone', phone);
          return {
            ...carriedRound(world),
            async expectEnd(told) {
              expect(world.contact(ada), told).toMatchObject({ ...ADA, name });
              expect(world.contact(bea), told).toMatchObject({ ...BEA, phone });
              expect(world.row(ada), told).toMatchObject({
                Name: name,
                Answer: 'Changed in the booking system: Name.',
              });
              expect(world.titles(), told).toEqual(['Contacts']);
              expect(await world.open(), told).toEqual([]);
            },
          };
        },
      },
      {
        ...{ name: 'of a tab of appointments carries every wish once, and nothing else', callsMin: 30 },
        async begin() {
          const { world, ada, bea, cleo, before } = await appointments();
          lives += 1;
          const others = ({ [ada]: _, [bea]: __, ...rest }: Record<string, string>) => rest;
          const day = `2026-04-${String(1 + (lives % 28)).padStart(2, '0')}`;
          const hour = `${String(10 + (lives % 7)).padStart(2, '0')}:10`;
          const startsAt = new Date(Date.parse('2026-05-01T07:00:00Z') + lives * 86_400_000).toISOString();
          const ticked = world.book(`Guest ${lives}`, startsAt);
          // Ticks of the last hour do not add up to a mass.
          world.clock.advance(3_600_000);
          await world.settle(1);
          world.put(ada, 'Start', typed(`${day} ${hour}`));
          world.put(ticked, 'Cancel', true);
          return {
            ...carriedRound(world),
            async expectEnd(told) {
              expect(world.startOf(ada), told).toBe(`${day} ${hour}`);
              expect(world.appointment(ticked)?.['status'], told).toBe('cancelled');
              expect(others(standing(world)), told).toMatchObject(others(before));
              expect(world.row(ada)['Answer'], told).toBe('Moved in the booking system.');
              expect(world.row(ticked)['Answer'], told).toBe('Cancelled in the booking system.');
              expect(world.titles(), told).toEqual(['Visits']);
              expect(await world.open(), told).toEqual([]);
              expect(world.appointment(cleo)?.['status'], told).toBe('confirmed');
            },
          };
        },
      },
      {
        ...{ name: 'of a booking sheet books each row once, and no copy', callsMin: 10 },
        async begin() {
          const world = await bookings();
          // Rows of the last hour do not add up to a mass.
          world.clock.advance(600_000);
          const known = world.rows().slice(1).length;
          const nth = 1 + world.booked().length;
          const start = new Date(Date.UTC(2026, 2, 3 + Math.floor(nth / 8), 10 + (nth % 8)))
            .toISOString()
            .slice(0, 16);
          const phone = `8 495 000-${String(10 + Math.floor(nth / 90))}-${String(10 + (nth % 90))}`;
          const row = world.type({ Name: `Guest ${nth}`, Start: `'${start}`, Phone: phone });
          world.staff.duplicateRow({ ...world.at, row: row - 1 });
          // What people do at the same time: the header is no row to be copied.
          if (known === 0) world.staff.deleteRow({ ...world.at, row: 2 });
          else world.put(row, 'Name', `Copy ${nth}`);
          return {
            turn: (around) => world.calls.during(around, () => world.poll()).catch(() => undefined),
            meanwhile: () => world.restart(),
            settle: () => world.settle(),
            expectEnd(told) {
              const rows = world.rows().slice(1);
              const named = (name: string) => rows.filter((each) => String(each[2]).startsWith(name));
              expect(named('Guest'), told).toHaveLength(nth);
              expect(world.appointments(), told).toHaveLength(nth);
              const guests = world.booked().map((each) => each.split(' ').slice(2).join(' '));
              expect(new Set(guests).size, told).toBe(nth);
              const copy = 'Copy of another row: clear the ID cell to book it.';
              expect(
                named('Copy').map((each) => each[8]),
                told,
              ).toEqual(Array<string>(nth - 1).fill(copy));
            },
          };
        },
      },
    ],
  };
}
