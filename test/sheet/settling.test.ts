/** What becomes of the rows of a write, by what its tabs show afterwards. `people-move-rows.test.ts` has the writes themselves. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ContactSheetMirror } from '../../src/engine/mirror.ts';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import { planFlush, type TabPlan, type TabView } from '../../src/sheet/flush-plan.ts';
import { type Outcome, type Settled, settle } from '../../src/sheet/flush-settle.ts';
import { isTabFault } from '../../src/sheet/tab-layout.ts';
import { RememberedTabs, TabSurvey } from '../../src/sheet/tab-survey.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

type Values = readonly (readonly string[])[];

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const MOVED = ['Name', 'ID', 'Phone', 'Note'];
const SWAPPED = ['ID', 'Phone', 'Name', 'Note'];
const APPOINTMENTS: ContactSheetMirror = { ...CONTACTS, name: 'visits', tab: 'Visits' };
const ROWS = 10;
const NAME = 'Name 1';
const PHONE = '+41780001';
const NEW = line(1);
const old = (n: number) => line(n, 'Old', 'x');
const OLD = [old(1), old(2), old(3)];

let stand: Stand;
let survey: TabSurvey;
const memory = new MapMemory();
afterEach(() => stand.close());

interface Story {
  readonly before?: Values;
  readonly put?: readonly OutboxRow[];
  readonly others?: readonly OutboxRow[];
  /** What both tabs show after the write, and what people did; rows are inserted from the fifth on. */
  readonly after?: Values;
  readonly othersAfter?: Values;
  readonly outcome?: Outcome;
  /** The tabs of which the write's answer shows this. */
  readonly shown?: Readonly<Record<string, Values>>;
  readonly view?: Partial<TabView>;
  readonly people?: () => void;
}

/** Plans the waiting rows for the tabs as they are, has a write and people change them, and settles it. */
async function settled(story: Story): Promise<Settled> {
  const { before = [HEADER, ...OLD], put = [contact(1)], others = [], outcome = 'performed' } = story;
  const tabs = ['Contacts', 'Visits'].map((title) => ({ title, rows: ROWS, columns: 5 }));
  stand = await startStand({
    tabs: tabs.map((tab) => ({ ...tab, values: before.map((cells) => [...cells]) })),
  });
  survey = new TabSurvey({ api: stand.api, memory: new RememberedTabs(memory), log: stand.log });
  stand.put(...put, ...others.map((each) => ({ ...each, mirror: 'visits', tab: 'Visits' })));
  const plans: TabPlan[] = [];
  for (const [mirror, view] of (await looked(others.length > 0 ? [CONTACTS, APPOINTMENTS] : [CONTACTS]))
    .seen) {
    if (isTabFault(view)) throw new Error(view.message);
    plans.push(planFlush(mirror, { ...view, ...story.view }, await waitingFor(mirror)));
  }
  show('Contacts', story.after ?? before);
  show('Visits', story.othersAfter ?? before);
  story.people?.();
  const shown = Object.entries(story.shown ?? {}).map(([tab, values]) => {
    const sheetId = plans.find(({ mirror }) => mirror.tab === tab)?.view.sheetId ?? -1;
    return [sheetId, new Map(values.entries())] as const;
  });
  const parts = { ...stand, survey, clock: { now: () => 10_000 } };
  return settle(parts, BOOK, { plans, outcome, ...(shown.length > 0 && { shown: new Map(shown) }) });
}

const waitingFor = async ({ name }: Pick<ContactSheetMirror, 'name'>) =>
  (await stand.outbox.pending(BOOK, 100)).filter(({ mirror }) => mirror === name);

async function looked(mirrors: readonly ContactSheetMirror[]) {
  const wanted = await Promise.all(mirrors.map(async (each) => [each, await waitingFor(each)] as const));
  return survey.lookFor(BOOK, new Map(wanted), () => false);
}

/** As people type a phone, so that it stays text. */
const typed = (text: string) => (text.startsWith('+') ? `'${text}` : text);

function show(tab: string, values: Values): void {
  for (const [at, cells] of values.entries()) {
    const about = { spreadsheetId: BOOK, tab, row: at + 1 };
    const filled = Array.from({ length: 5 }, (_, column) => typed(cells[column] ?? ''));
    if (at < 4) stand.sandbox.staff.sheets.setRow({ ...about, values: filled });
    else stand.sandbox.staff.sheets.insertRow({ ...about, values: filled });
  }
}

const numbers = (rows: readonly { rowKey: string }[]) => rows.map(({ rowKey }) => Number(rowKey.slice(-12)));

