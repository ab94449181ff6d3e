import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRadicale } from '@slotbridge/rehearsal/demo/caldav/radicale';
import { expect, test } from 'vitest';
import { describeOn } from '../caldav/servers/describe.ts';
import { startCaldavWorld, until } from '../stand/caldav-world.ts';
import { slot } from '../stand/world.ts';

/** As calendar programs write it, with whatever its folding. */
const movedTo = (text: string, hours: number) =>
  text.replace(
    /(BEGIN:VEVENT[\s\S]*?)DTSTART[^\r\n]*([\s\S]*?)DTEND[^\r\n]*/,
    (_, before: string, between: string) =>
      `${before}DTSTART:${stamp(slot(hours))}${between}DTEND:${stamp(new Date(Date.parse(slot(hours)) + 45 * 60_000).toISOString())}`,
  );
const stamp = (iso: string) => `${iso.replaceAll(/[-:]/g, '').slice(0, 15)}Z`;

describeOn('radicale', () => {
  test('P3, P7: a server that is put back to its backup moves and cancels no appointment, and shows what the platform says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-restored-'));
    let server = await startRadicale({ folder });
    const at = await startCaldavWorld(server);
    const { world, url, hands, calendar } = at;
    const { dashboard, truth } = world.platform;
    const read = async () => {
      await at.readAfter(Date.now() + 6_000);
      await world.untilIdle(url);
    };
    const fileOf = async (name: string) => {
      for (const file of await hands.names(calendar)) {
        const text = await hands.get(calendar + file);
        if (text.includes(`Haircut\\, ${name}`)) return { href: calendar + file, text };
      }
      return undefined;
    };
    const shown = () =>
      until(async () => {
        const names = ['Vera', 'Nina', 'Olga', 'Dora', 'Ada'];
        const there: string[] = [];
        for (const name of names) if ((await fileOf(name)) !== undefined) there.push(name);
        return there;
      });
    const [vera, nina, dora, ada] = ['Vera', 'Nina', 'Dora', 'Ada'].map((name, i) =>
      world.book({ name, hours: 24 + 2 * i }),
    );
    await read();
    cpSync(join(folder, 'collections'), join(folder, 'backup'), { recursive: true });
    // Since the backup: moved on the platform, moved in the calendar, made, cancelled.
    dashboard.reschedule(String(vera), { startsAt: slot(40) });
    const { href, text } = (await fileOf('Nina')) ?? { href: '', text: '' };
    expect(await hands.put(href, movedTo(text, 44))).toBeLessThan(300);
    const olga = world.book({ name: 'Olga', hours: 48 });
    dashboard.cancel(String(dora));
    await read();
    const startsOf = () => truth.appointments().map(({ id, starts_at, status }) => [id, starts_at, status]);
    const before = startsOf();
    expect(truth.appointment(String(nina))?.['starts_at']).toBe(slot(44));

    await server.stop();
    rmSync(join(folder, 'collections'), { recursive: true });
    cpSync(join(folder, 'backup'), join(folder, 'collections'), { recursive: true });
    server = await startRadicale({ folder, port: Number(new URL(server.url).port) });
    await read();
    await read();
    expect(startsOf()).toEqual(before);
    expect(await shown()).toEqual(['Vera', 'Nina', 'Olga', 'Ada']);
    // From now on people's changes are wishes again.
    await hands.remove((await fileOf('Ada'))?.href ?? '');
    await until(async () => expect(at.statusOf(String(ada))).toBe('cancelled'));
    const again = await fileOf('Olga');
    await hands.put(again?.href ?? '', movedTo(again?.text ?? '', 52));
    await until(async () => expect(truth.appointment(olga)?.['starts_at']).toBe(slot(52)));
    await world.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }, 300_000);
});
