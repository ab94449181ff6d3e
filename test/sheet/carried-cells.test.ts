// What a changed cell means, whose it is, and what becomes of it: the rules alone, without a sheet.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/engine/object.ts';
import type { ContactField, RowEdit, RowNote, SheetCarry, ShownCells } from '../../src/engine/row-edit.ts';
import { judgeRows } from '../../src/sheet/cell-judge.ts';
import { contactHash, decideRowEdit } from '../../src/sheet/decide-cell.ts';
import type { SeenRow } from '../../src/sheet/edited-rows.ts';
import { cellHash, cellText, saysSame, wishedValue } from '../../src/sheet/normal-form.ts';
import { runsOf } from '../stand/runs.ts';

const CARRY: SheetCarry = {
  ...{ answerHeader: 'Answer', conflict: 'platform', region: 'RU', language: 'en', notifyCustomer: false },
  columns: [
    { header: 'Name', field: 'name' },
    { header: 'Phone', field: 'phone' },
    { header: 'Email', field: 'email' },
    { header: 'Stage', field: 'lifecycle' },
  ],
};
const FIELDS: Readonly<Record<string, ContactField>> = { Phone: 'phone', Email: 'email', Stage: 'lifecycle' };
const fieldOf = (header: string) => FIELDS[header] ?? 'name';
const hashOf = (header: string, cell: unknown) =>
  cellHash(cellText(cell), { field: fieldOf(header), region: 'RU' });

describe('cells', () => {
  test.each([
    ['Phone', '+74950001101', 74950001101],
    ['Phone', '+74950001101', '8 (495) 000-11-01'],
    ['Phone', '+4915112345678', 4915112345678],
    ['Phone', '+74950001101', '+7 495 000 11 01'],
    ['Name', 'Ada King', ' Ada\r\nKing '],
    ['Name', 'Zo\u00eb', 'Zoe\u0308'],
    ['Email', 'ada@example.com', 'Ada@Example.com'],
    ['Stage', 'customer', 'Customer '],
    ['Name', null, '  '],
  ])('%s: %j and %j are the same', (header, a, b) => {
    const field = fieldOf(header);
    expect(saysSame(cellText(b), { field, region: 'RU' }, hashOf(header, a))).toBe(true);
  });

  test.each([
    ['Phone', '+74950001101', '+74950001102'],
    ['Name', 'Ada King', 'ada king'],
    ['Email', 'ada@example.com', ''],
  ])('%s: %j and %j are not', (header, a, b) => {
    expect(hashOf(header, a)).not.toBe(hashOf(header, b));
  });

  test.each([
    { field: 'phone', region: 'RU', text: '84950001101', value: '+74950001101' },
    { field: 'phone', region: undefined, text: '84950001101', value: undefined },
    { field: 'phone', region: undefined, text: '74950001101', value: undefined },
    { field: 'phone', region: undefined, text: '+7 495 000-11-01', value: '+74950001101' },
    { field: 'phone', region: 'RU', text: '8495000110', value: undefined },
    { field: 'phone', region: 'RU', text: 'Anna 8 495 000-11-01', value: undefined },
    { field: 'phone', region: 'RU', text: '8 495 000-11-01 8 495 000-11-02', value: undefined },
    { field: 'phone', region: 'RU', text: '12345', value: undefined },
    { field: 'phone', region: 'RU', text: '8 495 000-11-01, 8 495 000-11-02', value: undefined },
    { field: 'name', region: 'RU', text: '#REF!', value: undefined },
    { field: 'name', region: 'RU', text: 'x'.repeat(256), value: undefined },
    { field: 'name', region: 'RU', text: '  Ada  King', value: 'Ada King' },
    { field: 'email', region: 'RU', text: 'ada@example.com', value: 'ada@example.com' },
    { field: 'email', region: 'RU', text: 'ada@example.com or bea@example.com', value: undefined },
    { field: 'lifecycle', region: 'RU', text: 'SQL', value: 'sql' },
    { field: 'lifecycle', region: 'RU', text: 'blocked', value: undefined },
  ] as const)('$field ($region) $text is sent as $value', ({ field, region, text, value }) => {
    expect(wishedValue(text, { field, region })).toBe(value);
  });
});