/** The rows of each repair, with the columns that it fills. */
const repaired = ({ repairs }: Settled) =>
  repairs.map(({ inPlace }) =>
    Object.fromEntries([...inPlace].map(([at, { cells }]) => [at, [...cells.keys()]])),
  );

const warned = () => stand.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);

describe('rows leave the outbox', () => {
  const leaving = (forced: boolean) => ({
    ...row(1, undefined),
    leftBehind: { spreadsheetId: BOOK, tab: 'Archive', forced },
  });
  const shown = { Contacts: [HEADER, NEW, old(2), old(3)] };
  const two = [contact(1), contact(3)];
  test.each<[string, Story, { left: number[]; unkept?: number[] }]>([
    ['that stand as planned', { after: [HEADER, NEW, old(2), old(3)] }, { left: [] }],
    ['in the write’s answer, whatever became of the tab since', { shown }, { left: [] }],
    [
      'new ones too',
      { put: [contact(1), contact(4)], after: [HEADER, NEW, old(2), old(3), line(4)] },
      { left: [] },
    ],
    ['not with other cells', { after: [HEADER, ...OLD] }, { left: [1], unkept: [1] }],
    [
      'not with other cells in one of two places',
      { put: two, after: [HEADER, NEW, old(2), old(3)] },
      { left: [3], unkept: [3] },
    ],
    [
      'not with other cells in the first of two places',
      { put: two, after: [HEADER, old(1), old(2), line(3)] },
      { left: [1], unkept: [1] },
    ],
    [
      'not with other cells in one of two places of the answer',
      { put: two, shown: { Contacts: [HEADER, NEW, old(2), old(3)] }, after: [HEADER, NEW, old(2), old(3)] },
      { left: [3], unkept: [3] },
    ],
    ['wherever they are', { after: [HEADER, old(3), NEW, old(2)] }, { left: [] }],
    [
      'that moved away',
      { put: [leaving(true)], after: [HEADER, ['', '', ''], old(2), old(3)] },
      { left: [] },
    ],
    [
      'not while a copy of one that moved away is further down',
      {
        put: [leaving(true)],
        before: [HEADER, old(1), old(2), old(1)],
        after: [HEADER, ['', '', ''], old(2), old(1)],
      },
      { left: [1] },
    ],
    [
      'not if the answer shows other headers',
      { shown: { Contacts: [SWAPPED, NEW, old(2), old(3)] }, after: [SWAPPED, NEW, old(2), old(3)] },
      { left: [1] },
    ],
    [
      'not if the answer lacks a header',
      { shown: { Contacts: [['ID', 'Name'], NEW, old(2), old(3)] }, after: [['ID', 'Name'], NEW] },
      { left: [1] },
    ],
    ['not while a header is missing', { after: [['ID', 'Name'], NEW, old(2), old(3)] }, { left: [1] }],
  ])('%s', async (_, story, { left, unkept = [] }) => {
    const found = await settled(story);
    expect(numbers(await waitingFor(CONTACTS))).toEqual(left);
    expect(numbers(found.unkept)).toEqual(unkept);
    expect(found.confirmed).toBe((story.put ?? [1]).length - left.length);
  });

  test('not if a new tab of the same name holds them', async () => {
    const people = () => {
      const at = { spreadsheetId: BOOK, tab: 'Contacts' };
      stand.sandbox.staff.sheets.deleteTab(at);
      stand.sandbox.staff.sheets.addTab(at);
      show('Contacts', [HEADER, NEW, old(2), old(3)]);
    };
    expect(await settled({ people })).toMatchObject({ confirmed: 0, unkept: [], repairs: [] });
  });

  test('of a tab that the answer does not show, after one more look', async () => {
    const after = [HEADER, NEW, old(2), line(3)];
    const put = [contact(1), contact(3)];
    const shown = { Contacts: after };
    const found = await settled({ put, others: put, shown, othersAfter: after });
    expect(found).toMatchObject({ confirmed: 4, unkept: [] });
  });

  test('of two tabs, each by its own cells', async () => {
    const after = [HEADER, NEW, old(2), line(3)];
    const put = [contact(1), contact(3)];
    expect(await settled({ put, others: [contact(2)], after, othersAfter: [HEADER, ...OLD] })).toMatchObject({
      confirmed: 2,
      unkept: [{ mirror: 'visits' }],
    });
  });

  test('and their lag counts from their oldest change', async () => {
    const put = [{ ...contact(1), occurredAtMs: 4_000 }, contact(3)];
    await settled({ put, after: [HEADER, NEW, old(2), line(3)] });
    expect(stand.meter.measured).toEqual([
      { name: 'slotbridge_lag_seconds', seconds: 6, labels: { mirror: 'contacts' } },
    ]);
  });
});

