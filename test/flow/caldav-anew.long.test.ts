import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeOn, type ServerName } from '../caldav/servers/describe.ts';
import type { CalendarServer } from '../caldav/servers/server.ts';
import { handsOf, makeCalendar } from '../caldav/stand.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { BORIS, startWorld, type World } from '../stand/world.ts';

const SERVERS: readonly ServerName[] = ['radicale', 'xandikos'];

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 100 });

for (const name of SERVERS)
  describeOn(name, (start) => {
    let server: CalendarServer;
    let world: World;
    let url: string;
    let calendar: string;
    let hands: ReturnType<typeof handsOf>;

    beforeAll(async () => {
      server = await start();
      const [anna] = server.accounts;
      hands = handsOf(anna);
      calendar = await makeCalendar(anna, 'work');
      world = await startWorld({
        watch: '{ every: 5s, settle: 100ms }',
        mirrors: `
caldav:
  accounts:
    office: { url: "${server.url}", user: "${anna.user}", password: "${anna.password}" }
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
        Anna Petrova: { id: "${calendar}", account: office }
        Boris Ivanov: ${BORIS}
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "{{ customer_phone }}<br><b>by phone</b>"
      color: { no_show: tomato }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
`,
      });
      const port = await world.door();
      await world.subscribe(port);
      ({ url } = await world.startWorker(port));
      await world.untilIdle(url);
    }, 180_000);
    afterAll(async () => {
      await world.close();
      await server.stop();
    });

    const files = () => hands.names(calendar);
    const only = () =>
      until(async () => {
        const found = await files();
        expect(found).toHaveLength(1);
        return found[0] ?? '';
      });

    it('a calendar that is made anew at its address gets its events again, and nothing is cancelled', async () => {
      const id = world.book();
      await only();
      await world.untilIdle(url);
      const readAfter = (atMs: number) =>
        until(async () => {
          const { coverage } = await world.status(url);
          const read = coverage.calendars.find((each) => each.calendar === calendar)?.covered_until ?? '1970';
          expect(Date.parse(read)).toBeGreaterThan(atMs);
        });
      await readAfter(Date.now() + 6_000);
      expect(await hands.remove(calendar)).toBeLessThan(300);
      await makeCalendar(server.accounts[0], 'work');
      await readAfter(Date.now() + 6_000);
      await world.untilIdle(url);
      await only();
      expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'confirmed' });
      // From now on a deletion is a wish again.
      await readAfter(Date.now() + 6_000);
      await hands.remove(`${calendar}${await only()}`);
      await until(async () =>
        expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'cancelled' }),
      );
    }, 180_000);
  });
