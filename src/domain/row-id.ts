import { createHash, randomBytes, randomInt } from 'node:crypto';

// The id that the worker writes into a row of a booking sheet. It looks like a UUID and carries its own proof. So a reader knows without
// any memory whether the worker made it for this spreadsheet. Otherwise someone typed it, or brought the row from another spreadsheet.

/** Bytes before the proof (about 74 of their bits are random), and hex digits of the proof. */
const RANDOM_BYTES = 10;
const PROOF_CHARS = 12;
/** Position of the digit after the version; it is 0 if a person said that the row is new. */
const SAID_AT = 15;

/**
 * A new id each time: it must be in its row before the worker does anything about the row. `isSaidNew`: a person said that the row is a new
 * booking. The id records this, so no loss makes the worker ask again.
 */
export function newRowId(spreadsheetId: string, isSaidNew = false): string {
  const bytes = randomBytes(RANDOM_BYTES);
  // Version 8 (custom ids) and the variant of RFC 9562.
  bytes[6] = 0x80 | (isSaidNew ? 0 : randomInt(1, 16));
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  const random = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}`;
  return `${random}-${proofOf(random, spreadsheetId)}`;
}

export function isSaidNew(rowId: string): boolean {
  return rowId[SAID_AT] === '0';
}

export function isRowId(text: string, spreadsheetId: string): boolean {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)) return false;
  const end = text.length - PROOF_CHARS;
  return text.slice(end) === proofOf(text.slice(0, end - 1), spreadsheetId);
}

function proofOf(random: string, spreadsheetId: string): string {
  return createHash('sha256').update(`${spreadsheetId} ${random}`).digest('hex').slice(0, PROOF_CHARS);
}
