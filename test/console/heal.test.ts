// Differences of a comparison are healed: compared once more, and only what the page knew and is still so.
import { beforeEach, expect, test } from 'vitest';
import type { ComparisonSession } from '../../src/console/comparison.ts';
import { COMPARE_EN } from '../../src/console/words/compare-en.ts';
import { EN } from '../../src/console/words/en.ts';
import type { Difference } from '../../src/engine/finding.ts';
import { type Browser, type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const PLACE = 'calendar:anna.petrova@clinic.example';
const difference = (what: Difference['what'], id: string, more: Partial<Difference> = {}): Difference => ({
  ...{ what, why: 'failed-write', key: `appointment/${id}`, mirror: 'staff', place: PLACE },
  ...more,
});
const MISSING = difference('missing', '1');
const PENDING = difference('missing', '2', { why: 'pending' });
const DOUBLED = difference('doubled', '3', { name: 'event-3' });
const ORPHAN = difference('orphaned', '4', { name: 'event-4' });

let found: readonly Difference[];
let whose: 'own' | 'another';
let fixed: (readonly Difference[])[];
let stand: ConsoleStand;
let ops: Browser;

const session: ComparisonSession = {
  async audit({ tell }) {
    for (const each of found) tell(each);
    const nothing = { unread: new Map(), unjudged: new Map() };
    return { objects: 7, standing: 5, standingIn: new Map([[PLACE, 5]]), ...nothing };
  },
  async fixAll(chosen, standingIn) {
    expect(standingIn.get(PLACE)).toBe(5);
    fixed.push(chosen);
    const isParked = chosen.some(({ what }) => what === 'orphaned');
    return {
      counts: {
        ...(chosen.length > 0 && { 'given a turn': chosen.length }),
        ...(isParked && { 'waits for a person': 1 }),
      },
      parked: isParked ? [PLACE] : [],
    };
  },
  whoseMapping: async () => whose,
  async close() {},
};

beforeEach(async () => {
  found = [MISSING, PENDING, DOUBLED, ORPHAN];
  whose = 'own';
  fixed = [];
  stand = await openConsole({ parts: () => ({ openAudit: async () => session }) });
  ops = await stand.signIn('ops', 'boris');
  await ops.post('/console/compare', { why: 'after the weekend' });
  await ended();
});

/** The page, once nothing is being compared. */
async function ended(language = 'en'): Promise<string> {
  for (;;) {
    const { text } = await ops.get('/console/compare', { 'accept-language': language });
    if (!text.includes('aria-busy')) return text;
    await new Promise((done) => setTimeout(done, 20));
  }
}

const field = (text: string) => /name="at" value="(\d+)"/.exec(text)?.[1] ?? '';
const heal = async (what: string, more: Readonly<Record<string, string>> = {}) =>
  ops.post('/console/compare/heal', { at: field(await ended()), what, why: 'seen in the calendar', ...more });

test('the page offers each kind with its count, without what is pending, to ops alone', async () => {
  const text = await ended();
  const boxes = [...text.matchAll(/name="what" value="(\w+)"[^>]*>([^<]*)</g)].map(([, kind, told]) => [
    kind,
    told?.trim(),
  ]);
  expect(boxes).toEqual([
    ['missing', `${EN.codes.differences.missing}: 1`],
    ['doubled', `${EN.codes.differences.doubled}: 1`],
    ['orphaned', `${EN.codes.differences.orphaned}: 1`],
  ]);
  for (const role of ['viewer', 'desk'] as const)
    expect((await (await stand.signIn(role)).get('/console/compare')).text).not.toContain('name="what"');
  expect(await ended('ru')).toContain('Сверить и исправить');
});

test('what was ticked and is found again is healed, and stands in the audit log', async () => {
  expect((await heal('missing')).headers['location']).toBe('/console/compare');
  const text = await ended();
  expect(fixed).toEqual([[MISSING]]);
  expect(text).toContain('1 object will be written within moments');
  expect((await stand.store.acts.newest(9)).find(({ what }) => what === 'healed')).toMatchObject({
    ...{ who: 'boris', why: 'seen in the calendar', chosen: 1, done: 1 },
    about: { differences: 'missing', objects: MISSING.key },
  });
  expect((await ops.get('/console/acts')).text).toMatch(
    /differences healed, 1 of 1[\s\S]*differences: missing/,
  );
});

test('what is found only now, or is no longer so, is left alone (P7)', async () => {
  found = [difference('missing', '9'), { ...DOUBLED, name: 'event-of-today' }, ORPHAN];
  await heal('missing');
  await ended();
  expect(fixed).toEqual([[]]);
  expect(await ended()).toContain('Nothing of it was found again');
});

test('a removal that waits for a person leads to the approvals', async () => {
  await heal('orphaned');
  const text = await ended();
  expect(fixed).toEqual([[ORPHAN]]);
  expect(text).toContain('1 removal waits for an approval');
  expect(text).toContain('calendar anna.petrova@clinic.example: <a href="/console/approvals">');
});

test('links of another mapping prove nothing: nothing is removed, and what is missing may still be written', async () => {
  whose = 'another';
  await heal('doubled');
  expect((await ended()).replaceAll('&#39;', "'")).toContain(COMPARE_EN['other-mapping']);
  expect(fixed).toEqual([]);
  await ops.post('/console/compare', { why: 'again' });
  await ended();
  await heal('missing');
  await ended();
  expect(fixed).toEqual([[MISSING]]);
});

test.each([
  ['no reason', { why: '' }, 'Give a reason'],
  ['nothing ticked', { what: '' }, 'Nothing was ticked'],
  ['a kind that is none', { what: 'all' }, 'Nothing was ticked'],
  ['another comparison than the page showed', { at: '1' }, 'There is a newer comparison'],
])('%s: nothing is done, and the page says why', async (_, fields, told) => {
  const answer = await heal('missing', fields);
  expect([answer.status, answer.text.includes(told)]).toEqual([409, true]);
  expect(fixed).toEqual([]);
  expect((await stand.store.acts.newest(5)).map(({ what }) => what).sort()).toEqual([
    'compared',
    'signed-in',
  ]);
});
