// The office moves appointments by typing a start and cancels them by a tick. In between it makes slips, which the worker must undo. It
// reads the answer in its row, and repeats a change when the answer asks it to.
import { setTimeout as sleep } from 'node:timers/promises';
import type { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { readLocal } from '@slotbridge/sandbox/zones/local';
import { wireText } from '../judge/company.ts';
import { type CellValue, daySerial } from '../judge/row-picture.ts';
import { OFFICE_SPREADSHEET, OFFICE_TAB, OFFICE_ZONE, type OfficeAppointments } from './appointments.ts';
import type { Wish, WishBook } from './wish-book.ts';

export interface OfficeCast {
  readonly platform: Pick<PlatformSandbox, 'faults' | 'truth'>;
  readonly google: Pick<GoogleSandbox, 'staff' | 'truth'>;
  readonly appointments: OfficeAppointments;
  readonly wishes: Pick<WishBook, 'asked'>;
  /** Pause between two acts, and between two looks, in ms. Default 250. */
  readonly pauseMs?: number;
  /** Default 240 s. */
  readonly withinMs?: number;
}

/** Longer than any answer takes on a busy machine. The judge reports what is still unanswered then. */
const WITHIN_MS = 240_000;
const PAUSE_MS = 250;
const LATER_MS = 3 * 3_600_000;
const AT = { spreadsheetId: OFFICE_SPREADSHEET, tab: OFFICE_TAB };
const ASKED_AGAIN = /please (make the change again|write it once more|change fewer|tick one row)/i;
const DONE = /^(Moved|Cancelled) in the booking system/m;

/** Resolves with the number of changes once all are answered, or when the time is up. */
export async function playOffice(cast: OfficeCast, signal: AbortSignal): Promise<number> {
  const { appointments, platform } = cast;
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = appointments.ids;
  const startOf = (id: string) => wireText(platform.truth.appointment(id)?.['starts_at']);
  const later = (id: string) => ({ id, to: new Date(Date.parse(startOf(id)) + LATER_MS).toISOString() });
  loseAnswers(cast);
  const office = new Office(cast, signal);
  await office.wish(later(a), later(b), later(c), { id: d, to: 'cancelled' });
  // The cancellation has freed this hour, but another row still shows it, so the office has to type it twice.
  await office.wish({ id: e, to: startOf(d) }, { id: f, to: 'cancelled' });
  // Exactly five rows: the worker would distrust changes in six.
  await office.slip(() => {
    office.fillDown({ from: 2, to: 4 });
    office.sortStarts({ from: 6, to: 7 });
    const below = appointments.ids.map((id) => ({ id, row: office.rowOf(id) })).filter(({ row }) => row > 7);
    const [other] = below.filter(({ id }) => id !== d && id !== f);
    for (const row of [3, other?.row ?? 8]) office.type(row, 'Cancel', true);
  });
  return office.acts;
}

/** The platform performs the request and breaks the connection, so the worker gets no answer. */
function loseAnswers({ platform, appointments }: OfficeCast): void {
  for (const what of ['reschedule', 'cancel'])
    platform.faults.add({
      ...{
        method: 'POST',
        path: new RegExp(`/appointments/(${appointments.ids.join('|')})/${what}$`),
        times: 1,
      },
      fault: { kind: 'commit-then-reset' },
    });
}

/** Row numbers as in the sheet, counted from 1. */
interface Rows {
  readonly from: number;
  readonly to: number;
}

class Office {
  acts = 0;
  readonly #cast: OfficeCast;
  readonly #signal: AbortSignal;
  readonly #endsAtMs: number;

  constructor(cast: OfficeCast, signal: AbortSignal) {
    this.#cast = cast;
    this.#signal = signal;
    this.#endsAtMs = performance.now() + (cast.withinMs ?? WITHIN_MS);
  }

  /** Writes one row after another. Resolves once each has its answer. */
  async wish(...wishes: readonly Wish[]): Promise<void> {
    for (const wish of wishes) {
      await this.#until(() => this.rowOf(wish.id) > 1);
      this.#cast.wishes.asked(wish);
      this.#write(wish);
      await this.#pause();
    }
    await this.#until(() => {
      const open = wishes.filter((wish) => !this.#isAnswered(wish));
      const again = open.find((wish) => this.#isAskedAgain(wish));
      if (again !== undefined) this.#write(again);
      return open.length === 0;
    });
  }

  /** Resolves once the worker has undone every change. */
  async slip(slip: () => void): Promise<void> {
    const shown = () =>
      JSON.stringify(
        this.#cast.appointments.ids.map((id) => {
          const { start, isTicked } = this.#written(id);
          return [start, isTicked];
        }),
      );
    const before = shown();
    slip();
    await this.#until(() => shown() === before);
  }

  /** Sorts a single column, so that rows show each other's starts. */
  sortStarts({ from, to }: Rows): void {
    const rows = this.#values();
    const column = rows[0]?.indexOf('Start') ?? -1;
    const letter = String.fromCharCode('A'.charCodeAt(0) + column);
    const starts = rows.slice(from - 1, to).map((row) => Number(row[column]));
    const descending = starts.every((start, i) => i === 0 || start >= (starts[i - 1] ?? 0));
    const range = `${letter}${from}:${letter}${to}`;
    this.#cast.google.staff.sheets.sortRange({ ...AT, range, column: 'Start', descending });
    this.acts += 1;
  }

  fillDown({ from, to }: Rows): void {
    const rows = this.#values();
    const start = rows[from - 1]?.[rows[0]?.indexOf('Start') ?? -1] ?? '';
    for (let row = from + 1; row <= to; row += 1) this.type(row, 'Start', start);
  }

  type(row: number, column: string, value: CellValue): void {
    this.#cast.google.staff.sheets.typeInto({ ...AT, row, column, value });
    this.acts += 1;
  }

  /** Row number counted from 1; 0 when there is no such row. */
  rowOf(id: string): number {
    return this.#values().findIndex((row) => row.includes(id)) + 1;
  }

  #write({ id, to }: Wish): void {
    const row = this.rowOf(id);
    if (to === 'cancelled') this.type(row, 'Cancel', true);
    else this.type(row, 'Start', readLocal(to, OFFICE_ZONE).toFormat('yyyy-MM-dd HH:mm'));
  }

  #isAnswered(wish: Wish): boolean {
    const { answer } = this.#written(wish.id);
    if (this.#standsThere(wish)) return wish.to !== 'cancelled' && DONE.test(answer);
    return answer !== '' && !ASKED_AGAIN.test(answer);
  }

  #isAskedAgain(wish: Wish): boolean {
    return !this.#standsThere(wish) && ASKED_AGAIN.test(this.#written(wish.id).answer);
  }

  #standsThere({ id, to }: Wish): boolean {
    const { start, isTicked } = this.#written(id);
    return to === 'cancelled' ? isTicked : start === daySerial(to, OFFICE_ZONE);
  }

  #written(id: string) {
    const [header = []] = this.#values();
    const row = this.#values()[this.rowOf(id) - 1] ?? [];
    const cell = (name: string) => row[header.indexOf(name)];
    return { start: cell('Start'), isTicked: cell('Cancel') === true, answer: wireText(cell('Answer')) };
  }

  #values(): readonly (readonly CellValue[])[] {
    return this.#cast.google.truth.values(OFFICE_SPREADSHEET, OFFICE_TAB);
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && performance.now() < this.#endsAtMs) await this.#pause();
  }

  #pause(): Promise<void> {
    return sleep(this.#cast.pauseMs ?? PAUSE_MS, undefined, { signal: this.#signal });
  }
}