describe('whose row it is', () => {
  const cellsOf = (n: number) => ({
    ...{ Name: `Guest ${n}`, Phone: `+749500011${10 + n}`, Email: `guest${n}@example.com`, Stage: 'lead' },
  });
  const shownAs = (cells: Readonly<Record<string, unknown>>): ShownCells => ({
    as: '1',
    cells: Object.fromEntries(Object.entries(cells).map(([header, cell]) => [header, hashOf(header, cell)])),
  });
  const shown = new Map(Array.from({ length: 30 }, (_, n) => [`contact/${n}`, shownAs(cellsOf(n))]));
  const judge = (rows: readonly SeenRow[], more: Partial<Parameters<typeof judgeRows>[1]> = {}) => {
    const by = { mirror: 'm', carry: CARRY, shown, doubled: new Set<string>(), tried: () => [], rows: 30 };
    const found = judgeRows(rows, { ...by, sinceMs: 1, nowMs: 2, ...more });
    return Object.fromEntries(
      [...found].map(([key, edits]) => [key, edits.map(({ header, doubt }) => [header, doubt ?? 'carry'])]),
    );
  };
  const row = (n: number, cells: Readonly<Record<string, unknown>> = {}): SeenRow => ({
    key: `contact/${n}`,
    cells: { ...cellsOf(n), ...cells },
  });

  test.each<[string, readonly SeenRow[], Record<string, readonly (readonly string[])[]>]>([
    ['as it was shown', [row(1)], {}],
    ['one cell', [row(1, { Name: 'Ada' })], { 'contact/1': [['Name', 'carry']] }],
    [
      'the stage of many is one',
      [row(1, { Stage: 'sql' }), row(2, { Stage: 'sql' })],
      {
        'contact/1': [['Stage', 'carry']],
        'contact/2': [['Stage', 'carry']],
      },
    ],
    [
      'all that tells who it is',
      [row(1, { Name: 'Ada', Phone: '1', Email: 'a@b.cd' })],
      {
        'contact/1': [
          ['Name', 'unproven'],
          ['Phone', 'unproven'],
          ['Email', 'unproven'],
        ],
      },
    ],
    [
      'an id over the cells of another',
      [{ key: 'contact/1', cells: cellsOf(2) }],
      {
        'contact/1': [
          ['Name', 'unproven'],
          ['Phone', 'unproven'],
          ['Email', 'unproven'],
        ],
      },
    ],
    [
      'what another row was shown as',
      [row(1, { Name: 'Guest 2' })],
      { 'contact/1': [['Name', 'elsewhere']] },
    ],
    [
      'the same in two rows',
      [row(1, { Email: 'a@b.cd' }), row(2, { Email: 'A@b.cd' })],
      {
        'contact/1': [['Email', 'elsewhere']],
        'contact/2': [['Email', 'elsewhere']],
      },
    ],
    [
      'two emptied cells are not the same',
      [row(1, { Email: '' }), row(2, { Email: '' })],
      {
        'contact/1': [['Email', 'carry']],
        'contact/2': [['Email', 'carry']],
      },
    ],
    [
      'nobody knows what it said',
      [{ key: 'contact/x', cells: { Name: 'Ada', Phone: '' } }],
      {
        'contact/x': [['Name', 'unknown']],
      },
    ],
  ])('%s', (_, rows, expected) => {
    expect(judge(rows)).toEqual(expected);
  });

  test('an id that stands in several rows proves nothing', () => {
    const found = judge([row(1, { Name: 'Ada' })], { doubled: new Set(['contact/1']) });
    expect(found).toEqual({ 'contact/1': [['Name', 'copied']] });
  });

  test('what the worker may have written itself is no change', () => {
    const tried = (key: string, header: string) =>
      key === 'contact/1' && header === 'Name' ? [hashOf('Name', 'Ada')] : [];
    expect(judge([row(1, { Name: 'Ada' }), row(2, { Name: 'Ida' })], { tried })).toEqual({
      'contact/2': [['Name', 'carry']],
    });
  });

  test('a column that was not shown yet holds no change', () => {
    const { Email: _, ...cells } = cellsOf(1);
    const found = judge([row(1, { Email: 'ada@example.com' })], {
      shown: new Map([...shown, ['contact/1', shownAs(cells)]]),
    });
    expect(found).toEqual({});
  });

  test('more than 20 rows and a quarter of the tab are too many', () => {
    const all = (count: number) => Array.from({ length: count }, (_, n) => row(n, { Stage: 'sql' }));
    expect(Object.values(judge(all(20))).flat(2)).not.toContain('many');
    expect(
      new Set(
        Object.values(judge(all(21)))
          .flat()
          .map(([, doubt]) => doubt),
      ),
    ).toEqual(new Set(['many']));
    expect(Object.values(judge(all(21), { rows: 84 })).flat(2)).not.toContain('many');
  });

  test('an empty cell that stayed empty proves nothing, a phone that was typed in another form does', () => {
    const nameless = { Name: '', Phone: '', Email: '', Stage: 'lead' };
    const shownEmpty = new Map([['contact/1', shownAs(nameless)]]);
    const changed = { key: 'contact/1', cells: { ...nameless, Stage: 'sql' } };
    expect(judge([changed], { shown: shownEmpty })).toEqual({ 'contact/1': [['Stage', 'unproven']] });
    const retyped = { Name: 'Ada', Email: 'ada@example.com', Phone: '8 (495) 000-11-11' };
    expect(judge([row(1, retyped)])).toEqual({
      'contact/1': [
        ['Name', 'carry'],
        ['Email', 'carry'],
      ],
    });
  });

  const gone = (key: string, header: string, said: string) => ({
    goneCells: [{ key, header, said, foundAtMs: 1 }],
  });
  test.each<[string, readonly SeenRow[], string, Partial<Parameters<typeof judgeRows>[1]>]>([
    ['was cut out of the row of another', [row(1, { Name: 'Ada' }), row(2, { Name: ' ' })], 'displaced', {}],
    [
      'was cut out of a row that was changed as well',
      [row(1, { Name: 'Ada' }), row(2, { Name: '', Email: 'new@example.com' })],
      'displaced',
      {},
    ],
    [
      'stands beside another cell that was emptied',
      [row(1, { Name: 'Ada' }), row(2, { Email: '' })],
      'carry',
      {},
    ],
    ['stands beside its own cell that was emptied', [row(1, { Name: 'Ada', Email: '' })], 'carry', {}],
    ['was emptied, like that of another', [row(1, { Name: ' ' }), row(2, { Name: '' })], 'carry', {}],
    ['was cut out before a write', [row(1, { Name: 'Ada' })], 'displaced', gone('contact/2', 'Name', '')],
    ['is its own before a write', [row(1, { Name: 'Ada' })], 'carry', gone('contact/1', 'Name', '')],
    [
      'is beside a cell cut before a write',
      [row(1, { Name: 'Ada' })],
      'carry',
      gone('contact/2', 'Email', ''),
    ],
    ['is beside a cell kept at a write', [row(1, { Name: 'Ada' })], 'carry', gone('contact/2', 'Name', 'x')],
    ['was emptied, as one before a write', [row(1, { Name: '' })], 'carry', gone('contact/2', 'Name', '')],
    // Rows 2 and 3 show each other's names, or one of them does.
    [
      'stands in a column of which cells were swapped',
      [row(1, { Name: 'Ada' }), row(2, { Name: 'Guest 3' }), row(3, { Name: 'Guest 2' })],
      'displaced',
      {},
    ],
    [
      'changed places with another cell',
      [row(1, { Name: 'Ada' }), row(2, { Name: 'Guest 1' })],
      'displaced',
      {},
    ],
    [
      'stands beside a swapped column',
      [row(1, { Name: 'Ada' }), row(2, { Phone: '+74950001113' }), row(3, { Phone: '+74950001112' })],
      'carry',
      {},
    ],
    [
      'stands where a name was copied into another row',
      [row(1, { Name: 'Ada' }), row(3, { Name: 'Guest 2' })],
      'carry',
      {},
    ],
    ['stands beside another wish', [row(1, { Name: 'Ada' }), row(2, { Name: 'Bea' })], 'carry', {}],
    ['was emptied in a swapped column', [row(1, { Name: '' }), row(2, { Name: 'Guest 1' })], 'carry', {}],
    [
      'stands in another row of nobody known, whose old name is in its place',
      [row(1, { Name: 'Ada' })],
      'displaced',
      { others: [{ key: 'contact/', cells: cellsOf(1) }] },
    ],
    [
      'replaces a name that a copy of the row still has',
      [row(1, { Name: 'Ada' })],
      'carry',
      { others: [row(1)] },
    ],
    [
      'is that of a row of nobody known',
      [row(1, { Name: 'Ada' })],
      'carry',
      { others: [{ key: 'contact/', cells: { Name: 'Ada' } }] },
    ],
    [
      'replaces a name that stood in another row before a write',
      [row(1, { Name: 'Ada' })],
      'displaced',
      gone('contact/2', 'Name', hashOf('Name', 'Guest 1')),
    ],
    [
      'replaces a name that stood in its own row before a write',
      [row(1, { Name: 'Ada' })],
      'carry',
      gone('contact/1', 'Name', hashOf('Name', 'Guest 1')),
    ],
  ])('what %s', (_, rows, ...[doubt, more]) => {
    expect(judge(rows, more)['contact/1']?.[0]).toEqual(['Name', doubt]);
  });
});