describe('the next flush', () => {
  const after = [HEADER, NEW, old(2), old(3)];
  test.each<[string, Story, object]>([
    ['reads only its rows', { after }, { rows: 1 }],
    ['reads the whole tab after a write of unknown end', { after, outcome: 'unknown' }, { whole: 1 }],
    ['reads the whole tab after one whose cells are not there', {}, { whole: 1 }],
    ['reads the whole tab after people moved rows', { after: [HEADER, NEW, old(3), old(2)] }, { whole: 1 }],
  ])('%s', async (_, story, read) => {
    // Read before, too: the tab is known by heart.
    await settled({ after });
    await stand.close();
    await settled(story);
    stand.put(contact(2));
    expect((await looked([CONTACTS])).read).toMatchObject(read);
  });
});

const added = { at: 2, headers: ['Phone'], isLast: false };
test.each<[string, Partial<TabView>, boolean]>([
  ['an empty tab', { blankColumns: 5 }, true],
  ['a tab without some of them', { addedColumns: added }, true],
  ['no tab', {}, false],
])('headers that the write put into %s are remembered', async (_, view, isRemembered) => {
  const after = [HEADER, NEW, old(2), old(3)];
  const people = () => memory.clear();
  await settled({ view, after, people, shown: { Contacts: after } });
  expect([...(await memory.all('')).values()].join().includes('Phone')).toBe(isRemembered);
});

describe('cells that the write left in a row without an id', () => {
  const stray = ['', NAME, PHONE];
  const after = [HEADER, old(3), stray, old(1), old(2)];
  const fresh = (...left: string[][]) => [HEADER, old(3), stray, old(1), ...left];
  const put = [contact(1), contact(4), contact(5)];
  test.each<[string, Story, readonly object[]]>([
    ['are emptied', { after }, [{ 2: [1, 2] }]],
    ['stay if perhaps it was not performed', { after, outcome: 'unknown' }, []],
    [
      'are emptied if a new row proves it',
      { put, after: fresh(line(4)), outcome: 'unknown' },
      [{ 2: [1, 2] }],
    ],
    ['stay if all new rows are gone', { put, after: fresh(), outcome: 'unknown' }, []],
    ['stay if others may have written since', { put, after: fresh(line(4)), outcome: 'old' }, []],
    [
      'are emptied if a new row of another tab proves it',
      { after, outcome: 'unknown', others: [contact(4)], othersAfter: [HEADER, ...OLD, line(4)] },
      [{ 2: [1, 2] }],
    ],
  ])('%s', async (_, story, repairs) => {
    const found = await settled(story);
    expect(repaired(found)).toEqual(repairs);
    const isTold = ({ rows }: { rows?: number }) => rows === 1;
    expect(warned().some(isTold)).toBe(repairs.length === 0);
    expect(found.stranded.size + found.unsure.size).toBe(0);
  });

  test('are emptied in a row that people inserted there, and no other row was hit', async () => {
    const found = await settled({ after: [HEADER, stray, old(1), old(2), old(3)] });
    expect(repaired(found)).toEqual([{ 1: [1, 2] }]);
    expect(stand.outbox.rewritten).toEqual([]);
    expect(warned()).toEqual([{ mirror: 'contacts', hit: 0, detached: 0, leftovers: 1 }]);
  });

  test('are gone after the repair, which confirms no row', async () => {
    const { repairs: plans } = await settled({ after });
    show('Contacts', [HEADER, old(3), ['', '', ''], old(1)]);
    const repaired = await settle({ ...stand, survey, clock: Date }, BOOK, { plans, outcome: 'performed' });
    expect(repaired).toMatchObject({ confirmed: 0, repairs: [], unkept: [] });
  });

  test('are emptied in the tab as it is now', async () => {
    const { repairs } = await settled({ after });
    expect(repairs).toMatchObject([
      {
        view: { keys: ['ID', id(3), '', id(1), id(2)], rowCount: undefined },
        ...{ insertAt: 5, fresh: [], absent: [], left: [], doubledRows: 0 },
      },
    ]);
    expect(repairs[0]?.view.grid?.[2]).toEqual(stray);
    expect(warned()).toEqual([{ mirror: 'contacts', hit: 1, detached: 0, leftovers: 1 }]);
  });
});

