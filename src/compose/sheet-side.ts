import { carryingMirrors } from '../config/needs.ts';
import { ofKind } from '../domain/mirror.ts';
import { CarriedRows } from '../mirrors/sheet/carry/carried-rows.ts';
import { BlankRows } from '../mirrors/sheet/check/blank-rows.ts';
import { SheetChecker } from '../mirrors/sheet/check/check.ts';
import { LateDoubles } from '../mirrors/sheet/check/late-doubles.ts';
import { createSheetFlusher } from '../mirrors/sheet/flush/flush.ts';
import { placesOf } from '../mirrors/sheet/tab/places.ts';
import { RememberedTabs } from '../mirrors/sheet/tab/tab-memory.ts';
import { answerTab } from '../mirrors/sheet/target/answers.ts';
import type { RememberedZones } from '../mirrors/sheet/target/sheet-zones.ts';
import type { Core } from './core.ts';
import type { Store } from './stores.ts';

/** Writes the tabs of all mirrors and bookings, and checks that they are still as written. */
export function createSheetSide(
  parts: Pick<Core, 'config' | 'store' | 'remotes' | 'clock' | 'log' | 'meter'>,
  of: ReturnType<Store['rowsWith']> & { readonly zones: RememberedZones },
) {
  const { config, store, remotes, clock, log, meter } = parts;
  const { outbox, sheetRows, rowMoves, rowEdits, zones } = of;
  const { problems } = store;
  const tabs = new RememberedTabs(store.memory);
  const sheetMirrors = ofKind(config.mirrors, 'sheet');
  const carried = new CarriedRows({
    ...{ api: remotes.sheets, mirrors: carryingMirrors(config), shown: sheetRows, edits: rowEdits },
    ...{ overWrites: store.overWrites, memory: store.memory, zones, problems, clock, log },
  });
  const flusher = createSheetFlusher({
    api: remotes.sheets,
    outbox,
    mirrors: [...sheetMirrors.flatMap(placesOf), ...ofKind(config.bookings, 'sheet').map(answerTab)],
    moves: rowMoves,
    unkept: store.unkept,
    sent: store.sentRows,
    carried,
    tabs,
    problems,
    clock,
    log,
    meter,
    onRefused: (row, error) => {
      const { code, message, advice } = error;
      const reason = { mirror: row.mirror, code, message, ...(advice === undefined ? {} : { advice }) };
      return outbox.refuse(row, { key: row.key, atMs: clock.now(), attempts: 1, reasons: [reason] });
    },
    // The tab is empty now, so rows that were linked into it are gone.
    onTabBegun: (place) => outbox.rewriteAll(place),
  });
  const checker = new SheetChecker({
    api: remotes.sheets,
    rows: sheetRows,
    unkept: store.unkept,
    mirrors: sheetMirrors,
    tabs,
    zones,
    problems,
    carried,
    clock,
    log,
  });
  const lateDoubles = new LateDoubles({
    api: remotes.sheets,
    outbox,
    mirrors: sheetMirrors.flatMap(placesOf),
    sent: store.sentRows,
    rows: sheetRows,
    tabs,
    history: store.history,
    ...{ clock, log, meter },
  });
  const blankRows = new BlankRows({
    ...{ api: remotes.sheets, mirrors: sheetMirrors, tabs, log },
  });
  return { flusher, checker, blankRows, lateDoubles };
}
