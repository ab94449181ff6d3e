import { expect, it } from 'vitest';
import { describeOn } from '../caldav/servers/describe.ts';
import { startCaldavWorld, until } from '../stand/caldav-world.ts';

describeOn('radicale', (start) => {
  it('a time without a zone, in a calendar without one, is that of the branches', async () => {
    const at = await startCaldavWorld(await start());
    try {
      const { world, url, calendar, hands, only } = at;
      const id = world.book();
      const file = await only();
      await world.untilIdle(url);
      const shown = await hands.get(`${calendar}${file}`);
      expect(shown).toMatch(/^DTSTART;TZID=Europe\/Moscow:/m);
      // A program that knows no zones moves it to the next day at ten.
      const [, day = ''] = /^DTSTART;TZID[^:]*:(\d{8})/m.exec(shown) ?? [];
      const next = new Date(Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`) + 86_400_000);
      const date = next.toISOString().slice(0, 10);
      const stamp = date.replaceAll('-', '');
      const floating = shown
        .replace(/^DTSTART;TZID.*$/m, `DTSTART:${stamp}T100000`)
        .replace(/^DTEND;TZID.*$/m, `DTEND:${stamp}T103000`);
      expect(await hands.put(`${calendar}${file}`, floating)).toBeLessThan(300);
      await until(async () =>
        expect(Date.parse(String(world.platform.truth.appointment(id)?.['starts_at']))).toBe(
          Date.parse(`${date}T10:00:00+03:00`),
        ),
      );
    } finally {
      await at.close();
    }
  }, 180_000);
});
