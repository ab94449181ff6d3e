// The values collection: get, batchGet, update, batchUpdate, append, clear, batchClear and their DataFilter forms.
import { type JsonObject, listOf, objectOf, stringOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { invalidArgument } from '../refusal.ts';
import { showRange } from './a1.ts';
import { placeForAppend } from './append.ts';
import { targetsOf } from './filters.ts';
import type { InputOption } from './input.ts';
import { type SheetsOffice, within } from './office.ts';
import { clearValues, readMatrix, showValues, type Writing, writeValues } from './range.ts';
import type { Target, Workbook } from './workbook.ts';
import { echoOf, readingOf, showWritten, totals } from './written.ts';

export class Values {
  readonly #office: SheetsOffice;

  constructor(office: SheetsOffice) {
    this.#office = office;
  }

  get(call: Call): Answer {
    const book = this.#reach(call, 'read');
    return { body: showValues(book.resolve(call.path['range'] ?? ''), readingOf(queryOf(call))) };
  }

  batchGet(call: Call): Answer {
    const book = this.#reach(call, 'read');
    const how = readingOf(queryOf(call));
    const ranges = call.query.texts('ranges');
    if (ranges.length === 0) throw invalidArgument('Must specify at least one range.');
    return {
      body: {
        spreadsheetId: book.id,
        valueRanges: ranges.map((range) => showValues(book.resolve(range), how)),
      },
    };
  }

  batchGetByDataFilter(call: Call): Answer {
    const book = this.#reach(call, 'read');
    const how = readingOf(call.body);
    const filters = filtersOf(call.body);
    const valueRanges = filters.flatMap((filter) =>
      targetsOf(book, filter).map((target) => ({
        valueRange: showValues(target, how),
        dataFilters: [filter],
      })),
    );
    return { body: { spreadsheetId: book.id, valueRanges } };
  }

  update(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const range = call.path['range'] ?? '';
    const option = optionOf(call.query.text('valueInputOption'));
    const body = book.atomically(() => {
      const target = book.resolve(range);
      checkBodyRange(book, target, call.body);
      const written = writeValues({
        book,
        target,
        matrix: matrixOf(call.body),
        option,
        principal: call.principal,
      });
      return showWritten(book, { target, written, echo: echoOf(queryOf(call), call.body) });
    });
    return { body };
  }

  batchUpdate(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const option = optionOf(stringOf(call.body['valueInputOption']));
    const data = listOf(call.body['data']).map(objectOf);
    const responses = book.atomically(() => {
      // Resolves every range before the first write, so that one bad range prevents all writes.
      const targets = data.map((part, i) =>
        within(`data[${i}]`, () => book.resolve(stringOf(part['range']) ?? '')),
      );
      return data.map((part, i) =>
        within(`data[${i}]`, () => {
          const target = targets[i] as Target;
          const written = writeValues({
            book,
            target,
            matrix: matrixOf(part),
            option,
            principal: call.principal,
          });
          return {
            shown: showWritten(book, { target, written, echo: echoOf(call.body, part) }),
            written,
            target,
          };
        }),
      );
    });
    return {
      body: { spreadsheetId: book.id, ...totals(responses), responses: responses.map(({ shown }) => shown) },
    };
  }

  batchUpdateByDataFilter(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const option = optionOf(stringOf(call.body['valueInputOption']));
    const data = listOf(call.body['data']).map(objectOf);
    const responses = book.atomically(() =>
      data.flatMap((part, i) =>
        within(`data[${i}]`, () => {
          const filter = objectOf(part['dataFilter']);
          // A filter that selects several ranges writes to all of them.
          return targetsOf(book, filter).map((target) => {
            const written = writeValues({
              book,
              target,
              matrix: matrixOf(part),
              option,
              principal: call.principal,
            });
            const { spreadsheetId: _, ...shown } = showWritten(book, {
              target,
              written,
              echo: echoOf(call.body, part),
            });
            return { shown: { ...shown, dataFilter: filter }, written, target };
          });
        }),
      ),
    );
    return {
      body: { spreadsheetId: book.id, ...totals(responses), responses: responses.map(({ shown }) => shown) },
    };
  }

  append(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const option = optionOf(call.query.text('valueInputOption'));
    const body = book.atomically(() => {
      const search = book.resolve(call.path['range'] ?? '');
      checkBodyRange(book, search, call.body);
      const place = placeForAppend(search.tab, search.box);
      const matrix = matrixOf(call.body);
      const target = makeRoom({
        search,
        place,
        matrix,
        isInserting: call.query.text('insertDataOption') === 'INSERT_ROWS',
      });
      const written = writeValues({ book, target, matrix, option, principal: call.principal });
      const updates = showWritten(book, { target, written, echo: echoOf(queryOf(call), call.body) });
      const answer: JsonObject = { spreadsheetId: book.id };
      if (place.table !== undefined)
        answer['tableRange'] = showRange(search.tab.properties.title, place.table);
      answer['updates'] = updates;
      return answer;
    });
    return { body };
  }

  clear(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const clearedRange = book.atomically(() =>
      this.#clear(book, book.resolve(call.path['range'] ?? ''), call),
    );
    return { body: { spreadsheetId: book.id, clearedRange } };
  }

  batchClear(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const ranges = listOf(call.body['ranges']).map(String);
    const clearedRanges = book.atomically(() =>
      ranges.map((range, i) => within(`ranges[${i}]`, () => this.#clear(book, book.resolve(range), call))),
    );
    return { body: { spreadsheetId: book.id, clearedRanges } };
  }

  batchClearByDataFilter(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const clearedRanges = book.atomically(() =>
      filtersOf(call.body).flatMap((filter) =>
        targetsOf(book, filter).map((target) => this.#clear(book, target, call)),
      ),
    );
    return { body: { spreadsheetId: book.id, clearedRanges } };
  }

  #clear(book: Workbook, target: Target, call: Call): string {
    clearValues(book, target, call.principal);
    return showRange(target.tab.properties.title, target.box);
  }

  #reach(call: Call, need: 'read' | 'write'): Workbook {
    return this.#office.reach(call.path['spreadsheetId'] ?? '', call.principal, need);
  }
}

function makeRoom(what: {
  search: Target;
  place: { row: number; column: number };
  matrix: Writing['matrix'];
  isInserting: boolean;
}): Target {
  const { search, place, matrix, isInserting } = what;
  const { tab } = search;
  const width = matrix.reduce((longest, row) => Math.max(longest, row.length), 0);
  if (isInserting && matrix.length > 0) {
    tab.insert('ROWS', Math.min(place.row, tab.rowCount), {
      count: matrix.length,
      formatFrom: place.row > 0 ? place.row - 1 : undefined,
    });
  }
  // At the end of the grid, append adds the missing rows and columns.
  const missingRows = place.row + Math.max(1, matrix.length) - tab.rowCount;
  if (missingRows > 0) tab.insert('ROWS', tab.rowCount, { count: missingRows, formatFrom: tab.rowCount - 1 });
  const missingColumns = place.column + Math.max(1, width) - tab.columnCount;
  if (missingColumns > 0)
    tab.insert('COLUMNS', tab.columnCount, { count: missingColumns, formatFrom: undefined });
  const box = {
    rowStart: place.row,
    rowEnd: place.row + 1,
    columnStart: place.column,
    columnEnd: place.column + 1,
  };
  return { tab, box, isCell: true, isBeyondGrid: false };
}

function optionOf(text: string | undefined): InputOption {
  if (text === 'RAW' || text === 'USER_ENTERED') return text;
  throw invalidArgument("'valueInputOption' is required but not specified");
}

function matrixOf(part: JsonObject): Writing['matrix'] {
  return readMatrix(listOf(part['values']), part['majorDimension'] === 'COLUMNS' ? 'COLUMNS' : 'ROWS');
}

/** The range in the body must equal the one in the path. */
function checkBodyRange(book: Workbook, target: Target, body: JsonObject): void {
  const given = stringOf(body['range']);
  if (given === undefined || given === '') return;
  const other = book.resolve(given);
  const said = showRange(other.tab.properties.title, other.box);
  const wanted = showRange(target.tab.properties.title, target.box);
  if (said !== wanted)
    throw invalidArgument(`Requested range [${wanted}] and range in the body [${said}] must be the same.`);
}

function queryOf(call: Call): JsonObject {
  const names = [
    'valueRenderOption',
    'dateTimeRenderOption',
    'majorDimension',
    'includeValuesInResponse',
    'responseValueRenderOption',
    'responseDateTimeRenderOption',
  ];
  const values: JsonObject = {};
  for (const name of names) values[name] = call.query.text(name);
  return values;
}

function filtersOf(body: JsonObject): JsonObject[] {
  const filters = listOf(body['dataFilters']).map(objectOf);
  if (filters.length === 0) throw invalidArgument('Must specify at least one DataFilter.');
  return filters;
}
