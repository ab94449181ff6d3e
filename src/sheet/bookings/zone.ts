import type { SheetBookings } from '../../engine/domain/outside-booking.ts';
import type { Memory } from '../../engine/ports/memory.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import { unknownZoneAdvice } from '../../engine/zones/news.ts';
import type { SheetsApi, SpreadsheetSettings } from '../../google/sheets-api.ts';
import type { IntakeFault } from './columns.ts';

/** How often a spreadsheet's zone is read: people change it once in years. Until a change is noticed, times are read as before. */
const SETTINGS_EVERY_MS = 900_000;
const UNKNOWN_EVERY_MS = 60_000;

type Setting = Pick<SpreadsheetSettings, 'timeZone' | 'shownZone'>;

interface ClockParts {
  readonly api: Pick<SheetsApi, 'settings'>;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly clock: Clock;
}

/** The zone in which people mean the times that they type: the entry's, else the spreadsheet's (File, Settings). */
export class SheetClocks {
  readonly #parts: ClockParts;
  readonly #read = new Map<string, { readonly setting: Setting; readonly atMs: number }>();

  constructor(parts: ClockParts) {
    this.#parts = parts;
  }

  /**
   * A new zone of the spreadsheet would change the hour of every row, and move every appointment. A settings change does not mean that, so
   * nothing is taken until a person has said which zone it is.
   */
  async zoneOf({ name, spreadsheetId, timezone }: SheetBookings): Promise<string | IntakeFault> {
    if (timezone !== undefined) return timezone;
    const { memory } = this.#parts;
    const { timeZone: zone, shownZone } = await this.#settingOf(spreadsheetId);
    if (zone === undefined) return unknownZone(shownZone);
    const fact = `intake-zone ${name}`;
    const before = await memory.get(fact);
    if (before === undefined) await memory.set(fact, zone);
    if (before === undefined || before === zone) return zone;
    return {
      code: 'intake-zone-changed',
      message: `the spreadsheet's time zone was ${before} and is ${zone} now: every row would mean another hour`,
      names: [before, zone],
      advice: `Set it back (Google Sheets, File, Settings), or write the zone that people mean into the mapping: from: { timezone: ${before} }.`,
    };
  }

  async #settingOf(spreadsheetId: string): Promise<Setting> {
    const { api, clock } = this.#parts;
    const known = this.#read.get(spreadsheetId);
    // Read more often while the zone is unknown: somebody is about to choose another one.
    const everyMs = known?.setting.timeZone === undefined ? UNKNOWN_EVERY_MS : SETTINGS_EVERY_MS;
    if (known !== undefined && Math.abs(clock.now() - known.atMs) < everyMs) return known.setting;
    const setting = await api.settings(spreadsheetId);
    this.#read.set(spreadsheetId, { setting, atMs: clock.now() });
    return setting;
  }
}

function unknownZone(shown: string): IntakeFault {
  return {
    code: 'sheet-zone-unknown',
    message: `the spreadsheet has a time zone that is not known here: ${shown.slice(0, 60)}`,
    names: [shown.slice(0, 60)],
    advice: `${unknownZoneAdvice(shown)} Or write the zone that people mean into the mapping: from: { timezone: … }.`,
  };
}
