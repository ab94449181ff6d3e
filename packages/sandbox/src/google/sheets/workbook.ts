// One spreadsheet: its tabs, its access roles, and the transaction around every write.
import type { Principal } from '../auth/principal.ts';
import { invalidArgument, sheetsRefusal } from '../refusal.ts';
import { type Area, type Box, parseA1, showRange, showTitle } from './a1.ts';
import type { Protection, Tab, TabMetadata } from './tab.ts';

/** What the requests of one batchUpdate share. */
export interface Batch {
  book: Workbook;
  principal: Principal;
  randomId: () => number;
}

export type SheetRole = 'reader' | 'commenter' | 'writer' | 'owner';

const cellsMax = 10_000_000;

/** The spreadsheet's own properties. Replaced, never mutated. */
export interface BookAbout {
  title: string;
  timeZone: string;
  locale: string;
  autoRecalc: string;
}

/** A range of a tab. */
export interface Target {
  tab: Tab;
  /** Cut to the grid. */
  box: Box;
  /** A single cell: an origin for writes. */
  isCell: boolean;
  /** Whether the caller's bounds exceed the grid. */
  isBeyondGrid: boolean;
}

export class Workbook {
  readonly id: string;
  about: BookAbout;
  readonly #acl = new Map<string, SheetRole>();
  tabs: Tab[] = [];
  /** Developer metadata of the spreadsheet itself. */
  metadata: TabMetadata[] = [];

  constructor(about: { id: string; title: string; timeZone: string }) {
    this.id = about.id;
    this.about = { title: about.title, timeZone: about.timeZone, locale: 'en_US', autoRecalc: 'ON_CHANGE' };
  }

  share(email: string, role: SheetRole | undefined): void {
    if (role === undefined) this.#acl.delete(email);
    else this.#acl.set(email, role);
  }

  roleOf(email: string): SheetRole | undefined {
    return this.#acl.get(email);
  }

  sharedWith(): string[] {
    return [...this.#acl.keys()];
  }

  tabTitled(title: string): Tab | undefined {
    return this.tabs.find((tab) => tab.properties.title === title);
  }

  tabWithId(sheetId: number): Tab | undefined {
    return this.tabs.find((tab) => tab.properties.sheetId === sheetId);
  }

  /** Runs a write. If it throws, the spreadsheet keeps its former state. */
  atomically<T>(write: () => T): T {
    const before = {
      tabs: this.tabs.map((tab) => ({ tab, copy: tab.copy() })),
      metadata: this.metadata.slice(),
      about: this.about,
    };
    try {
      const result = write();
      this.#checkSize();
      return result;
    } catch (error) {
      this.tabs = before.tabs.map(({ copy }) => copy);
      this.metadata = before.metadata;
      this.about = before.about;
      throw error;
    }
  }

  /** Resolves an A1 range. Throws when it cannot be parsed or starts outside the grid. */
  resolve(text: string): Target {
    const parsed = parseA1(text, (title) => this.tabTitled(title) !== undefined);
    const tab = parsed.title === undefined ? this.tabs[0] : this.tabTitled(parsed.title);
    if (tab === undefined) throw invalidArgument(`Unable to parse range: ${text}`);
    return this.targetOf(tab, parsed.area);
  }

  targetOf(tab: Tab, area: Area | undefined): Target {
    if (area === undefined) return { tab, box: tab.box, isCell: false, isBeyondGrid: false };
    const asked: Box = {
      rowStart: area.rowStart,
      rowEnd: area.rowEnd ?? Math.max(tab.rowCount, area.rowStart + 1),
      columnStart: area.columnStart,
      columnEnd: area.columnEnd ?? Math.max(tab.columnCount, area.columnStart + 1),
    };
    if (asked.rowStart >= tab.rowCount || asked.columnStart >= tab.columnCount) throw beyondGrid(tab, asked);
    const box = {
      ...asked,
      rowEnd: Math.min(asked.rowEnd, tab.rowCount),
      columnEnd: Math.min(asked.columnEnd, tab.columnCount),
    };
    const isBeyondGrid = box.rowEnd !== asked.rowEnd || box.columnEnd !== asked.columnEnd;
    return { tab, box, isCell: area.isCell, isBeyondGrid };
  }

  /** Checks that this caller may change these cells. Throws Google's message in English. */
  checkProtection(tab: Tab, box: Box, principal: Principal): void {
    const isHit = tab.protections.some(
      (protection) =>
        !this.mayEdit(protection, principal.email) &&
        (protection.box === undefined || overlap(protection.box, box)) &&
        !protection.unprotected.some((open) => contains(open, box)),
    );
    if (!isHit) return;
    throw invalidArgument(
      'You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection if you need to edit.',
    );
  }

  /** The owner always may. A warning-only protection stops no writer. */
  mayEdit(protection: Protection, email: string): boolean {
    const role = this.roleOf(email);
    if (role === 'owner') return true;
    return role === 'writer' && (protection.warningOnly || protection.editors.includes(email));
  }

  #checkSize(): void {
    const cells = this.tabs.reduce((sum, tab) => sum + tab.rowCount * tab.columnCount, 0);
    if (cells > cellsMax) {
      throw invalidArgument(
        `This action would increase the number of cells in the workbook above the limit of ${cellsMax} cells.`,
      );
    }
  }
}

export function beyondGrid(tab: Tab, box: Box) {
  return sheetsRefusal(
    400,
    `Range (${showRange(tab.properties.title, box)}) exceeds grid limits. Max rows: ${tab.rowCount}, max columns: ${tab.columnCount}`,
  );
}

/** The range as write errors show it: they always quote the title. */
export function quotedRange(tab: Tab, box: Box): string {
  const shown = showRange(tab.properties.title, box);
  const plain = showTitle(tab.properties.title);
  return plain.startsWith("'") ? shown : `'${plain}'${shown.slice(plain.length)}`;
}

export function overlap(a: Box, b: Box): boolean {
  return (
    a.rowStart < b.rowEnd &&
    b.rowStart < a.rowEnd &&
    a.columnStart < b.columnEnd &&
    b.columnStart < a.columnEnd
  );
}

function contains(outer: Box, inner: Box): boolean {
  return (
    outer.rowStart <= inner.rowStart &&
    inner.rowEnd <= outer.rowEnd &&
    outer.columnStart <= inner.columnStart &&
    inner.columnEnd <= outer.columnEnd
  );
}
