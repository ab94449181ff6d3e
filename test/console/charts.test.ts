// What was written to each mirror, what failed and how late it was.
import { expect, test } from 'vitest';
import { type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const HOUR_MS = 3_600_000;

async function count(stand: ConsoleStand, agoMs: number, mirror = 'staff'): Promise<void> {
  const atMs = stand.clock.now() - agoMs;
  await stand.store.mirrorPace.add([{ atMs, mirror, writes: 3, failures: 2, slowestS: 4.5 }]);
}

const figuresIn = (text: string) =>
  JSON.parse((/data-figures="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"')) as {
    at: number[];
    mirrors: { mirror: string; writes: number[]; failures: number[]; lag: (number | null)[] }[];
  };
const rowsIn = (text: string) =>
  [...text.slice(text.indexOf('<tbody>')).matchAll(/<tr><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/g)].map(
    ([, name = '', cells = '']) => [name, ...cells.split(/<[^>]*>/).filter((cell) => cell !== '')],
  );

test.each(['viewer', 'desk', 'ops'] as const)(
  'a %s sees the span that was chosen, by mirror, and its sums',
  async (role) => {
    const stand = await openConsole();
    await count(stand, 0);
    await count(stand, 2 * HOUR_MS);
    await count(stand, 48 * HOUR_MS);
    await count(stand, 0, '*');
    const browser = await stand.signIn(role);
    const read = async (query: string) => (await browser.get(`/console/charts${query}`)).text;
    expect(rowsIn(await read(''))).toEqual([
      ['staff', '3', '2', '4.5 s'],
      ['contacts', '0', '0', '–'],
      ['before any mirror', '3', '2', '4.5 s'],
    ]);
    expect(rowsIn(await read('?span=day&mirror=staff'))).toEqual([['staff', '6', '4', '4.5 s']]);
    expect(rowsIn(await read('?span=month&mirror=staff'))).toEqual([['staff', '9', '6', '4.5 s']]);
    // What nobody offers is the last hour of all.
    expect(rowsIn(await read('?span=year&mirror=%22%3E'))).toHaveLength(3);
    const { at, mirrors } = figuresIn(await read('?span=hour'));
    expect([at.length, at.at(-1)]).toEqual([60, Math.floor(stand.clock.now() / 60_000) * 60]);
    const [staff] = mirrors;
    expect([
      staff?.mirror,
      staff?.writes.at(-1),
      staff?.failures.at(-1),
      staff?.lag.at(-1),
      staff?.lag[0],
    ]).toEqual(['staff', 3, 2, 4.5, null]);
  },
);

test('in Russian as well, and the scripts come from this address', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('viewer');
  const { text } = await browser.get('/console/charts', { 'accept-language': 'ru' });
  expect(text).toContain('Неудачные попытки');
  const assets = [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(assets).toHaveLength(5);
  for (const path of assets) expect((await stand.browser().get(path)).status).toBe(200);
  expect(text).not.toMatch(/https?:\/\//);
});