test('a name that was typed before the column lost its order is believed in no other row', () => {
  const sorted = fc.tuple(
    fc.integer({ min: 2, max: 9 }),
    fc.nat(),
    fc.array(fc.nat(), { minLength: 9, maxLength: 9 }),
  );
  fc.assert(
    fc.property(sorted, ([count, typed, order]) => {
      const rows = Array.from({ length: count }, (_, i) => ({
        Name: `Guest ${i}`,
        Phone: `+749500011${10 + i}`,
      }));
      const shown = new Map(
        rows.map((cells, i) => {
          const marks = Object.entries(cells).map(([header, cell]) => [header, hashOf(header, cell)]);
          return [
            `contact/${i}`,
            { as: '1', cells: Object.fromEntries(marks) as ShownCells['cells'] },
          ] as const;
        }),
      );
      const own = typed % count;
      const names = rows.map(({ Name }, i) => [order[i] ?? 0, i === own ? 'Typed' : Name] as const);
      const moved = names.sort(([a], [b]) => a - b);
      const seen = rows.map((cells, i) => ({
        key: `contact/${i}`,
        cells: { ...cells, Name: moved[i]?.[1] },
      }));
      const by = {
        mirror: 'm',
        carry: CARRY,
        shown,
        doubled: new Set<string>(),
        tried: () => [],
        rows: count,
      };
      const found = [...judgeRows(seen, { ...by, sinceMs: 1, nowMs: 2 })];
      const carried = found.flatMap(([key, edits]) =>
        edits.flatMap((each) => (each.doubt === undefined ? [key] : [])),
      );
      expect(carried.filter((key) => key !== `contact/${own}`)).toEqual([]);
    }),
    { numRuns: runsOf(4_000) },
  );
});

