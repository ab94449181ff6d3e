// What really stands in the calendars and spreadsheets, without tokens, quotas or masks.
import { isCancelled } from './calendar/event.ts';
import type { CalendarOffice } from './calendar/office.ts';
import type { JsonObject } from './json.ts';
import type { CellValue } from './sheets/cell.ts';
import { allMetadata, showMetadata } from './sheets/metadata.ts';
import type { SheetsOffice } from './sheets/office.ts';
import { readValues } from './sheets/range.ts';
import { showSpreadsheet } from './sheets/show.ts';
import type { Workbook } from './sheets/workbook.ts';

export class Truth {
  readonly #calendars: CalendarOffice;
  readonly #sheets: SheetsOffice;

  constructor(calendars: CalendarOffice, sheets: SheetsOffice) {
    this.#calendars = calendars;
    this.#sheets = sheets;
  }

  calendarIds(): string[] {
    return this.#calendars.calendars().map((calendar) => calendar.id);
  }

  /** Events that are not deleted, as the API's Event in the calendar's zone, in the order of their creation. */
  events(calendarId: string): JsonObject[] {
    const calendar = this.#calendars.calendar(calendarId);
    if (calendar === undefined) throw new Error(`the sandbox has no calendar ${calendarId}`);
    return calendar.live().map((event) => this.#calendars.show(calendar, event));
  }

  /** One event, deleted or not; undefined when the calendar has never had it. */
  event(calendarId: string, id: string): JsonObject | undefined {
    const calendar = this.#calendars.calendar(calendarId);
    const event = calendar?.get(id);
    return calendar === undefined || event === undefined ? undefined : this.#calendars.show(calendar, event);
  }

  deletedIds(calendarId: string): string[] {
    const calendar = this.#calendars.calendar(calendarId);
    return (calendar?.all() ?? []).filter(isCancelled).map((event) => event.id);
  }

  spreadsheetIds(): string[] {
    return this.#sheets.workbooks().map((book) => book.id);
  }

  tabs(spreadsheetId: string): string[] {
    return this.#book(spreadsheetId).tabs.map((tab) => tab.properties.title);
  }

  /** Plain values of a tab (dates as serial numbers, formulas as their results), blank ends trimmed. */
  values(spreadsheetId: string, tab: string): CellValue[][] {
    return this.#read(spreadsheetId, tab, 'UNFORMATTED_VALUE');
  }

  /** The same as people read them. */
  formatted(spreadsheetId: string, tab: string): CellValue[][] {
    return this.#read(spreadsheetId, tab, 'FORMATTED_VALUE');
  }

  /** The same with formulas as formulas. */
  formulas(spreadsheetId: string, tab: string): CellValue[][] {
    return this.#read(spreadsheetId, tab, 'FORMULA');
  }

  /** The spreadsheet as spreadsheets.get shows it, with every cell's value, format and note. */
  spreadsheet(spreadsheetId: string): JsonObject {
    return showSpreadsheet(this.#book(spreadsheetId), { targets: undefined, hasGridData: true });
  }

  developerMetadata(spreadsheetId: string): JsonObject[] {
    return allMetadata(this.#book(spreadsheetId)).map(showMetadata);
  }

  #read(
    spreadsheetId: string,
    title: string,
    value: 'UNFORMATTED_VALUE' | 'FORMATTED_VALUE' | 'FORMULA',
  ): CellValue[][] {
    const tab = this.#book(spreadsheetId).tabTitled(title);
    if (tab === undefined) throw new Error(`the spreadsheet ${spreadsheetId} has no tab ${title}`);
    return readValues({ tab, box: tab.box }, { value, date: 'SERIAL_NUMBER' });
  }

  #book(id: string): Workbook {
    const book = this.#sheets.workbook(id);
    if (book === undefined) throw new Error(`the sandbox has no spreadsheet ${id}`);
    return book;
  }
}