describe('a row that the write hit', () => {
  test('is written again', async () => {
    const found = await settled({ after: [HEADER, [id(3), NAME, PHONE], old(2), old(1)] });
    expect(stand.outbox.rewritten).toEqual([`contact/${id(3)}`]);
    expect(repaired(found)).toEqual([]);
    expect(warned()).toEqual([{ mirror: 'contacts', hit: 1, detached: 0, leftovers: 0 }]);
  });

  test('is none where people only typed', async () => {
    await settled({ after: [HEADER, [id(1), 'Typed', 'x'], old(2), old(3)] });
    expect([stand.outbox.rewritten, warned()]).toEqual([[], []]);
  });
});

describe('cells of people that the write went over', () => {
  const after = [HEADER, ['Total', NAME, PHONE], old(2), old(3)];
  const cells = { row: 1, columns: [1, 2], isRowOfPeople: true };
  test.each<[string, Story, readonly object[] | undefined]>([
    ['are told', { after }, [cells]],
    [
      'are told where Google does not say how many rows there are',
      { after: [...after, old(1)], view: { rowCount: undefined } },
      undefined,
    ],
    ['are none in a row that people have just inserted', { after: [...after, old(1)] }, undefined],
    ['are told beside a new row', { put: [contact(1), contact(4)], after: [...after, line(4)] }, [cells]],
    ['are not told if perhaps it was not performed', { after, outcome: 'unknown' }, undefined],
    [
      'are told in a column that people moved, whatever rows they inserted',
      {
        after: [['ID', 'Note', 'Name', 'Phone'], [id(1), NAME, PHONE, 'x'], old(2), old(3), []],
      },
      [{ row: 1, columns: [1], isRowOfPeople: false }],
    ],
  ])('%s', async (_, story, covered) =>
    expect((await settled(story)).covered.get(CONTACTS)).toEqual(covered),
  );
});

describe('rows whose ids the write went over', () => {
  const lost = (name: string) => ['Old', name, PHONE, 'people’s'];
  const sorted = (name: string) => [MOVED, lost(name), ['Old', id(3), 'x'], ['Old', id(1), 'x']];
  test.each<[string, Story, object]>([
    ['are stranded if nothing tells their ids', { after: sorted(NAME) }, { stranded: 1, unsure: undefined }],
    [
      'by a write that they prove',
      { after: sorted(NAME), outcome: 'unknown' },
      { stranded: 1, unsure: undefined },
    ],
    [
      'are not, if perhaps it was not performed',
      {
        put: [row(1, { Name: null, Phone: PHONE })],
        after: sorted(''),
        outcome: 'unknown',
      },
      { stranded: undefined, unsure: undefined },
    ],
    [
      'are unsure if only their order tells the ids',
      {
        put: [contact(1), row(2, { Name: NAME, Phone: PHONE })],
        after: [MOVED, lost(NAME), lost(NAME), ['Old', id(3), 'x']],
      },
      { stranded: undefined, unsure: [1, 2] },
    ],
    [
      'are not unsure, if perhaps it was not performed',
      {
        put: [row(1, { Name: null, Phone: PHONE }), row(2, { Name: null, Phone: PHONE })],
        after: [MOVED, lost(''), lost(''), ['Old', id(3), 'x']],
        outcome: 'unknown',
      },
      { stranded: undefined, unsure: undefined },
    ],
  ])('%s', async (_, story, expected) => {
    const { stranded, unsure } = await settled(story);
    const rows = stranded.get(CONTACTS)?.rows.length;
    expect({ stranded: rows, unsure: unsure.get(CONTACTS) }).toEqual(expected);
  });
});

describe('cells under headers of people, after they deleted a column', () => {
  const after = [['ID', 'Phone', 'Note'], [id(1), NAME, PHONE], old(2), old(3)];
  test.each<[string, Story, readonly object[]]>([
    ['are emptied', { after }, [{ 1: [2] }]],
    ['stay if perhaps the write was not performed', { after, outcome: 'unknown' }, []],
    ['are none in a tab without them', { after: [['ID', 'Phone', 'Note'], ...OLD] }, []],
  ])('%s', async (_, story, repairs) => {
    const found = await settled({ ...story, shown: { Contacts: story.after ?? [] } });
    expect(repaired(found)).toEqual(repairs);
    expect(found).toMatchObject({ confirmed: 0, unkept: [] });
  });
});

test('cells in swapped columns prove the write, and are put right', async () => {
  const after = [SWAPPED, [id(1), NAME, PHONE], ['', NAME, PHONE], old(2)];
  expect(repaired(await settled({ after, outcome: 'unknown' }))).toEqual([{ 1: [2, 1] }]);
});
