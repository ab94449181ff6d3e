/** P7: the server of a calendar gets another name, and the YAML follows: the calendar is the same, and so are its events. */
import { expect, it } from 'vitest';
import { describeOn } from '../caldav/servers/describe.ts';
import { handsOf, makeCalendar } from '../caldav/stand.ts';
import { until } from '../stand/caldav-world.ts';
import { startWorld } from '../stand/world.ts';

/** Longer than the grace of a deletion. */
const LOOKED_AT_MS = 4_000;

for (const name of ['radicale', 'xandikos'] as const)
  describeOn(name, (start) => {
    it('no event is removed or doubled, no appointment is cancelled, and people delete as before', async () => {
      const server = await start();
      const [anna] = server.accounts;
      const hands = handsOf(anna);
      const calendar = await makeCalendar(anna, 'work');
      let isRenamed = false;
      const renamed = (text: string) => text.replaceAll('//127.0.0.1:', '//localhost:');
      const world = await startWorld({
        watch: '{ every: 5s, settle: 100ms }',
        rewrite: (yaml) => (isRenamed ? yaml.replaceAll(server.url, renamed(server.url)) : yaml),
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
    event: { title: "{{ service_name }}, {{ customer_name }}" }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
`,
      });
      const statuses = () => ids.map((id) => world.platform.truth.appointment(id)?.['status']);
      const port = await world.door();
      await world.subscribe(port);
      const before = await world.startWorker(port);
      const ids = [26, 27, 28].map((hours) => world.book({ hours }));
      await until(async () => expect(await hands.names(calendar)).toHaveLength(3));
      await world.untilIdle(before.url);
      await world.stopWorker(before);
      isRenamed = true;
      const { url } = await world.startWorker(port);
      await world.untilIdle(url);
      const idleAtMs = Date.now();
      await until(async () => {
        const { coverage } = await world.status(url);
        const until = coverage.calendars.find((each) => each.calendar === renamed(calendar))?.covered_until;
        expect(Date.parse(until ?? '1970')).toBeGreaterThan(idleAtMs + LOOKED_AT_MS);
      });
      await world.untilIdle(url);
      expect(statuses()).toEqual(['confirmed', 'confirmed', 'confirmed']);
      const [file = '', ...others] = await hands.names(calendar);
      expect(others).toHaveLength(2);
      await hands.remove(`${calendar}${file}`);
      await until(async () => expect(statuses().filter((each) => each === 'cancelled')).toHaveLength(1));
      await world.untilIdle(url);
      expect(new Set(await hands.names(calendar))).toEqual(new Set(others));
      await world.close();
      await server.stop();
    }, 180_000);
  });
