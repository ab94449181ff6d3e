import { expect, test } from 'vitest';
import { AGES } from '../../src/console/letters.ts';
import { formFields, giveUp, observe, VERA } from './objects.ts';
import { type Browser, type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();

/** So many appointments that were given up; the first of them for another reason. */
async function letters(stand: ConsoleStand, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, at) => `appointment-${String(at).padStart(2, '0')}`);
  for (const [at, id] of ids.entries()) {
    const claim = await observe(stand, 'appointment', { ...VERA, id });
    const code = at === 0 ? 'event-forbidden' : 'template-failed';
    const target = at === 0 ? 'calendar:anna.petrova@clinic.example' : 'mapping';
    await giveUp(stand, claim, { mirror: 'staff', code, message: `${code} of ${target}`, target });
  }
  return ids;
}

async function confirm(browser: Browser, action: string, query = ''): Promise<Record<string, string>> {
  const page = await browser.get(`/console/letters/${action}?${query}`);
  expect(page.status).toBe(200);
  return formFields(page.text);
}

test('are shown by cause, with what to do, and a filter shows those it names', async () => {
  const stand = await openConsole();
  await letters(stand, 4);
  const browser = await stand.signIn('desk');
  const all = (await browser.get('/console/letters')).text;
  expect(all).toContain('4 objects were given up');
  expect(all).toMatch(/template-failed<\/span><\/a> <span class="badge">3</);
  expect(all).toContain('Check the filters of the template');
  const some = (await browser.get('/console/letters?code=event-forbidden')).text;
  expect(some).toContain('1 of 4 objects that were given up');
  expect(some).not.toContain('appointment/appointment-01');
  expect(some).not.toContain('/console/letters/retry');
});

test('a filter that matches nothing says so, and offers nothing to do', async () => {
  const stand = await openConsole();
  await letters(stand, 1);
  const browser = await stand.signIn('ops');
  for (const path of [
    '/console/letters?code=*',
    '/console/letters/retry?code=*',
    '/console/letters?age=5y',
  ]) {
    const { status, text } = await browser.get(path);
    expect([status, text.includes('No dead letter matches')]).toEqual([200, true]);
    expect(text).not.toContain('<form method="post" action="/console/letters');
  }
});

test('retrying does exactly what the filter shows, after a count and a reason, and stands in the audit log', async () => {
  const stand = await openConsole();
  const ids = await letters(stand, 4);
  const browser = await stand.signIn('ops', 'boris');
  const fields = await confirm(browser, 'retry', 'code=template-failed');
  expect(fields).toMatchObject({ code: 'template-failed', count: '3' });
  stand.clock.advance(1_000);
  const late = await observe(stand, 'appointment', { ...VERA, id: 'late' });
  await giveUp(stand, late, { mirror: 'staff', code: 'template-failed', message: 'm' });
  stand.clock.advance(1_000);

  const ended = await browser.post('/console/letters/retry', { ...fields, why: 'filter mended' });
  expect(ended.status).toBe(303);
  expect((await browser.get(String(ended.headers['location']))).text).toContain(
    '3 of 3 will be tried again.',
  );
  expect((await stand.store.deadLetters.all()).map(({ key }) => key).sort()).toEqual([
    `appointment/${ids[0]}`,
    'appointment/late',
  ]);
  expect([...stand.queued].sort()).toEqual(ids.slice(1).map((id) => `appointment/${id}`));
  expect((await stand.store.acts.newest(1))[0]).toMatchObject({
    ...{ who: 'boris', role: 'ops', what: 'letters-retried', why: 'filter mended' },
    ...{ about: { code: 'template-failed' }, chosen: 3, done: 3 },
  });
  expect((await browser.get('/console/acts')).text).toContain('filter mended');
});

