// The sandbox's spreadsheets and access to them.
import type { Principal } from '../auth/principal.ts';
import { isObject } from '../json.ts';
import { invalidArgument, Refusal, sheetsRefusal } from '../refusal.ts';
import { Tab } from './tab.ts';
import { Workbook } from './workbook.ts';

export class SheetsOffice {
  readonly now: () => number;
  readonly #random: () => number;
  readonly #workbooks = new Map<string, Workbook>();
  readonly #onWrite: ((spreadsheetId: string) => void)[] = [];

  constructor(about: { now: () => number; random: () => number }) {
    this.now = about.now;
    this.#random = about.random;
  }

  add(about: { id: string; title: string; timeZone: string }): Workbook {
    const workbook = new Workbook(about);
    this.#workbooks.set(about.id, workbook);
    return workbook;
  }

  create({ title, timeZone, owner }: { title: string; timeZone: string; owner: string }): Workbook {
    const book = this.add({ id: `made-${this.randomId().toString(36)}`, title, timeZone });
    book.share(owner, 'owner');
    const properties = {
      sheetId: 0,
      title: 'Sheet1',
      hidden: false,
      frozenRowCount: 0,
      frozenColumnCount: 0,
    };
    book.tabs = [new Tab({ ...properties, extra: {} }, { rows: 1000, columns: 26 })];
    return book;
  }

  /** For the sandbox's own use, without an access check. */
  workbook(id: string): Workbook | undefined {
    return this.#workbooks.get(id);
  }

  workbooks(): Workbook[] {
    return [...this.#workbooks.values()];
  }

  /** The spreadsheet of a call: 404 when it does not exist, 403 when the caller has no access. */
  reach(id: string, principal: Principal, need: 'read' | 'write'): Workbook {
    const workbook = this.#workbooks.get(id);
    // With drive.file alone, Google shows only files that the app created or opened. The sandbox tracks no
    // such files, so it answers 404.
    const isFileOnly = !['spreadsheets', 'spreadsheets.readonly', 'drive', 'drive.readonly'].some((scope) =>
      principal.scopes.has(scope),
    );
    if (workbook === undefined || isFileOnly) throw sheetsRefusal(404, 'Requested entity was not found.');
    const role = workbook.roleOf(principal.email);
    const isEnough = need === 'read' ? role !== undefined : role === 'writer' || role === 'owner';
    if (!isEnough) throw sheetsRefusal(403, 'The caller does not have permission');
    return workbook;
  }

  /** Works like an installed Apps Script trigger: the listener is called after each write through the API. */
  onWrite(listener: (spreadsheetId: string) => void): void {
    this.#onWrite.push(listener);
  }

  written(spreadsheetId: string): void {
    for (const listener of this.#onWrite) listener(spreadsheetId);
  }

  /** A random number for a sheet, a protected range or metadata. */
  randomId(): number {
    return 1 + Math.floor(this.#random() * 2_000_000_000);
  }
}

/** Runs one part of a batch. Its 400 names the part. */
export function within<T>(part: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal && error.status === 400 && isObject(error.body['error'])) {
      throw invalidArgument(`Invalid ${part}: ${error.message}`);
    }
    throw error;
  }
}
