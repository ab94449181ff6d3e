// What stands around every page: the state in the tab's icon, the counts in the menu, and a page for every address.
import { expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { useConsole } from './stand.ts';

const openConsole = useConsole();

const iconOf = (text: string) => decodeURIComponent(/rel="icon" href="([^"]+)"/.exec(text)?.[1] ?? '');
const countOf = (text: string, path: string) =>
  new RegExp(`href="/console/${path}"[^>]*>[^<]*(?:<span class="badge wrong">([^<]+)<)?`).exec(text)?.[1];

test.each([
  ['viewer', 'en', 'Nothing here'],
  ['desk', 'ru', 'Здесь ничего нет'],
  ['ops', 'en', 'Nothing here'],
] as const)(
  'P9: for a %s an unknown page is a page, and shows a stranger nothing',
  async (role, language, title) => {
    const stand = await openConsole();
    for (const path of ['/console/nothing', '/console/letters/nothing', '/console/assets/gone.css']) {
      const answer = await (await stand.signIn(role)).get(path, { 'accept-language': language });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text).toContain(`<h1>${title}</h1>`);
      expect(answer.text).toContain('href="/console/letters"');
      const stranger = await stand.browser().get(path);
      expect([path, stranger.status, stranger.text.includes('href="/console/letters"')]).toEqual([
        path,
        404,
        false,
      ]);
    }
  },
);

test('the menu counts dead letters and what waits for an approval, on every page', async () => {
  const stand = await openConsole();
  const claim = await observe(stand, 'appointment', VERA);
  await giveUp(stand, claim, { mirror: 'staff', code: 'mail-storm', message: 'm', target: 'platform' });
  stand.stores.letters = [...(await stand.store.deadLetters.all())];
  const ops = await stand.signIn('ops');
  for (const path of ['/console', '/console/compare', '/console/nothing']) {
    const { text } = await ops.get(path);
    expect([countOf(text, 'letters'), countOf(text, 'approvals')]).toEqual(['1', '1']);
    expect(text).toContain('data-region="menu-count"><span class="badge wrong">2</span>');
  }
  // What a person has just done is counted at once.
  const ended = await ops.get('/console/letters/retry');
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(ended.text)?.[1] ?? '';
  await ops.post('/console/letters/retry', { why: 'mended', until: field('until'), count: field('count') });
  stand.stores.letters = [...(await stand.store.deadLetters.all())];
  const { text } = await ops.get('/console');
  expect([countOf(text, 'letters'), countOf(text, 'approvals')]).toEqual([undefined, undefined]);
});

test('the icon of the tab says how things stand', async () => {
  const icons: string[] = [];
  for (const mood of ['well', 'busy', 'wrong'] as const) {
    const stand = await openConsole();
    if (mood === 'busy') stand.stores.pending = { objects: 7, oldestSinceMs: stand.clock.now() };
    if (mood === 'wrong')
      stand.stores.problems = [
        { target: 'a', code: 'b', message: 'm', sinceMs: stand.clock.now(), lastAtMs: 0 },
      ];
    icons.push(iconOf((await (await stand.signIn('viewer')).get('/console/changes')).text));
  }
  const stand = await openConsole({
    parts: () => ({ status: { read: () => Promise.reject(new RetryableError('store-unavailable', 'm')) } }),
  });
  // A page that needs no report is whole without one.
  const answer = await (await stand.signIn('viewer')).get('/console/changes');
  expect(answer.status).toBe(200);
  icons.push(iconOf(answer.text));
  expect(new Set(icons).size).toBe(4);
  expect(icons.every((icon) => icon.startsWith('data:image/svg+xml,<svg'))).toBe(true);
});
