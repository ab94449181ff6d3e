import { Requests } from '@slotbridge/rehearsal/demo/caldav/requests';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { slot, startWorld, type World } from '../stand/world.ts';
import { hasPrograms, Programs } from './programs.ts';
import { describeOn, type ServerName } from './servers/describe.ts';

/** The one that people install for themselves. All five were tried. */
const NAMES: readonly ServerName[] = ['radicale'];

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 200 });

if (!hasPrograms) describe.skip('skipped: no khal or no vdirsyncer here', () => test('staff', () => {}));
else
  for (const name of NAMES)
    describeOn(name, (start) => {
      let server: CalendarServer;
      let world: World;
      let url: string;
      let staff: Programs;

      beforeAll(async () => {
        server = await start();
        const [account] = server.accounts;
        const requests = new Requests(account);
        const [anna, boris] = [
          await requests.makeCalendar('anna-work'),
          await requests.makeCalendar('boris-work'),
        ];
        staff = await Programs.open(account, ['anna-work', 'boris-work']);
        world = await startWorld({
          watch: '{ every: 5s, settle: 100ms }',
          mirrors: `
caldav:
  accounts:
    shop: { url: "${server.url}", user: "${account.user}", password: "${account.password}" }
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
        Anna Petrova: { id: "${anna}", account: shop }
        Boris Ivanov: { id: "${boris}", account: shop }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 3s }
`,
        });
        const port = await world.door();
        await world.subscribe(port);
        ({ url } = await world.startWorker(port));
        await world.untilIdle(url);
      });
      afterAll(async () => {
        staff?.close();
        await world?.close();
        await server?.stop();
      });

      const appointment = (id: string) => world.platform.truth.appointment(id);
      /** What khal shows after a synchronisation. */
      const seen = async () => {
        await staff.sync();
        return staff.shown();
      };
      const minute = (iso: string) => new Date(iso).toISOString().slice(0, 16).replace('T', ' ');
      const untilSeen = (lines: readonly string[]) =>
        until(async () => expect(await seen()).toEqual([...lines].sort()));

      test('staff see, move, hand over and delete appointments, and keep their own events', async () => {
        const own = { title: 'Walk the dog', start: minute(slot(26)), end: minute(slot(27)) };
        const walk = `anna-work: ${own.start} ${own.title}`;
        await staff.add('anna-work', own);
        // vdirsyncer does not synchronise a calendar that has become empty.
        await staff.add('boris-work', { ...own, title: 'Lunch' });
        const lunch = `boris-work: ${own.start} Lunch`;
        await staff.sync();
        const asWritten = staff.text('anna-work', own.title);
        const id = world.book({ hours: 24 });
        const other = world.book({ hours: 48, name: 'Oleg Ivanov' });
        const stays = `anna-work: ${minute(slot(48))} Haircut, Oleg Ivanov`;
        await untilSeen([walk, lunch, stays, `anna-work: ${minute(slot(24))} Haircut, Vera Orlova`]);
        await world.untilIdle(url);

        // Two days later, by the clock that the event has.
        await staff.sync();
        staff.rewrite('anna-work', 'Vera Orlova', twoDaysLater);
        await staff.sync();
        await until(async () =>
          expect(minute(String(appointment(id)?.['starts_at']))).toBe(minute(slot(72))),
        );
        await world.untilIdle(url);
        await untilSeen([walk, lunch, stays, `anna-work: ${minute(slot(72))} Haircut, Vera Orlova`]);

        staff.hand('anna-work', 'Vera Orlova', 'boris-work');
        await staff.sync();
        await until(async () => expect(appointment(id)?.['resource_ids']).toEqual([world.company.boris]));
        await world.untilIdle(url);
        await untilSeen([walk, lunch, stays, `boris-work: ${minute(slot(72))} Haircut, Vera Orlova`]);
        expect(appointment(id)).toMatchObject({ status: 'confirmed' });

        staff.remove('boris-work', 'Vera Orlova');
        await staff.sync();
        await until(async () => expect(appointment(id)).toMatchObject({ status: 'cancelled' }));
        await world.untilIdle(url);
        await untilSeen([walk, lunch, stays]);
        expect(appointment(other)).toMatchObject({ status: 'confirmed' });
        expect(staff.text('anna-work', own.title)).toBe(asWritten);
      });
    });

function twoDaysLater(text: string): string {
  return text.replace(/^(?:DTSTART|DTEND).*$/gm, (line) =>
    line.replace(/\d{8}(?=T)/, (day) => DateTime.fromISO(day).plus({ days: 2 }).toFormat('yyyyMMdd')),
  );
}
