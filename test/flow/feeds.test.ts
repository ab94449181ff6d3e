// A feed through the whole worker: from the platform to somebody's calendar program.
import { afterEach, expect, test, vi } from 'vitest';
import { openSession } from '../../src/worker/operator-session.ts';
import { appointmentsIn, readICalendar, readInstant } from '../calendar/feed/read-icalendar.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const FEEDS = `
feeds:
  anna:
    resource: Anna Petrova
    where: { status: [pending, confirmed], since: 7d }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
`;
const WITHIN = { timeout: PATIENCE_MS, interval: 200 };

test('appointments of the resource are in its feed, follow their moves, and leave it; a revoked address ends', async () => {
  world = await startWorld({ mirrors: `${MIRRORS}${FEEDS}` });
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  const session = await openSession(world.config(port), { now: Date.now });
  try {
    const address = (await session.feedLinks.make('anna')) ?? '';
    const path = new URL(address).pathname;
    const read = async () => {
      const answer = await fetch(`${worker.url}${path}`);
      expect(answer.status).toBe(200);
      const calendar = readICalendar(Buffer.from(await answer.arrayBuffer()));
      expect(calendar.components).not.toEqual([]);
      return appointmentsIn(calendar).map(({ properties }) => {
        const value = (name: string) => properties.get(name)?.value ?? '';
        const [uid, title] = [value('UID'), value('SUMMARY')];
        return { uid, title, start: readInstant(value('DTSTART')), sequence: Number(value('SEQUENCE')) };
      });
    };
    expect(await read()).toEqual([]);

    const id = world.book({ hours: 24, name: 'Vera, Orlova' });
    world.book({ hours: 24, resourceId: world.company.boris });
    const whole = (iso: string) => new Date(iso).toISOString().replace('.000', '');
    await vi.waitFor(async () => expect(await read()).toHaveLength(1), WITHIN);
    const [first] = await read();
    expect(first).toMatchObject({
      uid: `${id}@slotbridge`,
      title: 'Haircut\\, Vera\\, Orlova',
      start: whole(slot(24)),
    });

    world.platform.dashboard.reschedule(id, { startsAt: slot(30), resourceId: world.company.anna });
    await vi.waitFor(async () => expect((await read())[0]?.start).toBe(whole(slot(30))), WITHIN);
    const [moved] = await read();
    expect(moved?.uid).toBe(first?.uid);
    expect(moved?.sequence).toBeGreaterThan(first?.sequence ?? 0);

    world.platform.dashboard.cancel(id);
    await vi.waitFor(async () => expect(await read()).toEqual([]), WITHIN);

    expect(await session.feedLinks.revoke('anna')).toBe(true);
    await vi.waitFor(async () => expect((await fetch(`${worker.url}${path}`)).status).toBe(404), WITHIN);
  } finally {
    await session.close();
  }
});
