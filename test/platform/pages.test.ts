import { afterEach, expect, test } from 'vitest';
import { clientFor, contact, failureOf, list, type Seen, Stands } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

const ids = Array.from({ length: 250 }, (_, index) => `c${String(index).padStart(3, '0')}`);

function book({ query }: Seen) {
  const after = query.get('starting_after');
  const from = after === null ? 0 : ids.indexOf(after) + 1;
  const until = from + Number(query.get('limit'));
  return list(
    ids.slice(from, until).map((id) => contact(id)),
    until < ids.length,
  );
}

test('a walk takes every object once, 100 a page, with the same filters on every page', async () => {
  const { url, seen } = await stands.answering(book);
  const taken: string[] = [];
  for await (const page of clientFor(url).contacts.pages({ filters: { lifecycle: 'customer' } })) {
    taken.push(...page.data.map((one) => one.id));
  }
  expect(taken).toEqual(ids);
  expect(seen.map((one) => one.query.get('limit'))).toEqual(['100', '100', '100']);
  expect(seen.map((one) => one.query.get('lifecycle'))).toEqual(['customer', 'customer', 'customer']);
  expect(seen.map((one) => one.query.get('starting_after'))).toEqual([null, 'c099', 'c199']);
});

test('a walk resumes behind the last object that was taken', async () => {
  const { url } = await stands.answering(book);
  const taken: string[] = [];
  for await (const page of clientFor(url).contacts.pages({ startingAfter: 'c198' }))
    taken.push(...page.data.map((one) => one.id));
  expect(taken).toEqual(ids.slice(199));
});

test('an aborted walk throws, so that nobody takes it for a finished one', async () => {
  const { url, seen } = await stands.answering(book);
  const stop = new AbortController();
  const walk = async () => {
    for await (const _page of clientFor(url).contacts.pages({ signal: stop.signal })) stop.abort();
  };
  expect(await failureOf(walk())).toMatchObject({ family: 'deferred', code: 'stopped' });
  expect(seen).toHaveLength(1);
});

test('a failing page ends the walk with its error', async () => {
  const { url, seen } = await stands.answering((one) =>
    seen.length === 2 ? { status: 503, text: '' } : book(one),
  );
  const walk = async () => {
    for await (const page of clientFor(url).contacts.pages()) expect(page.data).toHaveLength(100);
  };
  expect(await failureOf(walk())).toMatchObject({ code: 'platform-unavailable' });
});

test.each([
  ['the same page again', list([contact('same')], true)],
  ['an empty page that promises more', list([], true)],
])('%s does not make the walk endless', async (_name, reply) => {
  const { url, seen } = await stands.answering(() => reply);
  const walk = async () => {
    for await (const _page of clientFor(url).contacts.pages()) expect(seen.length).toBeLessThan(5);
  };
  expect(await failureOf(walk())).toMatchObject({ family: 'retryable', code: 'platform-bad-answer' });
});
