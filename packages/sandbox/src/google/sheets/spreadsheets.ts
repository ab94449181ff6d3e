// spreadsheets.get, getByDataFilter, batchUpdate, and the lookups of developer metadata.
import { type JsonObject, listOf, numberOf, objectOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { invalidArgument, sheetsRefusal } from '../refusal.ts';
import { parseMask, touches } from '../request/mask.ts';
import { targetsOf } from './filters.ts';
import { allMetadata, type Found, metadataMatching, showMetadata } from './metadata.ts';
import type { SheetsOffice } from './office.ts';
import { performRequests } from './requests.ts';
import { showSpreadsheet } from './show.ts';
import { overlap, type Target, type Workbook } from './workbook.ts';

export class Spreadsheets {
  readonly #office: SheetsOffice;

  constructor(office: SheetsOffice) {
    this.#office = office;
  }

  get(call: Call): Answer {
    const book = this.#reach(call, 'read');
    const ranges = call.query.texts('ranges');
    const targets = ranges.length === 0 ? undefined : ranges.map((range) => book.resolve(range));
    return {
      body: showSpreadsheet(book, {
        targets,
        viewer: call.principal.email,
        hasGridData: hasGridData(call, { isAsked: call.query.flag('includeGridData') ?? false }),
      }),
    };
  }

  getByDataFilter(call: Call): Answer {
    const book = this.#reach(call, 'read');
    const filters = listOf(call.body['dataFilters']).map(objectOf);
    const targets = filters.length === 0 ? undefined : filters.flatMap((filter) => targetsOf(book, filter));
    return {
      body: showSpreadsheet(book, {
        targets,
        viewer: call.principal.email,
        hasGridData: hasGridData(call, { isAsked: call.body['includeGridData'] === true }),
      }),
    };
  }

  /** Creates a spreadsheet owned by the caller. It has Google's first tab; the caller adds others with `batchUpdate`. */
  create(call: Call): Answer {
    const { title, timeZone } = objectOf(call.body['properties'] ?? {});
    const book = this.#office.create({
      title: typeof title === 'string' ? title : 'Untitled spreadsheet',
      timeZone: typeof timeZone === 'string' ? timeZone : 'Etc/GMT',
      owner: call.principal.email,
    });
    return {
      body: showSpreadsheet(book, { targets: undefined, viewer: call.principal.email, hasGridData: false }),
    };
  }

  batchUpdate(call: Call): Answer {
    const book = this.#reach(call, 'write');
    const requests = listOf(call.body['requests']).map(objectOf);
    const replies = performRequests(
      { book, principal: call.principal, randomId: () => this.#office.randomId() },
      requests,
    );
    this.#office.written(book.id);
    const body: JsonObject = { spreadsheetId: book.id, replies, commentUpdateState: 'NO_UPDATES_REQUESTED' };
    if (call.body['includeSpreadsheetInResponse'] === true) {
      const ranges = listOf(call.body['responseRanges']).map(String);
      const targets = ranges.length === 0 ? undefined : ranges.map((range) => book.resolve(range));
      body['updatedSpreadsheet'] = showSpreadsheet(book, {
        targets,
        viewer: call.principal.email,
        hasGridData: hasGridData(call, {
          isAsked: call.body['responseIncludeGridData'] === true,
          at: ['updatedSpreadsheet', 'sheets', 'data'],
        }),
      });
    }
    return { body };
  }

  metadata(call: Call): Answer {
    const book = this.#reach(call, 'read');
    const id = numberOf(call.path['metadataId']);
    const found = allMetadata(book).find(({ entry }) => entry.id === id);
    if (found === undefined) throw sheetsRefusal(404, 'Requested entity was not found.');
    return { body: showMetadata(found) };
  }

  searchMetadata(call: Call): Answer {
    const book = this.#reach(call, 'read');
    const filters = listOf(call.body['dataFilters']).map(objectOf);
    if (filters.length === 0) throw invalidArgument('Must specify at least one DataFilter.');
    const matched = filters.flatMap((filter) =>
      lookedUp(book, filter).map((found) => ({
        developerMetadata: showMetadata(found),
        dataFilters: [filter],
      })),
    );
    return { body: matched.length === 0 ? {} : { matchedDeveloperMetadata: matched } };
  }

  #reach(call: Call, need: 'read' | 'write'): Workbook {
    return this.#office.reach(call.path['spreadsheetId'] ?? '', call.principal, need);
  }
}

/**
 * A field mask alone decides whether grid data is shown. With a mask, `includeGridData` and `responseIncludeGridData` are ignored.
 */
function hasGridData(
  call: Call,
  { isAsked, at = ['sheets', 'data'] }: { isAsked: boolean; at?: readonly string[] },
): boolean {
  const mask = parseMask(call.query.text('fields') ?? '');
  return mask === undefined ? isAsked : touches(mask, at);
}

/** A location selects everything on it; a lookup selects what it describes. */
function lookedUp(book: Workbook, filter: JsonObject): Found[] {
  if (filter['developerMetadataLookup'] !== undefined)
    return metadataMatching(book, objectOf(filter['developerMetadataLookup']));
  const targets = targetsOf(book, filter);
  return allMetadata(book).filter(({ tab, entry }) =>
    targets.some((target) => target.tab === tab && isOn(target, entry.at)),
  );
}

function isOn(target: Target, at: { dimension: string; start: number; end: number } | undefined): boolean {
  if (at === undefined) return true;
  const { box, tab } = target;
  const line =
    at.dimension === 'ROWS'
      ? { ...tab.box, rowStart: at.start, rowEnd: at.end }
      : { ...tab.box, columnStart: at.start, columnEnd: at.end };
  return overlap(box, line);
}
