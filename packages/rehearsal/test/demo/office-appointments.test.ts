import { setTimeout as sleep } from 'node:timers/promises';
import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { seedCompany } from '@slotbridge/sandbox/platform/company';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { DateTime } from 'luxon';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wireText } from '../../demo/judge/company.ts';
import { type CellValue, daySerial } from '../../demo/judge/row-picture.ts';
import {
  furnishOffice,
  furnishOfficeTab,
  OFFICE_SPREADSHEET,
  OFFICE_TAB,
  OFFICE_ZONE,
  type OfficeAppointments,
} from '../../demo/office/appointments.ts';
import { playOffice } from '../../demo/office/office.ts';
import { WishBook } from '../../demo/office/wish-book.ts';

const AT = { spreadsheetId: OFFICE_SPREADSHEET, tab: OFFICE_TAB };
const HEADER = ['ID', 'Start', 'Cancel', 'Answer'] as const;
const LATER_MS = 3 * 3_600_000;
const AGAIN = 'Please make the change again.';

let platform: PlatformSandbox;
let google: GoogleSandbox;
let appointments: OfficeAppointments;
let wishes: WishBook;
beforeEach(async () => {
  platform = await PlatformSandbox.start({ seed: 3 });
  google = await GoogleSandbox.start({ seed: 3 });
  const company = seedCompany(platform, { seed: 3, contacts: 2, appointments: 2 });
  appointments = platform.silently(() => furnishOffice(platform, company));
  furnishOfficeTab(google);
  google.staff.sheets.setRow({ ...AT, row: 1, values: [...HEADER] });
  for (const id of appointments.ids)
    google.staff.sheets.addRow({ ...AT, values: [id, startOf(id), false, ''] });
  wishes = new WishBook(platform, appointments.ids);
});
afterEach(async () => {
  await google.close();
  await platform.close();
});

const appointment = (id: string) => platform.truth.appointment(id) ?? {};
const startOf = (id: string) => daySerial(appointment(id)['starts_at'], OFFICE_ZONE);
const later = (id: string) =>
  new Date(Date.parse(wireText(appointment(id)['starts_at'])) + LATER_MS).toISOString();

interface Changed {
  readonly id: string;
  readonly start: CellValue | undefined;
  readonly isTicked: boolean;
}

/** Few rows, one tick, and no two of the same hour. */
function areSingle(changed: readonly Changed[]): boolean {
  const ticks = changed.filter(({ isTicked }) => isTicked);
  return (
    changed.length <= 5 &&
    ticks.length <= 1 &&
    new Set(changed.map(({ start }) => start)).size === changed.length
  );
}

/** Looks at the tab as the worker does: puts back what is not believed, and carries what is believed and made once more. */
class Desk {
  readonly looks: number[] = [];
  readonly #asked = new Set<string>();
  readonly #believes: (changed: readonly Changed[]) => boolean;

  constructor(believes = areSingle) {
    this.#believes = believes;
  }

  async run(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await sleep(10);
      const changed = this.#changed();
      if (changed.length === 0) continue;
      this.looks.push(changed.length);
      const isBelieved = this.#believes(changed);
      for (const each of changed) this.#answer(each, isBelieved);
    }
  }

  #changed(): readonly Changed[] {
    return google.truth
      .values(OFFICE_SPREADSHEET, OFFICE_TAB)
      .slice(1)
      .map(([id, start, tick]) => ({ id: wireText(id), start, isTicked: tick === true }))
      .filter(({ id, start, isTicked }) => start !== startOf(id) || isTicked);
  }

  #answer({ id, start, isTicked }: Changed, isBelieved: boolean): void {
    const name = `${id} ${start} ${isTicked}`;
    const isAgain = this.#asked.has(name);
    if (isBelieved && !isAgain) this.#asked.add(name);
    if (isBelieved && isAgain) {
      if (isTicked) platform.dashboard.cancel(id);
      else platform.dashboard.reschedule(id, { startsAt: instantOf(start) });
    }
    const answer =
      isBelieved && isAgain ? `${isTicked ? 'Cancelled' : 'Moved'} in the booking system.` : AGAIN;
    const row = google.truth.values(OFFICE_SPREADSHEET, OFFICE_TAB).findIndex((cells) => cells[0] === id) + 1;
    google.staff.sheets.setRow({ ...AT, row, values: [id, startOf(id), false, answer] });
  }
}

/** Instant of a start that the tab shows in its own zone. */
function instantOf(serial: unknown): number {
  const wallMs = Date.UTC(1899, 11, 30) + Math.round(Number(serial) * 86_400) * 1_000;
  return DateTime.fromMillis(wallMs, { zone: 'utc' })
    .setZone(OFFICE_ZONE, { keepLocalTime: true })
    .toMillis();
}

async function play(desk: Desk, withinMs: number): Promise<number> {
  const over = new AbortController();
  const atDesk = desk.run(over.signal);
  const cast = { platform, google, appointments, wishes, pauseMs: 15, withinMs };
  const acts = await playOffice(cast, new AbortController().signal);
  over.abort();
  await atDesk;
  return acts;
}

describe('the office', () => {
  it('makes each change again when it is asked to, and its slips once', async () => {
    const desk = new Desk();
    const acts = await play(desk, 120_000);
    expect(wishes.judge()).toEqual({ moves: 4, cancels: 2, wrong: [] });
    // Each wish twice, a column that was sorted, two cells that were filled, two ticks.
    expect(acts).toBeGreaterThanOrEqual(6 * 2 + 1 + 2 + 2);
    expect(desk.looks.at(-1)).toBe(5);
  });

  it('does not go on for ever where nobody answers, and nothing is held for carried', async () => {
    await play(new Desk(() => false), 500);
    const { moves, cancels, wrong } = wishes.judge();
    expect({ moves, cancels }).toEqual({ moves: 0, cancels: 0 });
    expect(wrong).toContain(`appointment ${appointments.ids[0]}: moved 0 times, wished once`);
  });
});

describe('the judge of appointments', () => {
  it('tells a wish that came about twice, a slip that was carried, and nothing of a wish that was made again', () => {
    const [a = '', b = '', c = ''] = appointments.ids;
    const [first, other] = [later(a), later(b)];
    wishes.asked({ id: a, to: first });
    wishes.asked({ id: a, to: first });
    wishes.asked({ id: c, to: 'cancelled' });
    platform.dashboard.reschedule(a, { startsAt: first });
    platform.dashboard.cancel(c);
    expect(wishes.judge()).toEqual({ moves: 1, cancels: 1, wrong: [] });
    platform.dashboard.reschedule(b, { startsAt: other });
    expect(wishes.judge().wrong).toEqual([`appointment ${b}: moved, and nobody wished it`]);
    const former = new Date(Date.parse(first) - LATER_MS).toISOString();
    platform.dashboard.reschedule(a, { startsAt: former });
    platform.dashboard.reschedule(a, { startsAt: first });
    expect(wishes.judge()).toMatchObject({
      ...{ moves: 0, cancels: 1 },
      wrong: expect.arrayContaining([`appointment ${a}: moved 2 times, wished once`]),
    });
    platform.dashboard.cancel(b);
    expect(wishes.judge().wrong).toContain(`appointment ${b}: cancelled, and nobody wished it`);
  });
});
