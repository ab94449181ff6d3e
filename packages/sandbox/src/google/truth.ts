// The actual contents of calendars and spreadsheets, without tokens, quotas or masks.
import type { Calendar } from './calendar/calendar.ts';
import { isCancelled } from './calendar/event.ts';
import type { CalendarOffice } from './calendar/office.ts';
import { instancesOf, isMaster } from './calendar/series.ts';
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

  /** Events that are not deleted, as the API's Event in the calendar's zone, in order of creation. */
  events(calendarId: string): JsonObject[] {
    const calendar = this.#calendar(calendarId);
    return calendar.live().map((event) => this.#calendars.show(calendar, event));
  }

  /** Ids of the same events in the same order, without rendering them. */
  eventIds(calendarId: string): string[] {
    return this.#calendar(calendarId)
      .live()
      .map(({ id }) => id);
  }

  /** Everything that overlaps a span, in order of start. Each instance of a series counts separately. */
  eventsBetween(calendarId: string, span: { fromMs: number; toMs: number }): JsonObject[] {
    const calendar = this.#calendar(calendarId);
    return calendar
      .live()
      .flatMap((event) => (isMaster(event) ? instancesOf(calendar, event) : [event]))
      .filter((event) => event.startMs < span.toMs && event.endMs > span.fromMs)
      .sort((a, b) => a.startMs - b.startMs)
      .map((event) => this.#calendars.show(calendar, event));
  }

  /** Name and zone of a calendar. */
  calendar(calendarId: string): { name: string; zone: string } {
    const { summary, timeZone } = this.#calendar(calendarId);
    return { name: summary, zone: timeZone };
  }

  /** One event, deleted or not; undefined when the calendar does not have it. */
  event(calendarId: string, id: string): JsonObject | undefined {
    const calendar = this.#calendars.calendar(calendarId);
    const event = calendar?.get(id);
    if (calendar === undefined || event === undefined) return undefined;
    return this.#calendars.show(calendar, event, { isWhole: true });
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

  /** Plain values of a tab (dates as serial numbers, formulas as their results), without blank ends. */
  values(spreadsheetId: string, tab: string): CellValue[][] {
    return this.#read(spreadsheetId, tab, 'UNFORMATTED_VALUE');
  }

  /** The same values, formatted as users see them. */
  formatted(spreadsheetId: string, tab: string): CellValue[][] {
    return this.#read(spreadsheetId, tab, 'FORMATTED_VALUE');
  }

  /** The same values, with formulas as text. */
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

  #calendar(id: string): Calendar {
    const calendar = this.#calendars.calendar(id);
    if (calendar === undefined) throw new Error(`the sandbox has no calendar ${id}`);
    return calendar;
  }

  #book(id: string): Workbook {
    const book = this.#sheets.workbook(id);
    if (book === undefined) throw new Error(`the sandbox has no spreadsheet ${id}`);
    return book;
  }
}
