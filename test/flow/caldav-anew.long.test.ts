import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn, type ServerName } from '../caldav/servers/describe.ts';
import { makeCalendar } from '../caldav/stand.ts';
import { type CaldavWorld, startCaldavWorld, until } from '../stand/caldav-world.ts';

const SERVERS: readonly ServerName[] = ['radicale', 'xandikos'];

for (const name of SERVERS)
  describeOn(name, (start) => {
    let server: CalendarServer;
    let at: CaldavWorld;
    beforeAll(async () => {
      server = await start();
      at = await startCaldavWorld(server);
    }, 180_000);
    afterAll(() => at.close());

    it('a calendar that is made anew at its address gets its events again, and nothing is cancelled', async () => {
      const { world, url, hands, calendar } = at;
      const id = world.book();
      await at.only();
      await world.untilIdle(url);
      await at.readAfter(Date.now() + 6_000);
      expect(await hands.remove(calendar)).toBeLessThan(300);
      await makeCalendar(server.accounts[0], 'work');
      await at.readAfter(Date.now() + 6_000);
      await world.untilIdle(url);
      await at.only();
      expect(at.statusOf(id)).toBe('confirmed');
      // From now on a deletion is a wish again.
      await at.readAfter(Date.now() + 6_000);
      await hands.remove(`${calendar}${await at.only()}`);
      await until(async () => expect(at.statusOf(id)).toBe('cancelled'));
    }, 180_000);
  });