describe('what becomes of it', () => {
  const EDIT: RowEdit = {
    ...{ mirror: 'm', header: 'Name', text: 'Ada King', as: '7', base: hashOf('Name', 'Ada') },
    ...{ sinceMs: Date.parse('2026-03-02T09:00:00Z'), seenAtMs: Date.parse('2026-03-02T10:00:00Z') },
  };
  const contact = (name: string, updated = '2026-03-02T08:00:00Z'): Snapshot => ({
    ...{ id: '1', name, phone: null, email: null, lifecycle: 'lead', updated_at: updated },
  });
  const ADA = contact('Ada');
  const other = contact('Another');
  const CARRIED = { type: 'carry', field: 'name', value: 'Ada King', over: hashOf('Name', 'Ada') };
  const OVERRULED = { ...CARRIED, over: hashOf('Name', 'Another') };
  const refused = (code: string) => ({ type: 'refuse', code });
  const answered = (as: string, text: string, isKnown: boolean): Partial<RowNote> => ({
    answered: [{ header: 'Name', as, hash: hashOf('Name', text), isKnown }],
  });
  const sent = (text: string, over: string): Partial<RowNote> => ({
    sent: [{ header: 'Name', hash: hashOf('Name', text), over: hashOf('Name', over) }],
  });
  const asked = (text: string, code: 'displaced' | 'elsewhere' = 'displaced'): Partial<RowNote> => ({
    ...answered('6', text, false),
    ...{ refused: [{ header: 'Name', code }], of: contactHash(ADA) },
  });

  test.each<
    [
      string,
      {
        edit: Partial<RowEdit>;
        found: Snapshot | undefined;
        note: Partial<RowNote>;
        carry: Partial<SheetCarry>;
      },
      object,
    ]
  >([
    ['as it was shown', { edit: {}, found: ADA, note: {}, carry: {} }, CARRIED],
    [
      'the platform has it so',
      { edit: {}, found: contact('Ada  King'), note: {}, carry: {} },
      { type: 'agreed', isOurs: false },
    ],
    [
      'the platform has it so by us',
      { edit: {}, found: contact('Ada King'), note: sent('Ada King', 'Ada'), carry: {} },
      { type: 'agreed', isOurs: true },
    ],
    [
      'a column that is not carried',
      { edit: { header: 'Since' }, found: ADA, note: {}, carry: {} },
      { type: 'nothing' },
    ],
    ['a doubt', { edit: { doubt: 'copied' }, found: ADA, note: {}, carry: {} }, refused('copied')],
    [
      'a doubt about what stands',
      { edit: { doubt: 'unknown' }, found: contact('Ada King'), note: {}, carry: {} },
      { type: 'agreed', isOurs: false },
    ],
    ['emptied', { edit: { text: ' ' }, found: ADA, note: {}, carry: {} }, refused('emptied')],
    ['no name', { edit: { text: '#REF!' }, found: ADA, note: {}, carry: {} }, refused('unreadable')],
    ['not shown any more', { edit: {}, found: undefined, note: {}, carry: {} }, refused('not-found')],
    ['both sides, platform', { edit: {}, found: other, note: {}, carry: {} }, refused('changed-meanwhile')],
    ['both sides, staff', { edit: {}, found: other, note: {}, carry: { conflict: 'staff' } }, OVERRULED],
    [
      'both sides, latest, the sheet is',
      { edit: {}, found: other, note: {}, carry: { conflict: 'latest' } },
      OVERRULED,
    ],
    [
      'both sides, latest, cannot be told',
      {
        edit: {},
        found: contact('Another', '2026-03-02T09:30:00Z'),
        note: {},
        carry: { conflict: 'latest' },
      },
      refused('changed-meanwhile'),
    ],
    [
      'both sides, latest, no look before',
      { edit: { sinceMs: 0 }, found: other, note: {}, carry: { conflict: 'latest' } },
      refused('changed-meanwhile'),
    ],
    [
      'answered before',
      { edit: {}, found: ADA, note: answered('7', 'Ada King', false), carry: {} },
      { type: 'nothing' },
    ],
    [
      'answered before, of another showing',
      { edit: {}, found: ADA, note: answered('6', 'Ada King', false), carry: {} },
      CARRIED,
    ],
    [
      'over what its author wrote before',
      { edit: {}, found: other, note: answered('6', 'Another', true), carry: {} },
      OVERRULED,
    ],
    [
      'over what was refused before',
      { edit: {}, found: other, note: answered('6', 'Another', false), carry: {} },
      refused('changed-meanwhile'),
    ],
    ['displaced', { edit: { doubt: 'displaced' }, found: ADA, note: {}, carry: {} }, refused('displaced')],
    [
      'displaced, and written once more after the question',
      { edit: { doubt: 'displaced' }, found: ADA, note: asked('Ada King'), carry: {} },
      CARRIED,
    ],
    [
      'displaced, after a question about something else',
      { edit: { doubt: 'displaced' }, found: ADA, note: asked('Ada Byron'), carry: {} },
      refused('displaced'),
    ],
    [
      'displaced, after a question about what the contact was before',
      { edit: { doubt: 'displaced' }, found: other, note: asked('Ada King'), carry: { conflict: 'staff' } },
      refused('displaced'),
    ],
    [
      'elsewhere, and written once more',
      { edit: { doubt: 'elsewhere' }, found: ADA, note: asked('Ada King', 'elsewhere'), carry: {} },
      refused('elsewhere'),
    ],
    ['sent, and not performed', { edit: {}, found: ADA, note: sent('Ada King', 'Ada'), carry: {} }, CARRIED],
    [
      'sent, and changed since',
      { edit: {}, found: other, note: sent('Ada King', 'Ada'), carry: { conflict: 'staff' } },
      refused('changed-meanwhile'),
    ],
    [
      'over what was sent before',
      { edit: {}, found: other, note: sent('Another', 'Ada'), carry: {} },
      OVERRULED,
    ],
    [
      'answered before, in another column',
      {
        edit: {},
        found: ADA,
        note: { answered: [{ header: 'Phone', as: '7', hash: hashOf('Name', 'Ada King'), isKnown: false }] },
        carry: {},
      },
      CARRIED,
    ],
    [
      'something else was answered before',
      { edit: {}, found: ADA, note: answered('7', 'Ada Byron', false), carry: {} },
      CARRIED,
    ],
    [
      'nobody knows of which showing it is',
      { edit: { as: '' }, found: ADA, note: answered('', 'Ada King', false), carry: {} },
      CARRIED,
    ],
    [
      'sent in another column',
      {
        edit: {},
        found: ADA,
        note: {
          sent: [{ header: 'Phone', hash: hashOf('Name', 'Ada King'), over: hashOf('Name', 'Another') }],
        },
        carry: {},
      },
      CARRIED,
    ],
    [
      'both sides, and something else was sent before',
      { edit: {}, found: other, note: sent('Ada Byron', 'Ada'), carry: {} },
      refused('changed-meanwhile'),
    ],
    [
      'both sides, latest, in one moment',
      {
        edit: {},
        found: contact('Another', '2026-03-02T09:00:00Z'),
        note: {},
        carry: { conflict: 'latest' },
      },
      refused('changed-meanwhile'),
    ],
    [
      'both sides, latest, no time',
      { edit: {}, found: contact('Another', ''), note: {}, carry: { conflict: 'latest' } },
      refused('changed-meanwhile'),
    ],
    ...(['start', 'cancel', 'shown'] as const).map(
      (
        field,
      ): [string, { edit: object; found: Snapshot; note: object; carry: Partial<SheetCarry> }, object] => [
        `a column of appointments: ${field}`,
        { edit: {}, found: ADA, note: {}, carry: { columns: [{ header: 'Name', field }] } },
        { type: 'nothing' },
      ],
    ),
    [
      'nobody knows what was shown',
      { edit: { base: undefined } as never, found: ADA, note: {}, carry: {} },
      refused('changed-meanwhile'),
    ],
  ])('%s', (_, { edit, found, note, carry }, expected) => {
    const facts = { edit: { ...EDIT, ...edit }, carry: { ...CARRY, ...carry }, object: found };
    expect(
      decideRowEdit({ ...facts, note: { answered: [], sent: [], refused: [], of: '', ...note } }),
    ).toEqual(expected);
  });
});
