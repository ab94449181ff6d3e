import { expect, it } from 'vitest';
import { describeOn } from '../caldav/servers/describe.ts';
import { startCaldavWorld, until } from '../stand/caldav-world.ts';

describeOn('radicale', (start) => {
  it('what people change is carried long before the calendar has its poll', async () => {
    const at = await startCaldavWorld(await start(), { watch: '{ every: 1h }' });
    try {
      const { world, url, calendar, hands, only } = at;
      const id = world.book();
      const file = await only();
      await world.untilIdle(url);
      const before = String(world.platform.truth.appointment(id)?.['starts_at']);
      const later = (await hands.get(`${calendar}${file}`)).replace(
        /(?<=^DT(?:START|END).*T)\d\d/gm,
        (hour) => `${(Number(hour) + 1) % 24}`.padStart(2, '0'),
      );
      expect(await hands.put(`${calendar}${file}`, later)).toBeLessThan(300);
      await until(async () =>
        expect(String(world.platform.truth.appointment(id)?.['starts_at'])).not.toBe(before),
      );
    } finally {
      await at.close();
    }
  }, 180_000);
});
