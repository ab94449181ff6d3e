import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn, type ServerName } from '../caldav/servers/describe.ts';
import { type CaldavWorld, startCaldavWorld, until } from '../stand/caldav-world.ts';
import { BORIS, slot } from '../stand/world.ts';

const SERVERS: readonly ServerName[] = ['radicale', 'xandikos'];
const LARGE: readonly ServerName[] = ['davical', 'cyrus', 'sogo'];
const isSoak = process.env['SLOTBRIDGE_TESTS'] === 'soak';

for (const name of [...SERVERS, ...(isSoak ? LARGE : [])])
  describeOn(name, (start) => {
    let at: CaldavWorld;
    beforeAll(async () => {
      at = await startCaldavWorld(await start(), {
        map: `Boris Ivanov: ${BORIS}`,
        event: 'description: "{{ customer_phone }}<br><b>by phone</b>"\ncolor: { no_show: tomato }',
      });
      await at.world.untilIdle(at.url);
    }, 180_000);
    afterAll(() => at.close());

    it('an appointment is an event, and staff move, delete and hand it over', async () => {
      const { world, url, calendar, hands, files, only } = at;
      const text = (file: string) => hands.get(`${calendar}${file}`);
      const id = world.book();
      const file = await only();
      await world.untilIdle(url);
      const shown = await text(file);
      expect(shown).toContain('SUMMARY:Haircut\\, Vera Orlova');
      expect(shown).toContain('DESCRIPTION:+74950001101\\nby phone');

      // Dragged by an hour: the platform follows.
      const later = shown.replace(/(?<=^DT(?:START|END).*T)\d\d/gm, (hour) =>
        `${(Number(hour) + 1) % 24}`.padStart(2, '0'),
      );
      expect(later).not.toBe(shown);
      expect(await hands.put(`${calendar}${file}`, later)).toBeLessThan(300);
      const before = String(world.platform.truth.appointment(id)?.['starts_at']);
      await until(async () => {
        const now = String(world.platform.truth.appointment(id)?.['starts_at']);
        expect(Math.abs(Date.parse(now) - Date.parse(before))).toBeGreaterThan(0);
      });
      await world.untilIdle(url);

      // Handed over to a colleague at Google, and back.
      const { boris, anna } = world.company;
      world.platform.dashboard.reschedule(id, { startsAt: slot(30), resourceId: boris, notify: false });
      await until(async () => {
        expect(world.events(BORIS).filter(({ status }) => status !== 'cancelled')).toHaveLength(1);
        expect(await files()).toEqual([]);
      });
      await world.untilIdle(url);
      world.platform.dashboard.reschedule(id, { startsAt: slot(31), resourceId: anna, notify: false });
      const again = await only();
      await until(async () =>
        expect(world.events(BORIS).filter(({ status }) => status !== 'cancelled')).toEqual([]),
      );
      await world.untilIdle(url);
      expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'confirmed' });

      // Renamed by a program: that is no deletion.
      const kept = await text(again);
      await hands.remove(`${calendar}${again}`);
      await hands.put(`${calendar}renamed.ics`, kept);
      const renamedAtMs = Date.now();
      await until(async () => {
        const { coverage } = await world.status(url);
        const read = coverage.calendars.find((each) => each.calendar === calendar)?.covered_until ?? '1970';
        // Read twice since: after the name was gone, and after its grace.
        expect(Date.parse(read)).toBeGreaterThan(renamedAtMs + 3_000);
      });
      expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'confirmed' });
      await world.untilIdle(url);
      const [now = ''] = await files();
      expect(await hands.remove(`${calendar}${now}`)).toBeLessThan(300);
      await until(async () =>
        expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'cancelled' }),
      );
    }, 180_000);
  });
