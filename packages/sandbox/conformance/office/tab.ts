/** A tab that belongs to one test. */
import type { Answer, Query } from './api.ts';
import type { Desk, Sent } from './desk.ts';

export class Tab {
  readonly title: string;
  readonly sheetId: number;
  readonly #desk: Desk;

  constructor(desk: Desk, about: { title: string; sheetId: number }) {
    this.#desk = desk;
    this.title = about.title;
    this.sheetId = about.sheetId;
  }

  /** A range of this tab in A1 notation; '' is the whole tab. */
  range(area: string): string {
    const title = /^\w+$/.test(this.title) ? this.title : `'${this.title.replaceAll("'", "''")}'`;
    return area === '' ? title : `${title}!${area}`;
  }

  read(area: string, query: Query = {}): Promise<Answer> {
    return this.#desk.sheets('GET', `/values/${encodeURIComponent(this.range(area))}`, { query });
  }

  /** The values as people see them, or in another rendering. */
  async values(area: string, valueRenderOption = 'FORMATTED_VALUE'): Promise<Sent[][] | undefined> {
    return (await this.read(area, { valueRenderOption })).body.values;
  }

  write(area: string, values: unknown[][], query: Query = {}): Promise<Answer> {
    return this.#desk.sheets('PUT', `/values/${encodeURIComponent(this.range(area))}`, {
      query: { valueInputOption: 'RAW', ...query },
      body: { values },
    });
  }

  type(area: string, values: unknown[][]): Promise<Answer> {
    return this.write(area, values, { valueInputOption: 'USER_ENTERED' });
  }

  append(area: string, values: unknown[][], query: Query = {}): Promise<Answer> {
    return this.#desk.sheets('POST', `/values/${encodeURIComponent(this.range(area))}:append`, {
      query: { valueInputOption: 'RAW', ...query },
      body: { values },
    });
  }

  /** A GridRange as in the API: from..to, zero-based and half open. */
  grid(rows?: [number, number], columns?: [number, number]): Record<string, number> {
    return {
      sheetId: this.sheetId,
      ...(rows === undefined ? {} : { startRowIndex: rows[0], endRowIndex: rows[1] }),
      ...(columns === undefined ? {} : { startColumnIndex: columns[0], endColumnIndex: columns[1] }),
    };
  }

  span(dimension: 'ROWS' | 'COLUMNS', startIndex: number, endIndex: number): Record<string, unknown> {
    return { sheetId: this.sheetId, dimension, startIndex, endIndex };
  }

  /** The tab as the spreadsheet resource shows it. */
  async shown(query: Query = {}): Promise<Sent> {
    const { body } = await this.#desk.sheets('GET', '', { query });
    return body.sheets.find((sheet: Sent) => sheet.properties.sheetId === this.sheetId);
  }

  /** The CellData of one cell. */
  async cell(area: string): Promise<Sent> {
    const { body } = await this.#desk.sheets('GET', '', {
      query: { ranges: this.range(area), fields: 'sheets.data.rowData.values' },
    });
    return body.sheets[0].data[0].rowData[0].values[0];
  }
}