test('two people who retry the same letters at the same moment give each one turn', async () => {
  const stand = await openConsole();
  const ids = await letters(stand, 6);
  const [anna, boris] = [await stand.signIn('ops', 'anna'), await stand.signIn('ops', 'boris')];
  const [hers, his] = [await confirm(anna, 'retry'), await confirm(boris, 'retry')];
  const answers = await Promise.all([
    anna.post('/console/letters/retry', { ...hers, why: 'a' }),
    boris.post('/console/letters/retry', { ...his, why: 'b' }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  expect([...stand.queued].sort()).toEqual(ids.map((id) => `appointment/${id}`));
  const acts = (await stand.store.acts.newest(10)).filter(({ what }) => what === 'letters-retried');
  expect(acts.reduce((sum, { done = 0 }) => sum + done, 0)).toBe(6);
  const again = await anna.post('/console/letters/retry', { ...hers, why: 'once more' });
  expect((await anna.get(String(again.headers['location']))).text).toContain('0 of 6 will be tried again.');
  expect(stand.queued).toHaveLength(6);
});

test('discarding keeps the reason in the story of the object, where a viewer does not read it', async () => {
  const stand = await openConsole();
  await letters(stand, 1);
  const browser = await stand.signIn('ops');
  const fields = await confirm(browser, 'discard', 'key=appointment/appointment-00');
  expect(
    (await browser.post('/console/letters/discard', { ...fields, why: 'Vera asked for it' })).status,
  ).toBe(303);
  expect(await stand.store.deadLetters.all()).toEqual([]);
  expect(stand.queued).toEqual([]);
  const story = '/console/object/appointment/appointment-00';
  expect((await browser.get(story)).text).toContain('Vera asked for it');
  expect((await (await stand.signIn('viewer')).get(story)).text).not.toContain('Vera');
});

test.each([
  ['no reason', { why: ' ' }],
  ['a reason without an end', { why: 'x'.repeat(501) }],
  ['fewer than there are', { why: 'ok', count: '1' }],
  ['no count', { why: 'ok', count: '' }],
  ['a count that is none', { why: 'ok', count: 'all' }],
])('%s: nothing is done, and the page asks again', async (_, fields) => {
  const stand = await openConsole();
  await letters(stand, 2);
  const browser = await stand.signIn('ops');
  const shown = await confirm(browser, 'retry');
  const answer = await browser.post('/console/letters/retry', { ...shown, ...fields });
  expect(answer.status).toBe(409);
  expect(answer.text).toContain('Nothing was done');
  expect(await stand.store.deadLetters.all()).toHaveLength(2);
  expect((await stand.store.acts.newest(5)).map(({ what }) => what)).toEqual(['signed-in']);
});

test('after a forgotten reason the age still counts: a young letter that the page never showed stays (P1)', async () => {
  const stand = await openConsole();
  await letters(stand, 2);
  stand.clock.advance(AGES['1h'] + 1_000);
  const young = await observe(stand, 'appointment', { ...VERA, id: 'young' });
  await giveUp(stand, young, { mirror: 'staff', code: 'template-failed', message: 'm' });
  const browser = await stand.signIn('ops');
  const shown = await confirm(browser, 'discard', 'age=1h');
  const again = await browser.post('/console/letters/discard', { ...shown, why: '' });
  expect(again.status).toBe(409);
  const fields = formFields(again.text);
  expect(fields).toMatchObject({ age: '1h', count: '2' });
  // Another person deals with one of the two meanwhile, so that the young one would fit into the count.
  await browser.post('/console/letters/discard', {
    ...(await confirm(browser, 'discard', 'key=appointment/appointment-00')),
    why: 'by another person',
  });
  const ended = await browser.post('/console/letters/discard', { ...fields, why: 'too old' });
  expect(ended.status).toBe(303);
  expect((await stand.store.deadLetters.all()).map(({ key }) => key)).toEqual(['appointment/young']);
});

test('without a moment nothing is meant', async () => {
  const stand = await openConsole();
  await letters(stand, 2);
  const browser = await stand.signIn('ops');
  await browser.post('/console/letters/discard', { why: 'ok', count: '2', until: '' });
  expect(await stand.store.deadLetters.all()).toHaveLength(2);
});

test('a forged form does nothing', async () => {
  const stand = await openConsole();
  await letters(stand, 1);
  const browser = await stand.signIn('ops');
  const fields = { ...(await confirm(browser, 'discard')), why: 'ok' };
  for (const forged of [
    await browser.post('/console/letters/discard', { ...fields, form: '' }),
    await browser.post('/console/letters/discard', fields, { origin: 'https://evil.example' }),
  ]) {
    expect(forged.status).toBe(403);
  }
  expect(await stand.store.deadLetters.all()).toHaveLength(1);
});

test('a viewer sees causes and no address of a calendar, also in the lists to choose from', async () => {
  const stand = await openConsole();
  await letters(stand, 2);
  const { text } = await (await stand.signIn('viewer')).get('/console/letters');
  expect(text).toContain('event-forbidden');
  expect(text).not.toContain('anna.petrova');
});

test('ten thousand letters make a page of bounded size', async () => {
  const stand = await openConsole();
  const rows = Array.from({ length: 10_000 }, (_, at) => {
    const key = `appointment/many-${at}`;
    const reasons = [{ mirror: 'staff', code: `code-${at % 30}`, message: 'm', target: `calendar:${at}` }];
    return [key, JSON.stringify({ key, atMs: stand.clock.now(), attempts: 1, reasons })] as const;
  });
  await stand.store.redis.hset(stand.store.keys.dead, Object.fromEntries(rows));
  const { status, text } = await (await stand.signIn('viewer')).get('/console/letters');
  expect(status).toBe(200);
  expect(text).toContain('10,000 objects were given up');
  expect(text.length).toBeLessThan(150_000);
});

test('when nothing was given up the page says so, and does not blame the filter', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('ops');
  const { text } = await browser.get('/console/letters');
  expect(text).toContain('Nothing was given up');
  expect(text).not.toMatch(/0 objects|matches/);
  // With a filter it may be the filter.
  expect((await browser.get('/console/letters?code=x')).text).toContain('No dead letter matches');
});

test('an act upon letters that are gone is no entry, and each act is a log line without a name', async () => {
  const stand = await openConsole();
  await letters(stand, 2);
  const anna = await stand.signIn('ops', 'anna.ivanova');
  const fields = await confirm(anna, 'retry');
  await anna.post('/console/letters/retry', { ...fields, why: 'a' });
  const before = (await stand.store.acts.newest(100)).length;
  for (let nth = 0; nth < 5; nth += 1) await anna.post('/console/letters/retry', { ...fields, why: 'again' });
  expect(await stand.store.acts.newest(100)).toHaveLength(before);
  const lines = stand.log.lines.filter(({ message }) => message === 'act in the console');
  expect(lines.map(({ fields: told }) => told)).toEqual(
    expect.arrayContaining([expect.objectContaining({ what: 'letters-retried', role: 'ops', done: 2 })]),
  );
  const line = lines.at(-1)?.fields as { readonly objects: readonly string[] } | undefined;
  expect(line?.objects.toSorted()).toEqual(['appointment/appointment-00', 'appointment/appointment-01']);
  expect(JSON.stringify(lines)).not.toContain('ivanova');
});

test('the log line of an act names at most twenty objects, and nothing that a person typed', async () => {
  const stand = await openConsole();
  await letters(stand, 25);
  const browser = await stand.signIn('ops');
  const fields = await confirm(browser, 'retry', 'code=template-failed');
  await browser.post('/console/letters/retry', { ...fields, why: 'Vera Orlova, vera@home.example' });
  const line = stand.log.lines.at(-1)?.fields as { readonly objects: readonly string[] };
  expect(line).toMatchObject({ what: 'letters-retried', chosen: 24, done: 24 });
  expect(line.objects).toHaveLength(20);
  expect(line.objects.filter((name) => !/^appointment\/appointment-\d\d$/.test(name))).toEqual([]);
  expect(JSON.stringify(stand.log.lines)).not.toMatch(/Orlova|home\.example/);
});
