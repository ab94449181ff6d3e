import { beforeEach, describe, expect, test } from 'vitest';
import type { MovedRow } from '../../src/engine/erasure.ts';
import { RetryableError, TerminalError } from '../../src/engine/errors.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { Leases } from '../../src/engine/leases.ts';
import type { CalendarEvent } from '../../src/google/calendar-event.ts';
import {
  eraseEvents,
  eraseRows,
  personalCalendars,
  personalSheets,
} from '../../src/operate/forget/erase-google.ts';
import { withoutSleep } from '../doubles/sleeps.ts';

/** How long the code has slept, ms: it sleeps for no time here. */
const slept: number[] = [];

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const THIRD = '33333333-3333-4333-8333-333333333333';
const PHONE = '+74950001101';
const TERMS = {
  ...{ ids: [ID], phones: [PHONE], emails: ['vera@clinic.example'], names: ['Vera Orlova'], hashes: [] },
};
const never = () => Promise.reject(new Error('not asked for'));

beforeEach(() => {
  slept.splice(0);
  return withoutSleep((ms) => void slept.push(ms));
});

async function texts(place: ReturnType<typeof personalSheets>[number] | undefined): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const text of place?.texts() ?? []) found.push(text);
  return found;
}

describe('events', () => {
  const own = { id: eventIdOf(ID), etag: '"1"', status: 'confirmed', summary: 'Vera' };
  const typed = { id: 'typed', etag: '"1"', status: 'confirmed', summary: `Vera Orlova, ${PHONE}` };
  const namesake = { id: 'namesake', etag: '"1"', status: 'confirmed', summary: 'Vera Orlova' };
  const nobody = { id: 'nobody', etag: '"1"', status: 'confirmed', summary: 'Lunch' };
  type Answer = CalendarEvent | 'absent' | 'changed';

  function calendar(events: readonly object[], answer: (id: string) => Answer | Error = () => patched) {
    const calls: unknown[] = [];
    return {
      calls,
      parts: {
        async *eventsOf() {
          yield* events as readonly CalendarEvent[];
        },
        api: {
          patch: async (calendarId: string, event: object, body: object) => {
            calls.push(['patch', calendarId, event, body]);
            const said = answer((event as CalendarEvent).id);
            if (said instanceof Error) throw said;
            return said;
          },
          remove: async (calendarId: string, event: object) => {
            calls.push(['remove', calendarId, event]);
            return 'removed';
          },
        },
        doubtClass: never,
      } as unknown as Parameters<typeof personalCalendars>[1],
    };
  }
  const patched = { etag: '"2"' } as CalendarEvent;
  const erase = ({ parts }: ReturnType<typeof calendar>, act = true) =>
    eraseEvents(parts, 'anna', { terms: TERMS, act });
  const emptied = ['patch', 'anna', { id: own.id }, { summary: '', description: '', location: '' }];

  test('the event of the person is emptied before it is removed, and removed only as it was emptied', async () => {
    const anna = calendar([nobody, own]);
    expect(await erase(anna)).toEqual({ events: 1, rewritten: 0, left: [] });
    expect(anna.calls).toEqual([emptied, ['remove', 'anna', { id: own.id, etag: '"2"' }]]);
  });

  test.each(['absent', 'changed'] as const)('one that is %s by then is not removed', async (answer) => {
    const anna = calendar([own], () => answer);
    expect(await erase(anna)).toEqual({ events: 1, rewritten: 0, left: [] });
    expect(anna.calls).toEqual([emptied]);
  });

  test('an event of people loses only the person, at the version that was read', async () => {
    const anna = calendar([typed]);
    expect(await erase(anna)).toEqual({ events: 0, rewritten: 1, left: [] });
    expect(anna.calls).toEqual([['patch', 'anna', typed, { summary: '…, +…' }]]);
  });

  test('one that people change meanwhile is not done, and the calendar is told', async () => {
    const done = erase(calendar([typed], () => 'changed'));
    await expect(done).rejects.toMatchObject({ code: 'event-changed', target: 'calendar:anna' });
  });

  test('one that may be about somebody else is left untouched, and told', async () => {
    const anna = calendar([namesake]);
    const left = [{ kind: 'event', where: 'calendar anna', name: 'namesake', by: ['name'] }];
    expect(await erase(anna)).toEqual({ events: 0, rewritten: 0, left });
    expect(anna.calls).toEqual([]);
  });

  test('a look writes nothing, and counts what would be done', async () => {
    const anna = calendar([own, typed, namesake, nobody]);
    expect(await erase(anna, false)).toMatchObject({ events: 1, rewritten: 1, left: [{ name: 'namesake' }] });
    expect(anna.calls).toEqual([]);
  });

  test('only a forbidden event is left: any other failure ends the work', async () => {
    const forbidden = new TerminalError('event-forbidden', 'no');
    const left = { kind: 'event', where: 'calendar anna', name: own.id, by: ['id'], why: 'forbidden' };
    const done = await erase(calendar([own], () => forbidden));
    expect(done).toEqual({ events: 0, rewritten: 0, left: [left] });
    for (const error of [new TerminalError('calendar-gone', 'no'), new Error('event-forbidden')])
      await expect(erase(calendar([own], () => error))).rejects.toBe(error);
    const nameless = Object.assign(new Error('no'), { code: 'event-forbidden' });
    await expect(erase(calendar([own], () => nameless))).rejects.toBe(nameless);
  });

  test('an event of a class is doubted before it is emptied, and what the class writes meanwhile is no failure', async () => {
    const klass = { ...own, id: eventIdOf(`c${'0'.repeat(32)}`), description: `with ${ID}` };
    const { parts, calls } = calendar([klass], () => 'changed');
    const doubtClass = async (event: CalendarEvent) => void calls.push(['doubt', event]);
    const done = await eraseEvents({ ...parts, doubtClass }, 'anna', { terms: TERMS, act: true });
    expect(done).toEqual({ events: 0, rewritten: 1, left: [] });
    const body = { summary: '…', description: 'with …' };
    expect(calls).toEqual([
      ['doubt', klass],
      ['patch', 'anna', klass, body],
    ]);
  });

  test('a calendar is searched and erased under its name, its deleted events told apart', async () => {
    const gone = { ...nobody, id: 'gone', status: 'cancelled' };
    const { parts, calls } = calendar([nobody, gone]);
    const [place, ...more] = personalCalendars(new Set(['anna']), parts);
    expect([place?.name, more]).toEqual(['calendar anna', []]);
    expect(await texts(place)).toEqual([
      { kind: 'event', where: 'calendar anna', name: 'nobody', text: 'nobody\nLunch' },
      { kind: 'event', where: 'calendar anna, deleted events', name: 'gone', text: 'gone\nLunch' },
    ]);
    const done = await place?.erase({ terms: TERMS, act: true, moved: [] });
    expect([done, calls]).toEqual([{ events: 0, rewritten: 0, left: [] }, []]);
  });
});

