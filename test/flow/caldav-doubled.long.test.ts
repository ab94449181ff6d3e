import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeOn } from '../caldav/servers/describe.ts';
import type { CalendarServer } from '../caldav/servers/server.ts';
import { handsOf, makeCalendar } from '../caldav/stand.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startWorld, type World } from '../stand/world.ts';

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 100 });

// The others refuse a second event with the same UID.
describeOn('davical', (start) => {
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
    calendars: { map: { Anna Petrova: { id: "${calendar}", account: office } } }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
`,
    });
    const port = await world.door();
    await world.subscribe(port);
    ({ url } = await world.startWorker(port));
  }, 180_000);
  afterAll(async () => {
    await world.close();
    await server.stop();
  });

  it('two events with one UID are a problem, and to delete one of them cancels nothing', async () => {
    const id = world.book();
    const [file = ''] = await until(async () => {
      const names = await hands.names(calendar);
      expect(names).toHaveLength(1);
      return names;
    });
    await world.untilIdle(url);
    const text = await hands.get(`${calendar}${file}`);
    expect(await hands.put(`${calendar}copy.ics`, text)).toBe(201);
    const codes = async () => (await world.status(url)).problems.map(({ code }) => code);
    await until(async () => expect(await codes()).toEqual(['caldav-events-odd']));
    expect(await hands.remove(`${calendar}${file}`)).toBeLessThan(300);
    await until(async () => expect(await codes()).toEqual([]));
    const removedAtMs = Date.now();
    await until(async () => {
      const { coverage } = await world.status(url);
      // Read again after the grace.
      expect(Date.parse(coverage.calendars[0]?.covered_until ?? '1970')).toBeGreaterThan(removedAtMs + 3_000);
    });
    await world.untilIdle(url);
    expect(world.platform.truth.appointment(id)).toMatchObject({ status: 'confirmed' });
    expect(await hands.names(calendar)).toEqual(['copy.ics']);
  }, 180_000);
});
