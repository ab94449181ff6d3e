/** A person's calendar goes from a CalDAV server to Google by an edit of the YAML, and back (P1, P2). */
import { startRadicale } from '@slotbridge/rehearsal/demo/caldav/radicale';
import { expect, test } from 'vitest';
import { handsOf, makeCalendar } from '../caldav/stand.ts';
import { ANNA, startWorld, type WorldOptions } from '../stand/world.ts';

test.concurrent.for([
  ['stays in the YAML', true],
  ['leaves the YAML as well', false],
] as const)(
  'no event waits for a calendar whose account %s, and each stands once afterwards',
  async ([_, keepsAccount], context) => {
    const server = await startRadicale();
    context.onTestFinished(() => server.stop());
    const [{ user, password }] = server.accounts;
    const hands = handsOf(server.accounts[0]);
    const calendar = await makeCalendar(server.accounts[0], 'work');
    const office = `caldav:
  accounts:
    office: { url: "${server.url}", user: "${user}", password: "${password}" }
`;
    const yaml = (place: string) => `mirrors:
  staff:
    from: appointments
    where: { since: 7d }
    calendars: { map: { Anna Petrova: ${place} } }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
`;
    const there = office + yaml(`{ id: "${calendar}", account: office }`);
    const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = { mirrors: there };
    const world = await startWorld(options);
    context.onTestFinished(() => world.close());
    const port = await world.door();
    await world.subscribe(port);
    let worker = await world.startWorker(port);
    const idle = () => world.untilIdle(worker.url);
    const go = async (mirrors: string) => {
      options.mirrors = mirrors;
      await world.stopWorker(worker);
      worker = await world.startWorker(port);
      return idle();
    };
    const ids = [world.book({ hours: 20 }), world.book({ hours: 30 }), world.book({ hours: 40 })];
    await idle();
    expect(await hands.names(calendar)).toHaveLength(3);
    const status = await go((keepsAccount ? office : '') + yaml(ANNA));
    expect(status.problems).toEqual([]);
    expect(world.events(ANNA)).toHaveLength(3);
    expect(await hands.names(calendar)).toHaveLength(keepsAccount ? 0 : 3);
    world.platform.dashboard.cancel(ids[0] ?? '');
    await idle();
    expect(world.events(ANNA)).toHaveLength(2);
    expect((await go(there)).problems).toEqual([]);
    expect(world.events(ANNA)).toEqual([]);
    expect(await hands.names(calendar)).toHaveLength(2);
  },
);
