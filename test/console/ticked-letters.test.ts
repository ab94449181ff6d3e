// Single dead letters: people tick some of those that the page shows.
import { beforeEach, expect, test } from 'vitest';
import { formToken } from '../../src/console/cookies.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { type Browser, type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
let stand: ConsoleStand;
let ops: Browser;
let names: readonly string[];

beforeEach(async () => {
  stand = await openConsole();
  for (const id of ['a-1', 'a-2', 'a-3']) {
    const claim = await observe(stand, 'appointment', { ...VERA, id });
    await giveUp(stand, claim, { mirror: 'staff', code: `cause-${id}`, message: 'm' });
  }
  names = (await stand.store.deadLetters.all()).map(({ name }) => name).sort();
  ops = await stand.signIn('ops', 'boris');
});

const left = async () => (await stand.store.deadLetters.all()).map(({ key }) => key).sort();

/** Every field of the form of the page, as a browser sends it. */
async function send(path: string, page: string, why: string) {
  const content = page.slice(page.indexOf('<main'));
  const inputs = [...content.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const body = new URLSearchParams(
    inputs.map(([, name = '', value = '']): [string, string] => [name, value]),
  );
  body.set('why', why);
  body.set('form', formToken(ops.token));
  const headers = { origin: stand.url, 'content-type': 'application/x-www-form-urlencoded' };
  return ops.send('POST', path, { headers, body: body.toString() });
}

const asked = (ticked: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams([
    ['ticked', '1'],
    ...Object.entries(more),
    ...ticked.map((name): [string, string] => ['name', name]),
  ]);

test.each(['retry', 'discard'] as const)(
  '%s ends exactly those that were ticked, with a reason',
  async (action) => {
    const page = await ops.get(`/console/letters/${action}?${asked(names.slice(0, 2))}`);
    expect(page.text).toContain(action === 'retry' ? 'Retry 2 letters' : 'Discard 2 letters');
    const ended = await send(`/console/letters/${action}`, page.text, 'both are mended');
    expect(ended.headers['location']).toBe(`/console/letters?ended=${action}&done=2&of=2`);
    expect(await left()).toEqual(['appointment/a-3']);
    expect((await stand.store.acts.newest(9)).find(({ what }) => what.startsWith('letters'))).toMatchObject({
      ...{ why: 'both are mended', chosen: 2, done: 2 },
      about: { ticked: names.slice(0, 2).join(', ') },
    });
  },
);

test('none ticked is none, and never all that the filter shows (P7)', async () => {
  for (const query of [
    asked([]),
    asked(['']),
    asked(['appointment/nobody']),
    asked([], { code: 'cause-a-1' }),
  ]) {
    const page = await ops.get(`/console/letters/discard?${query}`);
    expect(page.text).toContain('No dead letter matches');
  }
  const page = await ops.get(`/console/letters/discard?${asked(names.slice(0, 1))}`);
  const cut = page.text.replaceAll(/<input type="hidden" name="name"[^>]*>/g, '');
  const answer = await send('/console/letters/discard', cut, 'a form that lost its ticks');
  expect(answer.headers['location']).toBe('/console/letters?ended=discard&done=0&of=1');
  expect(await left()).toHaveLength(3);
});

test('a letter that came anew for a ticked object after the page was made stays', async () => {
  const page = await ops.get(`/console/letters/discard?${asked(names.slice(0, 1))}`);
  await send(
    '/console/letters/retry',
    (await ops.get(`/console/letters/retry?${asked(names.slice(0, 1))}`)).text,
    'first',
  );
  stand.clock.advance(1_000);
  const claim = await stand.store.work.claim({ kind: 'appointment', id: 'a-1' });
  if (claim === undefined) throw new Error('not queued');
  await giveUp(stand, claim, { mirror: 'staff', code: 'cause-a-1', message: 'again' });
  await send('/console/letters/discard', page.text, 'the old page');
  expect(await left()).toEqual(['appointment/a-1', 'appointment/a-2', 'appointment/a-3']);
});

test('boxes are there for those who may act, in both languages', async () => {
  const boxes = async (role: 'viewer' | 'desk' | 'ops', language = 'en') => {
    const { text } = await (await stand.signIn(role)).get('/console/letters', {
      'accept-language': language,
    });
    return (
      [...text.matchAll(/type="checkbox" name="name"/g)].length +
      [...text.matchAll(/Retry the ticked|Повторить отмеченные/g)].length
    );
  };
  expect([await boxes('viewer'), await boxes('desk'), await boxes('ops'), await boxes('ops', 'ru')]).toEqual([
    0, 0, 4, 4,
  ]);
});
