import { expect, test } from 'vitest';
import type { EntityKind } from '../../src/engine/object.ts';
import { isHiddenBy } from '../../src/engine/origin.ts';
import type { Claim } from '../../src/engine/work.ts';
import { PeopleIndex, type PersonAsked } from '../../src/operate/people-index.ts';
import { HandClock } from '../doubles/hand-clock.ts';

const MINUTE_MS = 60_000;

function claimOf(id: string, name: string): Claim {
  return {
    key: { kind: 'contact', id },
    ...{ fence: '1', desiredRev: 1, syncedRev: 1, deleted: false, verify: false, links: {} },
    ...{ projectId: undefined, pendingSinceMs: undefined, sightings: [] },
    snapshot: { id, name, phone: `+7495${id.padStart(7, '0')}` },
  };
}

/** So many contacts, and how often they were read. */
function stand(
  count: number,
  { isHidden, zone = 'Asia/Vladivostok' }: { isHidden?: (claim: Claim) => boolean; zone?: string } = {},
) {
  const clock = new HandClock(0);
  const claims = Array.from({ length: count }, (_, at) => claimOf(String(at), `Person ${at}`));
  const seen = { walks: 0, peeks: 0, changed: [] as string[] };
  const index = new PeopleIndex({
    zoneOf: () => zone,
    clock,
    steady: clock,
    ...(isHidden && { isHidden }),
    known: {
      each: async (kind: EntityKind, tell) => {
        if (kind !== 'contact') return;
        seen.walks += 1;
        await tell(claims);
      },
    },
    view: {
      peek: async ({ id }) => {
        seen.peeks += 1;
        return claims[Number(id)];
      },
    },
    journal: {
      async *between() {
        for (const id of seen.changed)
          yield {
            atMs: 0,
            eventId: `e${id}`,
            eventType: '',
            key: { kind: 'contact' as const, id },
            via: 'feed',
          };
      },
    },
  });
  return { clock, claims, seen, index };
}

const names = async (index: PeopleIndex, ...words: string[]) =>
  (await index.search({ words }, 10)).map(({ id }) => id);

test('people who search at the same moment share one reading, and later ones read what has changed only', async () => {
  const { claims, seen, index } = stand(100);
  await Promise.all([names(index, 'person 7'), names(index, 'person 8')]);
  expect(seen.walks).toBe(1);
  claims[7] = claimOf('7', 'Vera Orlova');
  seen.changed.push('7');
  seen.peeks = 0;
  expect(await names(index, 'orlova')).toEqual(['7']);
  // The one that has changed, and the one that was found.
  expect([seen.walks, seen.peeks]).toEqual([1, 2]);
});

test('what no journal told is read after ten minutes, and too many changes are read at once', async () => {
  const { clock, claims, seen, index } = stand(6_000);
  await names(index, 'person');
  claims[1] = claimOf('1', 'Vera Orlova');
  expect(await names(index, 'orlova')).toEqual([]);
  clock.advance(10 * MINUTE_MS + 1);
  // Nobody waits for it.
  await names(index, 'orlova');
  await index.prepare();
  expect(await names(index, 'orlova')).toEqual(['1']);
  expect(seen.walks).toBe(2);
  seen.changed.push(...Array.from({ length: 5_001 }, (_, at) => String(at)));
  seen.peeks = 0;
  await names(index, 'nobody');
  expect([seen.walks, seen.peeks]).toEqual([3, 0]);
});

test('a phone is found by its last digits, with or without the code of the country', async () => {
  const { index } = stand(50);
  const found = async (digits: string) => (await index.search({ digits }, 10)).map(({ id }) => id);
  expect(await found('74950000042')).toEqual(['42']);
  expect(await found('84950000042')).toEqual(['42']);
  expect(await found('0000042')).toEqual(['42']);
});

test('of twenty thousand objects that are searched, only what was found is looked at', async () => {
  const { seen, index } = stand(20_000);
  expect(await names(index, 'person 19999')).toEqual(['19999']);
  expect(await names(index, 'nobody')).toEqual([]);
  expect([seen.walks, seen.peeks]).toEqual([1, 1]);
});

test('somebody who was erased is found no more, although no journal tells of it', async () => {
  const { claims, index } = stand(10);
  expect(await names(index, 'person 7')).toEqual(['7']);
  delete claims[7];
  expect(await names(index, 'person 7')).toEqual([]);
});

test('what stands for nobody is never found, also after it has changed', async () => {
  const { seen, index } = stand(10, { isHidden: isHiddenBy({ blocks: [{ contactId: '7' }] }) });
  expect(await names(index, 'person 7')).toEqual([]);
  seen.changed.push('7');
  expect(await names(index, 'person 7')).toEqual([]);
  expect(await names(index, 'person 8')).toEqual(['8']);
});

test('an appointment is found by the day on the clock of its branch, also among those of a name', async () => {
  const { claims, index } = stand(3);
  // 2026-11-24, 01:30 in Vladivostok.
  claims[1] = {
    ...claimOf('1', 'Vera Orlova'),
    snapshot: { id: '1', customer_name: 'Vera', starts_at: '2026-11-23T15:30:00Z' },
  };
  claims[2] = {
    ...claimOf('2', 'Vera Orlova'),
    snapshot: { id: '2', customer_name: 'Pavel', starts_at: '2026-11-23T15:30:00Z' },
  };
  const found = async (asked: PersonAsked) => (await index.search(asked, 10)).map(({ id }) => id);
  expect(await found({ day: '2026-11-24' })).toEqual(['1', '2']);
  expect(await found({ day: '2026-11-23' })).toEqual([]);
  expect(await found({ day: '2026-11-24', words: ['pavel'] })).toEqual(['2']);
});

test.each([
  ['a zone that is none', 'Mars/Olympus'],
  ['no zone', ''],
])('%s: days are those of UTC', async (_, zone) => {
  const { claims, index } = stand(1, { zone });
  claims[0] = { ...claimOf('0', 'x'), snapshot: { id: '0', starts_at: '2026-11-23T15:30:00Z' } };
  expect(await index.search({ day: '2026-11-23' }, 10)).toHaveLength(1);
});

test('what was prepared is not read once more by whoever searches', async () => {
  const { seen, index } = stand(10);
  await Promise.all([index.prepare(), index.prepare()]);
  await names(index, 'person');
  await index.prepare();
  expect(seen.walks).toBe(1);
});
