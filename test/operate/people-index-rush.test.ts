import { afterEach, expect, test } from 'vitest';
import type { EntityKey } from '../../src/engine/object.ts';
import type { Claim } from '../../src/engine/work.ts';
import { type IndexParts, PeopleIndex } from '../../src/operate/people-index.ts';
import { HandClock } from '../doubles/hand-clock.ts';

const NOW_MS = Date.parse('2026-11-24T10:00:00Z');
const clock = new HandClock(NOW_MS);
let index: PeopleIndex;
afterEach(() => index.forget());

const keyOf = (number: number): EntityKey => ({ kind: 'contact', id: `c-${number}` });
const claimOf = (key: EntityKey, name: string) =>
  ({ key, deleted: false, snapshot: { id: key.id, name } }) as unknown as Claim;

/** So many contacts were heard of within the last half a minute, one in each millisecond. */
function stand(count: number) {
  const journal = Array.from({ length: count }, (_, number) => ({
    key: keyOf(number),
    atMs: NOW_MS - 30_000 + number,
  }));
  const names = new Map(journal.map(({ key }, number) => [key.id, `customer ${number}`]));
  const work = { builds: 0, peeks: 0 };
  const peek = async (key: EntityKey) => {
    work.peeks += 1;
    const name = names.get(key.id);
    return name === undefined ? undefined : claimOf(key, name);
  };
  index = new PeopleIndex({
    known: {
      each: async (kind: string, tell: (claims: readonly Claim[]) => Promise<void>) => {
        if (kind !== 'contact') return;
        work.builds += 1;
        await tell([...names].map(([id, name]) => claimOf({ kind: 'contact', id }, name)));
      },
    },
    view: { peek },
    journal: {
      async *between({ fromMs }: { readonly fromMs: number }) {
        yield* journal.filter(({ atMs }) => atMs >= fromMs);
      },
    },
    ...{ clock, steady: clock, zoneOf: () => 'UTC' },
  } as unknown as IndexParts);
  const hear = (number: number, name: string) => {
    names.set(`c-${number}`, name);
    journal.push({ key: keyOf(number), atMs: NOW_MS + 1 });
  };
  return {
    work,
    hear,
    find: async (words: string[]) => (await index.search({ words }, 10)).map(({ id }) => id),
  };
}

test('after a rush of changes nothing is read twice: what the first reading showed is not caught up with', async () => {
  const { work, find, hear } = stand(1_000);
  await index.prepare();
  expect(await find(['customer', '999'])).toEqual(['c-999']);
  // The newest of the journal, and the one that was found.
  expect(work).toEqual({ builds: 1, peeks: 2 });
  hear(7, 'vera');
  work.peeks = 0;
  expect(await find(['vera'])).toEqual(['c-7']);
  expect(work).toEqual({ builds: 1, peeks: 3 });
});

test('not even when there were more changes than are caught up with', async () => {
  const { work, find } = stand(6_000);
  await index.prepare();
  expect(await find(['customer', '5999'])).toEqual(['c-5999']);
  expect(await find(['customer', '5998'])).toEqual(['c-5998']);
  expect(work.builds).toBe(1);
});
