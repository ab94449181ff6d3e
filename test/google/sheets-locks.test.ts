// What Google says of protected ranges, from a server that says it word for word (Sheets API, ProtectedRange).

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { SheetsApi } from '../../src/google/sheets-api.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

const RANGE = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 2 };
const AREA = { sheetId: 7, startRow: 1, endRow: 3, startColumn: 0, endColumn: 2 };

describe('the protected ranges of a tab', () => {
  let tokens: GoogleSandbox;
  let server: Server;
  let folder: string;
  let answer: unknown;
  const asked: string[] = [];
  beforeAll(async () => {
    tokens = await GoogleSandbox.start();
    folder = mkdtempSync(join(tmpdir(), 'locks-'));
    writeFileSync(join(folder, 'key.json'), JSON.stringify(tokens.serviceAccountKey(defaultAccount)));
    server = createServer((request, response) => {
      asked.push(String(request.url));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    await new Promise((done) => server.close(done));
    await tokens.close();
    rmSync(folder, { recursive: true });
  });

  function api(): SheetsApi {
    const { port } = server.address() as AddressInfo;
    const credentialsPath = join(folder, 'key.json');
    return new SheetsApi({
      credential: createGoogleAuth({ credentialsPath, tokenUrl: tokens.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: `http://127.0.0.1:${port}/`,
      ...{ budget: new CountingBudget(), problems: new MemoryProblemBoard(), timeoutMs: 5_000 },
      clock: { now: () => Date.now() },
    });
  }
  const tabWith = (...protectedRanges: object[]) => ({
    sheets: [
      {
        properties: { sheetId: 7, title: 'T', gridProperties: { rowCount: 9, columnCount: 4 } },
        protectedRanges,
      },
    ],
  });

  it('lock the worker out, unless they only warn or let it edit', async () => {
    answer = tabWith(
      { protectedRangeId: 1, range: RANGE },
      { protectedRangeId: 2, range: RANGE, warningOnly: true },
      { protectedRangeId: 3, range: RANGE, requestingUserCanEdit: true },
      { protectedRangeId: 4, range: { sheetId: 7 }, unprotectedRanges: [RANGE] },
    );
    const [tab] = await api().tabs('book');
    expect(tab?.locks).toEqual([
      { area: AREA, except: [] },
      { area: { sheetId: 7 }, except: [AREA] },
    ]);
    expect(decodeURIComponent(asked.at(-1) ?? '')).toContain('requestingUserCanEdit');
  });

  it('do not matter to the settings of a spreadsheet: its zone and the cells of all tabs', async () => {
    answer = { properties: { timeZone: 'Europe/Zurich' }, ...tabWith() };
    expect(await api().settings('book')).toEqual({
      timeZone: 'Europe/Zurich',
      shownZone: 'Europe/Zurich',
      cells: 36,
      tabs: [{ sheetId: 7, title: 'T' }],
    });
    // A zone that is no IANA one comes in this form (Sheets API, SpreadsheetProperties).
    answer = { properties: { timeZone: 'GMT-07:00' } };
    expect(await api().settings('book')).toEqual({
      timeZone: 'UTC-07:00',
      shownZone: 'GMT-07:00',
      cells: 0,
      tabs: [],
    });
  });
});
