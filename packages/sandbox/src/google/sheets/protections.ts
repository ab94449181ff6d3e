// Protected ranges: adding, changing, removing and showing them. Workbook.checkProtection enforces them.
import { type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import { invalidArgument } from '../refusal.ts';
import { type Mask, parseMask, touches } from '../request/mask.ts';
import type { Box } from './a1.ts';
import { gridTarget } from './filters.ts';
import type { Protection, Tab } from './tab.ts';
import type { Batch, Workbook } from './workbook.ts';

export function addProtectedRange(batch: Batch, request: JsonObject): JsonObject {
  const given = objectOf(request['protectedRange']);
  const { tab, box } = rangeOf(batch, given);
  const id = numberOf(given['protectedRangeId']) ?? batch.randomId();
  if (find(batch.book, id) !== undefined)
    throw invalidArgument(`Protected range with id ${id} already exists.`);
  const warningOnly = given['warningOnly'] === true;
  const protection: Protection = {
    id,
    box,
    description: stringOf(given['description']),
    // The caller who adds the protection may continue to edit. "If this field is true, then editors are ignored."
    editors: warningOnly ? [] : [...new Set([...editorsOf(given), batch.principal.email])],
    warningOnly,
    unprotected: unprotectedOf(batch, given, box),
  };
  tab.protections = [...tab.protections, protection];
  const viewer = batch.principal.email;
  return { addProtectedRange: { protectedRange: showProtection(batch.book, { tab, protection, viewer }) } };
}

export function updateProtectedRange(batch: Batch, request: JsonObject): void {
  const given = objectOf(request['protectedRange']);
  const mask = maskOf(request);
  const { tab, protection } = held(batch, given['protectedRangeId']);
  const next: Protection = { ...protection };
  if (touches(mask, ['description'])) next.description = stringOf(given['description']);
  if (touches(mask, ['warningOnly'])) next.warningOnly = given['warningOnly'] === true;
  if (touches(mask, ['editors'])) next.editors = [...new Set([...editorsOf(given), batch.principal.email])];
  if (touches(mask, ['range']) && given['range'] !== undefined) {
    const moved = rangeOf(batch, given);
    if (moved.tab !== tab) throw invalidArgument('A protected range cannot move to another sheet.');
    next.box = moved.box;
  }
  if (touches(mask, ['unprotectedRanges'])) next.unprotected = unprotectedOf(batch, given, next.box);
  tab.protections = tab.protections.map((other) => (other.id === protection.id ? next : other));
}

export function deleteProtectedRange(batch: Batch, request: JsonObject): void {
  const { tab, protection } = held(batch, request['protectedRangeId']);
  tab.protections = tab.protections.filter((other) => other.id !== protection.id);
}

/** Only editors see the list of editors. `viewer` undefined: the owner. */
export function showProtection(
  book: Workbook,
  { tab, protection, viewer }: { tab: Tab; protection: Protection; viewer: string | undefined },
): JsonObject {
  const { box } = protection;
  const shown: JsonObject = {
    protectedRangeId: protection.id,
    range: { sheetId: tab.properties.sheetId, ...(box === undefined ? {} : gridOf(box)) },
  };
  if (protection.description !== undefined) shown['description'] = protection.description;
  if (protection.warningOnly) shown['warningOnly'] = true;
  if (protection.unprotected.length > 0)
    shown['unprotectedRanges'] = protection.unprotected.map((open) => ({
      sheetId: tab.properties.sheetId,
      ...gridOf(open),
    }));
  // protobuf omits a false value.
  if (viewer === undefined || book.mayEdit(protection, viewer)) {
    shown['requestingUserCanEdit'] = true;
    if (!protection.warningOnly) shown['editors'] = { users: [...protection.editors] };
  }
  return shown;
}

function rangeOf(batch: Batch, given: JsonObject): { tab: Tab; box: Box | undefined } {
  if (given['namedRangeId'] !== undefined || given['tableId'] !== undefined)
    throw invalidArgument('The sandbox has neither named ranges nor tables to protect.');
  if (given['range'] === undefined) throw invalidArgument('protectedRange.range is required.');
  const range = objectOf(given['range']);
  const { tab, box } = gridTarget(batch.book, range);
  const isWholeSheet = Object.keys(range).every((name) => name === 'sheetId');
  return { tab, box: isWholeSheet ? undefined : box };
}

function editorsOf(given: JsonObject): string[] {
  return listOf(objectOf(given['editors'])['users']).map(String);
}

function unprotectedOf(batch: Batch, given: JsonObject, box: Box | undefined): Box[] {
  const ranges = listOf(given['unprotectedRanges']).map(objectOf);
  if (ranges.length > 0 && box !== undefined)
    throw invalidArgument('Unprotected ranges are only supported on protected sheets.');
  return ranges.map((range) => gridTarget(batch.book, range).box);
}

function maskOf(request: JsonObject): Mask {
  const mask = parseMask(String(request['fields'] ?? ''));
  if (mask === undefined)
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return mask;
}

/** The range with this id, if the caller may edit it. */
function held(batch: Batch, given: unknown): { tab: Tab; protection: Protection } {
  const id = numberOf(given);
  const found = find(batch.book, id);
  if (found === undefined) throw invalidArgument(`No protected range with id: ${id}`);
  batch.book.checkProtection(found.tab, found.protection.box ?? found.tab.box, batch.principal);
  return found;
}

function find(book: Workbook, id: number | undefined): { tab: Tab; protection: Protection } | undefined {
  for (const tab of book.tabs)
    for (const protection of tab.protections) if (protection.id === id) return { tab, protection };
  return undefined;
}

export function gridOf(box: Box): JsonObject {
  return {
    startRowIndex: box.rowStart,
    endRowIndex: box.rowEnd,
    startColumnIndex: box.columnStart,
    endColumnIndex: box.columnEnd,
  };
}