type Row = unknown[];
type Api = Parameters<typeof eraseRows>[0];
type Areas = readonly {
  readonly sheetId: number;
  readonly startRow: number;
  readonly endRow: number;
}[];

/** Tabs in memory. `after`: what people do once a call of this name has run. */
class Desk {
  readonly calls: string[] = [];
  after: Partial<Record<'read' | 'replace' | 'write', (nth: number) => void>> = {};
  /** Texts in cells that Google refuses to change. */
  refused: (text: unknown) => Error | undefined = () => undefined;
  isShown = true;
  /** By column and row, where a cell is a formula. */
  readonly formulas = new Map<unknown, string>();
  readonly finds: string[][] = [];

  readonly tabs: Row[][];
  readonly rows: number;

  constructor(tabs: Row[][]) {
    this.tabs = tabs;
    this.rows = Math.max(...tabs.map(({ length }) => length));
  }

  get api(): Api {
    const then = (name: 'read' | 'replace' | 'write') => {
      const nth = this.calls.filter((each) => each === name).length;
      this.calls.push(name);
      return () => this.after[name]?.(nth);
    };
    const cut = ([area]: Areas) =>
      area === undefined ? [] : (this.tabs[area.sheetId] ?? []).slice(area.startRow, area.endRow);
    const shown = (areas: readonly { title: string; area: Areas[number] }[]) => {
      const found = new Map<number, Map<number, Row>>();
      for (const { title, area } of this.isShown ? areas : []) {
        expect(title).toBe(`Tab ${area.sheetId}`);
        expect(area.endRow).toBe(area.startRow + 1);
        const rows = found.get(area.sheetId) ?? new Map<number, Row>();
        const row = this.tabs[area.sheetId]?.[area.startRow];
        if (row?.some((cell) => cell !== '')) rows.set(area.startRow, [...row]);
        found.set(area.sheetId, rows);
      }
      return found;
    };
    return {
      tabs: async () => this.tabs.map((_, at) => ({ sheetId: at, title: `Tab ${at}`, rows: this.rows })),
      read: async (_: string, areas: Areas) => {
        const done = then('read');
        const values = { rows: structuredClone(cut(areas)) };
        done();
        return [values];
      },
      readTyped: async (_: string, areas: Areas) => {
        this.calls.push('readTyped');
        return [{ rows: cut(areas).map((row) => row.map((cell) => this.formulas.get(cell) ?? cell)) }];
      },
      replace: async (_: string, requests: Replacement[], areas: Parameters<typeof shown>[0]) => {
        const done = then('replace');
        this.finds.push(requests.map(({ find }) => find));
        for (const { find } of requests) {
          const error = this.refused(find);
          if (error !== undefined) throw error;
        }
        const changed = requests.map(({ find, replacement, range, ...how }) => {
          expect([how, range.endRowIndex, range.endColumnIndex]).toEqual([
            { matchCase: true, matchEntireCell: true },
            range.startRowIndex + 1,
            range.startColumnIndex + 1,
          ]);
          const row = this.tabs[range.sheetId]?.[range.startRowIndex] ?? [];
          if (String(row[range.startColumnIndex] ?? '') !== find) return 0;
          row[range.startColumnIndex] = replacement;
          return 1;
        });
        const answer = { shown: shown(areas), changed };
        done();
        return answer;
      },
      write: async (_: string, requests: Update[], areas: Parameters<typeof shown>[0]) => {
        const done = then('write');
        for (const { updateCells } of requests) {
          const { start, rows, fields } = updateCells;
          expect(fields).toBe('userEnteredValue');
          const { stringValue, numberValue } = rows[0]?.values[0]?.userEnteredValue ?? {};
          const row = this.tabs[start.sheetId]?.[start.rowIndex] ?? [];
          row[start.columnIndex] = stringValue ?? numberValue ?? '';
        }
        done();
        return shown(areas);
      },
    } as unknown as Api;
  }

