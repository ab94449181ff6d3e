import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn } from '../caldav/servers/describe.ts';
import { type CaldavWorld, startCaldavWorld, until } from '../stand/caldav-world.ts';

// The others refuse a second event with the same UID.
describeOn('davical', (start) => {
  let at: CaldavWorld;
  beforeAll(async () => {
    at = await startCaldavWorld(await start());
  }, 180_000);
  afterAll(() => at.close());

  it('two events with one UID are a problem, and to delete one of them cancels nothing', async () => {
    const { world, url, hands, calendar } = at;
    const id = world.book();
    const file = await at.only();
    await world.untilIdle(url);
    expect(await hands.put(`${calendar}copy.ics`, await hands.get(`${calendar}${file}`))).toBe(201);
    const codes = async () => (await world.status(url)).problems.map(({ code }) => code);
    await until(async () => expect(await codes()).toEqual(['caldav-events-odd']));
    expect(await hands.remove(`${calendar}${file}`)).toBeLessThan(300);
    await until(async () => expect(await codes()).toEqual([]));
    // Read again after the grace.
    await at.readAfter(Date.now() + 3_000);
    await world.untilIdle(url);
    expect(at.statusOf(id)).toBe('confirmed');
    expect(await at.files()).toEqual(['copy.ics']);
  }, 180_000);
});
