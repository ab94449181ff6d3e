import { IANAZone } from 'luxon';

/**
 * The zone of a spreadsheet's dates: an IANA name that this machine knows, or `UTC-07:00` for `GMT-07:00` (Sheets API,
 * SpreadsheetProperties.timeZone). Undefined for an unknown zone: a guess would move every date.
 */
export function readSheetZone(shown: string): string | undefined {
  const name = shown.trim();
  const [whole, sign = '+', hours = '', minutes = '00'] = OFFSET.exec(name) ?? [];
  if (whole !== undefined) {
    const isOffset = Number(hours) <= HOURS_MAX && Number(minutes) < 60;
    return isOffset ? `UTC${sign}${hours.padStart(2, '0')}:${minutes}` : undefined;
  }
  return /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name) ? name : undefined;
}

const OFFSET = /^(?:GMT|UTC)\s?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
/** Largest UTC offset: Kiribati is 14 hours ahead. */
const HOURS_MAX = 14;