  swap(a: number, b: number): void {
    const [tab = []] = this.tabs;
    [tab[a], tab[b]] = [tab[b] ?? [], tab[a] ?? []];
  }
}
interface Replacement {
  readonly find: string;
  readonly replacement: string;
  readonly range: {
    sheetId: number;
    startRowIndex: number;
    endRowIndex: number;
    startColumnIndex: number;
    endColumnIndex: number;
  };
}
interface Update {
  readonly updateCells: {
    readonly start: { sheetId: number; rowIndex: number; columnIndex: number };
    readonly rows: { values: { userEnteredValue?: { stringValue?: string; numberValue?: number } }[] }[];
    readonly fields: string;
  };
}

describe('rows', () => {
  const HEADER: Row = ['ID', 'Name', 'Phone', 'Count'];
  const vera = (): Row => [ID, 'Vera', PHONE, 4];
  const oleg = (): Row => [OTHER, 'Oleg', '+74950002202', 5];
  const ERASED = ['', '', '', 4];
  const at = (row: number, tab = 0) => ({
    ...{ kind: 'row', where: `spreadsheet book, tab Tab ${tab}`, name: `row ${row}` },
  });
  const erase = (desk: Desk, { act = true, moved = [] as MovedRow[] } = {}) =>
    eraseRows(desk.api, 'book', { terms: TERMS, act, moved });

  test('lose their texts, the one that identifies the person last; rows of others are not written', async () => {
    const desk = new Desk([[HEADER, vera(), oleg()]]);
    expect(await erase(desk)).toEqual({ cells: 3, left: [] });
    expect(desk.tabs).toEqual([[HEADER, ERASED, oleg()]]);
    expect(desk.finds).toEqual([['Vera', PHONE], [ID]]);
  });

  test('a look writes nothing, and a tab without the person is read once', async () => {
    const desk = new Desk([
      [HEADER, vera()],
      [HEADER, oleg()],
    ]);
    expect(await erase(desk, { act: false })).toEqual({ cells: 3, left: [] });
    expect(desk.calls).toEqual(['read', 'readTyped', 'read']);
    expect(desk.tabs[0]).toEqual([HEADER, vera()]);
  });

  test('a row with only the cell that identifies the person takes one write', async () => {
    const desk = new Desk([[HEADER, [ID, '', '', 4]]]);
    expect(await erase(desk)).toEqual({ cells: 1, left: [] });
    expect(desk.finds).toEqual([[ID]]);
    expect(desk.tabs).toEqual([[HEADER, ERASED]]);
  });

  test.each<[string, Row, string]>([
    ['the number', ['', 'Vera Orlova', PHONE, ''], PHONE],
    ['the address', ['', 'Vera Orlova', 'vera@clinic.example', ''], 'vera@clinic.example'],
    ['the id, where there are both', [PHONE, 'Vera', ID, ''], ID],
    ['the first text', ['', `Vera Orlova, ${PHONE}`, '', ''], `Vera Orlova, ${PHONE}`],
    ['the only cell, which a note has', ['Vera', `call ${ID}`, '', ''], `call ${ID}`],
  ])('%s goes last', async (_, row, last) => {
    const desk = new Desk([[HEADER, [...row]]]);
    await erase(desk);
    expect(desk.finds.at(-1)).toEqual([last]);
    expect(desk.tabs).toEqual([[HEADER, ['', '', '', '']]]);
  });

  test('a row of somebody else that names the person is left, and told', async () => {
    const noted: Row = [OTHER, 'Oleg', 'friend of Vera Orlova', 5];
    const desk = new Desk([[HEADER, noted]]);
    expect(await erase(desk)).toEqual({ cells: 0, left: [{ ...at(2), by: ['name'] }] });
    expect([desk.tabs, desk.finds]).toEqual([[[HEADER, [...noted]]], []]);
  });

  test('large tabs are read in parts, and each row is emptied where it stands', async () => {
    const many: Row[] = Array.from({ length: 5_060 }, () => oleg());
    for (const row of [0, 4_999, 5_000, 5_059]) many[row] = vera();
    const desk = new Desk([many]);
    const areas: unknown[] = [];
    const { api } = desk;
    const read: Api['read'] = (id, asked) => {
      areas.push(...asked);
      return api.read(id, asked);
    };
    await eraseRows({ ...api, read }, 'book', { terms: TERMS, act: true, moved: [] });
    expect(areas).toEqual([
      { sheetId: 0, startRow: 0, endRow: 5_000 },
      { sheetId: 0, startRow: 5_000, endRow: 5_060 },
    ]);
    expect(many.flatMap((row, nth) => (row[0] === '' ? [nth] : []))).toEqual([0, 4_999, 5_000, 5_059]);
    expect(many.filter((row) => row[1] === 'Oleg')).toHaveLength(5_056);
  });

  test('a tab that people delete meanwhile holds nothing, and the others are emptied', async () => {
    for (const name of ['read', 'readTyped'] as const) {
      const desk = new Desk([
        [HEADER, vera()],
        [HEADER, vera()],
      ]);
      const { api } = desk;
      const without: Api['read'] = async (id, asked) =>
        asked[0]?.sheetId === 0 ? [undefined] : api[name](id, asked);
      const parts = { ...api, [name]: without };
      const done = await eraseRows(parts, 'book', { terms: TERMS, act: true, moved: [] });
      expect([done.left, desk.tabs[1]]).toEqual([[], [HEADER, ERASED]]);
    }
  });

  test('a tab of exactly one part is read once', async () => {
    const desk = new Desk([Array.from({ length: 5_000 }, oleg)]);
    await erase(desk, { act: false });
    expect(desk.calls).toEqual(['read']);
  });

  test('fifty rows are emptied at once', async () => {
    const desk = new Desk([Array.from({ length: 51 }, vera)]);
    expect((await erase(desk)).cells).toBe(153);
    expect(desk.finds.map(({ length }) => length)).toEqual([100, 50, 2, 1]);
  });

  test('formulas are left to people: told where they show the person', async () => {
    const desk = new Desk([[HEADER, [ID, 'Vera Orlova', PHONE, 'confirmed']]]);
    desk.formulas.set('Vera Orlova', '=A1').set('confirmed', '=B1');
    expect(await erase(desk)).toEqual({ cells: 2, left: [{ ...at(2), by: ['name'], why: 'formula' }] });
    expect(desk.tabs).toEqual([[HEADER, ['', 'Vera Orlova', '', 'confirmed']]]);
  });

  test('a formula that shows nothing of the person is not told', async () => {
    const desk = new Desk([[HEADER, [ID, 'Vera', '', 'confirmed']]]);
    desk.formulas.set('confirmed', '=B1');
    expect(await erase(desk)).toEqual({ cells: 2, left: [] });
  });

  test('a row that another one has replaced between the two readings has no formulas', async () => {
    const desk = new Desk([[HEADER, [ID, 'Vera', PHONE, 'confirmed']]]);
    desk.formulas.set(ID, OTHER).set('confirmed', '=B1');
    expect((await erase(desk)).cells).toBe(4);
  });

  test('a row of formulas alone is left, and nothing is written', async () => {
    const desk = new Desk([[HEADER, [ID]]]);
    desk.formulas.set(ID, '=A1');
    expect(await erase(desk)).toEqual({ cells: 0, left: [{ ...at(2), by: ['id'], why: 'formula' }] });
    expect(desk.finds).toEqual([]);
  });

  test('empty and short cells are no formulas', async () => {
    const desk = new Desk([[HEADER, [ID, undefined, null, 'Vera']]]);
    expect(await erase(desk)).toEqual({ cells: 2, left: [] });
  });

  test('a protected row is left and told, its neighbours go, and nothing of it is counted', async () => {
    const desk = new Desk([
      [HEADER, vera(), [ID, 'Vera O', PHONE, 4]],
      [HEADER, vera()],
    ]);
    desk.refused = (text) => (text === 'Vera O' ? new TerminalError('range-protected', 'no') : undefined);
    expect(await erase(desk)).toEqual({
      cells: 6,
      left: [{ ...at(3), by: ['id', 'phone'], why: 'forbidden' }],
    });
    expect(desk.tabs).toEqual([
      [HEADER, ERASED, [ID, 'Vera O', PHONE, 4]],
      [HEADER, ERASED],
    ]);
  });

  test('any other failure ends the work', async () => {
    const desk = new Desk([[HEADER, vera()]]);
    const error = new RetryableError('google-down', 'no');
    desk.refused = () => error;
    await expect(erase(desk)).rejects.toBe(error);
    expect(desk.finds).toHaveLength(1);
  });

  test('without an answer nobody knows which rows were hit, and the ids stay', async () => {
    const desk = new Desk([[HEADER, vera()]]);
    desk.isShown = false;
    await expect(erase(desk)).rejects.toMatchObject({
      ...{ code: 'google-unreadable', target: 'spreadsheet:book' },
    });
    expect(desk.tabs).toEqual([[HEADER, [ID, '', '', 4]]]);
  });

  describe('P7: another row stands there when the write arrives', () => {
    /** Shares the name of the person, and so is hit. */
    const ivan = (): Row => [THIRD, 'Vera', '+74950003303', 6];

    test('it gets its texts back, and the person is found by the next look', async () => {
      const desk = new Desk([[HEADER, vera(), ivan()]]);
      desk.after.read = () => desk.swap(1, 2);
      const moved: MovedRow[] = [];
      expect(await erase(desk, { moved })).toEqual({ cells: 3, left: [] });
      expect([desk.tabs, moved]).toEqual([[[HEADER, ivan(), vera()]], []]);
      expect(desk.calls).toEqual(['read', 'readTyped', 'replace', 'write']);
      desk.after = {};
      await erase(desk);
      expect(desk.tabs).toEqual([[HEADER, ivan(), ERASED]]);
    });

    test('one that shares nothing is not written again', async () => {
      const desk = new Desk([[HEADER, vera(), oleg()]]);
      desk.after.read = () => desk.swap(1, 2);
      const moved: MovedRow[] = [];
      await erase(desk, { moved });
      expect([desk.tabs, moved]).toEqual([[[HEADER, oleg(), vera()]], []]);
      expect(desk.calls).not.toContain('write');
    });

    test('a row of the person beside it is emptied, and only the hit cells are written back', async () => {
      const desk = new Desk([[HEADER, vera(), ivan(), vera()]]);
      desk.after.read = () => desk.swap(1, 2);
      await erase(desk);
      expect(desk.tabs).toEqual([[HEADER, ivan(), vera(), ERASED]]);
    });

    test('a row with nothing but the shared text gets it back', async () => {
      const desk = new Desk([[HEADER, vera(), ['', 'Vera', '', '']]]);
      desk.after.read = () => desk.swap(1, 2);
      const moved: MovedRow[] = [];
      await erase(desk, { moved });
      expect([desk.tabs, moved]).toEqual([[[HEADER, ['', 'Vera', '', ''], vera()]], []]);
    });

    test('a blank row is not written', async () => {
      const desk = new Desk([[HEADER, vera(), ['', '', '', '']]]);
      desk.after.read = () => desk.swap(1, 2);
      await erase(desk);
      expect(desk.tabs).toEqual([[HEADER, ['', '', '', ''], vera()]]);
      expect(desk.finds).toHaveLength(1);
    });

    test('a number that was hit stays a number', async () => {
      const digits = 74950001101;
      const desk = new Desk([[HEADER, [ID, '', digits, ''], [THIRD, '', digits, '']]]);
      desk.after.read = () => desk.swap(1, 2);
      await erase(desk);
      expect(desk.tabs[0]?.[1]).toEqual([THIRD, '', digits, '']);
    });

    test('it moves on before it gets them back: its place is told', async () => {
      const desk = new Desk([[HEADER, vera(), ivan()]]);
      const swap = () => desk.swap(1, 2);
      desk.after = { read: swap, replace: swap };
      const moved: MovedRow[] = [];
      expect(await erase(desk, { moved })).toEqual({ cells: 3, left: [] });
      expect(moved).toEqual([{ ...at(2), by: [], why: 'moved' }]);
    });

    test('a row was deleted, so nothing stands there: its place is told', async () => {
      const desk = new Desk([[HEADER, vera(), ivan()]]);
      desk.after.read = () => desk.swap(1, 2);
      desk.after.replace = () => void desk.tabs[0]?.splice(1, 1);
      const moved: MovedRow[] = [];
      await erase(desk, { moved });
      expect(moved).toEqual([{ ...at(2), by: [], why: 'moved' }]);
    });

    test('Google does not show the row that gets them back: its place is told', async () => {
      const desk = new Desk([[HEADER, vera(), ivan()]]);
      desk.after.read = () => desk.swap(1, 2);
      desk.after.write = () => {
        desk.isShown = false;
      };
      const moved: MovedRow[] = [];
      await erase(desk, { moved });
      expect(moved).toEqual([{ ...at(2), by: [], why: 'moved' }]);
    });

    test.each([
      ['refused', new TerminalError('range-protected', 'no')],
      ['lost', new RetryableError('google-down', 'no')],
    ])('the write that gives back is %s: its place is told', async (_, error) => {
      const desk = new Desk([[HEADER, vera(), ivan()]]);
      desk.after.read = () => desk.swap(1, 2);
      desk.after.write = () => {
        throw error;
      };
      const moved: MovedRow[] = [];
      await erase(desk, { moved });
      expect(moved).toEqual([{ ...at(2), by: [], why: 'moved' }]);
    });

    test('a fault of the program is no answer, and the places told until then stay told', async () => {
      const desk = new Desk([[HEADER, vera(), ivan(), vera(), ivan()]]);
      desk.after.read = () => {
        desk.swap(1, 2);
        desk.swap(3, 4);
      };
      const fault = new Error('fault');
      desk.after.write = (nth) => {
        throw nth === 0 ? new RetryableError('google-down', 'no') : fault;
      };
      const moved: MovedRow[] = [];
      await expect(erase(desk, { moved })).rejects.toBe(fault);
      expect(moved).toEqual([{ ...at(2), by: [], why: 'moved' }]);
    });
  });

  describe('of a spreadsheet', () => {
    type Hold = (name: string, work: () => Promise<unknown>, options: object) => Promise<unknown>;
    const sheets = (desk: Desk, hold: Hold) =>
      personalSheets(['book'], { api: desk.api, leases: { hold } as unknown as Leases });

    test('are read under its name', async () => {
      const [place, ...more] = sheets(new Desk([[['a', 1]], [['b']]]), never);
      expect([place?.name, more]).toEqual(['spreadsheet book', []]);
      expect(await texts(place)).toEqual([
        { kind: 'row', where: 'spreadsheet book, tab Tab 0', name: 'row 1', text: 'a\n1' },
        { kind: 'row', where: 'spreadsheet book, tab Tab 1', name: 'row 1', text: 'b' },
      ]);
    });

    test('are counted without the lease of the flush', async () => {
      const [place] = sheets(new Desk([[HEADER, vera()]]), never);
      const done = await place?.erase({ terms: TERMS, act: false, moved: [] });
      expect(done).toEqual({ cells: 3, left: [] });
    });

    test('are emptied between two flushes', async () => {
      const desk = new Desk([[HEADER, vera()]]);
      const asked: unknown[] = [];
      const [place] = sheets(desk, async (name, work, options) => {
        asked.push([name, options]);
        if (asked.length < 3) return undefined;
        expect(desk.calls).toEqual([]);
        return { result: await work() };
      });
      expect(await place?.erase({ terms: TERMS, act: true, moved: [] })).toEqual({ cells: 3, left: [] });
      const one = ['flush:book', { ttlMs: 15_000 }];
      expect([asked, slept]).toEqual([
        [one, one, one],
        [500, 500],
      ]);
    });

    test('wait for a flush for five minutes, and are not written then', async () => {
      const desk = new Desk([[HEADER, vera()]]);
      const [place] = sheets(desk, async () => undefined);
      const done = place?.erase({ terms: TERMS, act: true, moved: [] });
      await expect(done).rejects.toMatchObject({ code: 'spreadsheet-busy', target: 'spreadsheet:book' });
      expect([slept.length, desk.calls]).toEqual([600, []]);
    });
  });
});
