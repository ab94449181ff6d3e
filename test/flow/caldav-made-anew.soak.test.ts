/** Programs that move an event by storing it anew, without our property or under another UID (P2, P3, P7). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn } from '../caldav/servers/describe.ts';
import { makeCalendar } from '../caldav/stand.ts';
import { type CaldavWorld, startCaldavWorld, until } from '../stand/caldav-world.ts';

describeOn('radicale', (start) => {
  let at: CaldavWorld;
  let colleague: string;

  beforeAll(async () => {
    const server = await start();
    colleague = await makeCalendar(server.accounts[0], 'boris');
    at = await startCaldavWorld(server, { map: `Boris Ivanov: { id: "${colleague}", account: office }` });
    await at.world.untilIdle(at.url);
  }, 180_000);
  afterAll(() => at.close());

  /** Texts of this person's events in a calendar, without folds. */
  async function shownIn(calendar: string, name: string): Promise<readonly string[]> {
    const files = await at.hands.names(calendar);
    const texts = await Promise.all(files.map((file) => at.hands.get(`${calendar}${file}`)));
    return texts.map((text) => text.replace(/\r?\n[ \t]/g, '')).filter((text) => text.includes(name));
  }

  async function booked(name: string, hours: number) {
    const id = at.world.book({ name, hours });
    const [text = ''] = await until(async () => {
      const found = await shownIn(at.calendar, name);
      expect(found).toHaveLength(1);
      return found;
    });
    await at.world.untilIdle(at.url);
    const uid = /^UID:(.*)$/m.exec(text)?.[1]?.trim() ?? '';
    return { id, text, url: `${at.calendar}${encodeURIComponent(uid)}.ics` };
  }

  it('without our property, under its UID in the calendar of a colleague: it is given to the colleague', async () => {
    const { id, text, url } = await booked('Emma Stone', 40);
    await at.hands.remove(url);
    await at.hands.put(`${colleague}any.ics`, text.replace(/^X-SLOTBRIDGE.*\r?\n/m, ''));
    const { boris } = at.world.company;
    await until(async () =>
      expect(at.world.platform.truth.appointment(id)).toMatchObject({ resource_ids: [boris] }),
    );
    await at.world.untilIdle(at.url);
    expect(await shownIn(at.calendar, 'Emma Stone')).toEqual([]);
    expect(await shownIn(colleague, 'Emma Stone')).toHaveLength(1);
    expect(at.statusOf(id)).toBe('confirmed');
  }, 180_000);

  it.each([
    ['here', 44],
    ['at a colleague', 48],
  ])(
    'under another UID %s: nothing is cancelled while that one stands, and both deleted cancel',
    async (where, hours) => {
      const name = `Flora ${hours}`;
      const { id, text, url } = await booked(name, hours);
      const anew = `${where === 'here' ? at.calendar : colleague}anew-${hours}.ics`;
      await at.hands.put(anew, text.replace(/^UID:.*$/m, `UID:made-anew-${hours}`));
      await at.hands.remove(url);
      await until(async () =>
        expect((await shownIn(at.calendar, name)).join('')).toContain('a copy of this event still stands'),
      );
      await at.world.untilIdle(at.url);
      expect(at.statusOf(id)).toBe('confirmed');
      await at.hands.remove(anew);
      await at.hands.remove(url);
      await until(async () => expect(at.statusOf(id)).toBe('cancelled'));
      await at.world.untilIdle(at.url);
    },
    180_000,
  );
});
