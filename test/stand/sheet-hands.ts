/** People's hands in a booking sheet between every read and write of the worker, by a seed, held against what they meant. */
import { HEADERS, type IntakeStands, type IntakeWorld } from './intake-sheet.ts';

const ACTS = 45;
const CUSTOMERS_MAX = 9;
const QUIET_ROUNDS = 5;
/** Nothing in the row names its appointment then. */
const WITHOUT_APPOINTMENT = {
  ...{ service: 'Service', starts_at: 'Start', name: 'Name', phone: 'Phone', resource: 'Resource' },
  ...{ ready: 'Ready', cancel: 'Cancel', id: 'ID', status: 'Status' },
} as const;
const MARK = HEADERS.indexOf('Notes');

/** What one customer was meant to get; the people in the office know it, and nobody else. */
interface Meant {
  readonly mark: string;
  readonly phone: string;
  /** Every hour that was ever typed into a row of this customer, or given by the platform; UTC. */
  readonly hours: Set<string>;
  /** A tick in a row of this customer, or the platform. */
  mayBeCancelled: boolean;
  /** Its row was deleted, or written over: nothing is promised about what it shows. */
  isGone: boolean;
  /** The ids that stood in its row. */
  readonly ids: Set<string>;
}

export interface Played {
  readonly acts: readonly string[];
  /** Broken promises. */
  readonly wrong: readonly string[];
}

export async function playHands(stands: IntakeStands, seed: number): Promise<Played> {
  const world = await stands.start(seed % 3 === 0 ? { columns: WITHOUT_APPOINTMENT } : {});
  const hands = new Hands(world, seed);
  await hands.play();
  return { acts: hands.acts, wrong: hands.wrong };
}

class Hands {
  readonly acts: string[] = [];
  readonly wrong: string[] = [];
  readonly #world: IntakeWorld;
  readonly #random: () => number;
  readonly #meant = new Map<string, Meant>();

  constructor(world: IntakeWorld, seed: number) {
    this.#world = world;
    this.#random = randomBy(seed);
  }

  async play(): Promise<void> {
    for (let act = 0; act < ACTS && this.wrong.length === 0; act += 1) {
      await this.#act();
      this.#judge();
    }
    this.#world.api.beforeWrite = undefined;
    this.#world.api.afterWrite = undefined;
    this.#world.api.beforeRead = undefined;
    await this.#quiet();
    for (let round = 0; round < 4 && this.#answerQuestions(); round += 1) await this.#quiet();
    this.#judgeEnd();
  }

  async #act(): Promise<void> {
    const world = this.#world;
    const acts: readonly (readonly [number, () => Promise<void> | void])[] = [
      [5, () => this.#type()],
      [9, () => this.#hand()],
      [4, () => this.#between('beforeWrite')],
      [2, () => this.#between('afterWrite')],
      [2, () => this.#between('beforeRead')],
      [2, () => this.#onPlatform()],
      [7, () => this.#told('settle', () => world.settle())],
      [2, () => this.#told('poll', () => world.poll())],
      [2, () => this.#told('work', () => world.work())],
      [2, () => this.#told('flush', async () => void (await world.flush()))],
      [2, () => this.#told('wait', () => world.clock.advance(31_000))],
      [1, () => this.#told('restart', () => world.restart())],
      [1, () => this.#die()],
      [1, () => this.#loseWrites()],
    ];
    await this.#weighed(acts)?.();
  }

  #hand(): void {
    const world = this.#world;
    const hands: readonly (readonly [number, () => void])[] = [
      [3, () => this.#sort()],
      [2, () => this.#row((row) => world.staff.insertRow({ ...world.at, row }), 'insert')],
      [3, () => this.#own((row, meant) => this.#hour(row, meant), 'start')],
      [3, () => this.#own((row) => world.put(row, 'ID', ''), 'empty id')],
      [2, () => this.#own((row, meant) => this.#tick(row, meant), 'cancel')],
      [1, () => this.#own((row, meant) => this.#delete(row, meant), 'delete')],
      [3, () => this.#own((row, meant) => this.#copy(row, meant), 'copy')],
      [1, () => this.#own((row) => world.staff.moveRow({ ...world.at, row, before: 2 }), 'move row')],
    ];
    this.#weighed(hands)?.();
  }

  #type(): void {
    if (this.#meant.size >= CUSTOMERS_MAX) return;
    const meant = this.#newcomer();
    const start = this.#pickHour(meant);
    this.#world.type({ ...this.#nameOf(meant), Start: start, Resource: this.#resource() });
    this.acts.push(`type ${meant.mark} ${start}`);
  }

  #newcomer(): Meant {
    const number = this.#meant.size + 1;
    const phone = `8 495 000-${String(20 + number)}-01`;
    const meant: Meant = {
      ...{ mark: `c${number}`, phone, hours: new Set<string>() },
      ...{ mayBeCancelled: false, isGone: false, ids: new Set<string>() },
    };
    this.#meant.set(meant.mark, meant);
    return meant;
  }

  #nameOf({ mark, phone }: Meant) {
    return { Name: `Guest ${mark}`, Phone: phone, Notes: mark };
  }

  #pickHour(meant: Meant): string {
    const [day, hour] = [3 + this.#below(4), 10 + this.#below(8)];
    meant.hours.add(new Date(Date.UTC(2026, 2, day, hour - 3)).toISOString());
    return `0${day}.03.2026 ${hour}:00`;
  }

  #resource(): string {
    return this.#random() < 0.5 ? 'Anna' : 'Boris';
  }

  #hour(row: number, meant: Meant): void {
    this.#world.put(row, 'Start', this.#pickHour(meant));
  }

  #tick(row: number, meant: Meant): void {
    this.#world.put(row, 'Cancel', true);
    meant.mayBeCancelled = true;
  }

  #delete(row: number, meant: Meant): void {
    this.#world.staff.deleteRow({ ...this.#world.at, row });
    meant.isGone ||= !this.#marked().some(({ mark }) => mark === meant.mark);
  }

  /** As offices do: the row is copied, and one of the two is typed over for the next customer. */
  #copy(row: number, meant: Meant): void {
    if (this.#meant.size >= CUSTOMERS_MAX) return;
    const world = this.#world;
    const isAnswered = world.row(row)['Status'] !== '';
    if (this.#random() < 0.3) this.#hour(row, meant);
    world.staff.duplicateRow({ ...world.at, row });
    const next = this.#newcomer();
    const over = this.#random() < 0.5 ? row : row + 1;
    for (const [column, value] of Object.entries(this.#nameOf(next))) world.put(over, column, value);
    const start = String(world.row(over)['Start']);
    if (this.#random() < 0.7) this.#hour(over, next);
    else next.hours.add(utcOf(start));
    world.put(over, 'Cancel', false);
    if (!isAnswered || this.#random() < 0.5) world.put(over, 'ID', '');
    this.acts.push(`${meant.mark} copied, ${over === row ? 'upper' : 'lower'} is ${next.mark}`);
  }

  #sort(): void {
    const column = this.#pick(['Name', 'Start', 'ID', 'Status', 'Notes']) ?? 'Name';
    const descending = this.#random() < 0.5;
    this.#world.staff.sortTab({ ...this.#world.at, column, descending });
    this.acts.push(`sort ${column}`);
  }

  #between(moment: 'beforeWrite' | 'afterWrite' | 'beforeRead'): void {
    this.#world.api[moment] = () => {
      this.acts.push(`(${moment})`);
      this.#hand();
    };
  }

  async #onPlatform(): Promise<void> {
    const { dashboard } = this.#world;
    const live = this.#world.appointments().filter(({ status }) => status === 'confirmed');
    const one = this.#pick(live);
    const meant = one && this.#meantBy(one['customer_phone']);
    if (one === undefined || meant === undefined) return;
    if (this.#random() < 0.5) {
      meant.mayBeCancelled = true;
      dashboard.cancel(String(one['id']), { notify: false });
      this.acts.push(`the platform cancels ${meant.mark}`);
    } else {
      const startsAt = new Date(Date.UTC(2026, 2, 9, 8 + this.#below(7))).toISOString();
      try {
        dashboard.reschedule(String(one['id']), { startsAt, notify: false } as never);
        meant.hours.add(startsAt);
        this.acts.push(`the platform moves ${meant.mark}`);
      } catch {
        // Somebody is there already.
      }
    }
    await this.#world.hear();
  }

  async #die(): Promise<void> {
    const step = 1 + this.#below(25);
    const isDead = await this.#world.dieAt(step);
    await this.#world.restart();
    this.acts.push(isDead ? `died at ${step}` : 'poll');
  }

  #loseWrites(): void {
    const kind = this.#pick(['commit-then-reset', 'reset'] as const) ?? 'reset';
    this.#world.google.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind } });
    this.acts.push(`the next write: ${kind}`);
  }

  async #told(name: string, act: () => Promise<void> | void): Promise<void> {
    this.acts.push(name);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
    }
  }

  async #quiet(): Promise<void> {
    for (let round = 0; round < QUIET_ROUNDS; round += 1) {
      this.#world.clock.advance(31_000);
      await this.#world.hear();
      await this.#world.settle();
      this.#judge();
    }
  }

  /** What people do who read the status of their rows. False when nobody was asked anything. */
  #answerQuestions(): boolean {
    let isAsked = false;
    for (const { row, mark } of this.#marked()) {
      const status = String(this.#world.row(row)['Status']);
      const meant = this.#meant.get(mark);
      if (meant === undefined) continue;
      const hasOwn = this.#liveOf(meant).length > 0;
      if (/^Copy of|^Which of|another customer/.test(status) && !hasOwn) this.#world.put(row, 'ID', '');
      else if (/^Is this row/.test(status))
        this.#world.put(row, 'ID', hasOwn ? this.#lastIdOf(meant) : 'NEW');
      else continue;
      this.acts.push(`${mark} answers: ${status.slice(0, 12)}`);
      isAsked = true;
    }
    return isAsked;
  }

  #lastIdOf({ ids }: Meant): string {
    return [...ids].at(-1) ?? '';
  }

  #judge(): void {
    for (const { row, mark } of this.#marked()) {
      const id = String(this.#world.row(row)['ID']);
      if (/^[0-9a-f-]{36}$/.test(id)) this.#meant.get(mark)?.ids.add(id);
    }
    for (const appointment of this.#world.appointments()) {
      const meant = this.#meantBy(appointment['customer_phone']);
      const [status, at] = [
        String(appointment['status']),
        new Date(String(appointment['starts_at'])).toISOString(),
      ];
      if (meant === undefined) this.wrong.push(`nobody asked for ${String(appointment['customer_phone'])}`);
      else if (status === 'cancelled' && !meant.mayBeCancelled)
        this.wrong.push(`${meant.mark} was cancelled`);
      else if (!meant.hours.has(at)) this.wrong.push(`${meant.mark} stands at ${at}, which nobody wished`);
    }
    for (const meant of this.#meant.values()) {
      const live = this.#liveOf(meant).length;
      if (live > 1) this.wrong.push(`${meant.mark} has ${live} appointments`);
    }
  }

  /** Every wish is answered, and where its author made it. */
  #judgeEnd(): void {
    for (const { row, mark } of this.#marked()) {
      const meant = this.#meant.get(mark);
      if (meant === undefined || meant.isGone) continue;
      const { Status, Appointment, ID, Time } = this.#world.row(row);
      const told = `${mark} in row ${row}: "${String(Status).slice(0, 60)}" ${String(ID).slice(0, 12)}`;
      const [live] = this.#liveOf(meant);
      if (Status === '' && !(meant.mayBeCancelled && live === undefined))
        this.wrong.push(`no answer for ${told}`);
      const named = this.#world.appointments().find(({ id }) => id === Appointment);
      if (Appointment !== '' && this.#meantBy(named?.['customer_phone']) !== meant)
        this.wrong.push(`another's appointment for ${told}`);
      if (live === undefined && /^Booked/.test(String(Status))) this.wrong.push(`not booked, but ${told}`);
      if (
        live !== undefined &&
        named !== undefined &&
        (named['id'] !== live['id'] || !/^Booked/.test(String(Status)))
      )
        this.wrong.push(`booked, but ${told}`);
      if (
        live !== undefined &&
        named?.['id'] === live['id'] &&
        Math.abs(Number(Time) - serialOf(live['starts_at'])) > 1e-6
      )
        this.wrong.push(`another hour for ${told}`);
    }
  }

  #liveOf(meant: Meant) {
    return this.#world
      .appointments()
      .filter((each) => each['status'] !== 'cancelled' && this.#meantBy(each['customer_phone']) === meant);
  }

  #meantBy(phone: unknown): Meant | undefined {
    const digits = String(phone).slice(-10);
    return [...this.#meant.values()].find((each) => each.phone.replaceAll(/\D/g, '').endsWith(digits));
  }

  #marked(): readonly { row: number; mark: string }[] {
    return this.#world
      .rows()
      .flatMap((cells, i) =>
        i > 0 && this.#meant.has(String(cells[MARK])) ? [{ row: i + 1, mark: String(cells[MARK]) }] : [],
      );
  }

  #row(act: (row: number) => void, name: string): void {
    const one = this.#pick(this.#marked());
    if (one === undefined) return;
    this.acts.push(`${name} at ${one.mark}`);
    act(one.row);
  }

  #own(act: (row: number, meant: Meant) => void, name: string): void {
    const one = this.#pick(this.#marked());
    const meant = one && this.#meant.get(one.mark);
    if (one === undefined || meant === undefined) return;
    this.acts.push(`${name} ${one.mark}`);
    act(one.row, meant);
  }

  #weighed<T>(choices: readonly (readonly [number, T])[]): T | undefined {
    let at = this.#random() * choices.reduce((sum, [weight]) => sum + weight, 0);
    return choices.find(([weight]) => {
      at -= weight;
      return at < 0;
    })?.[1];
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[this.#below(from.length)];
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

/** What the office types, by Moscow's clock. */
function utcOf(typed: string): string {
  const [, day, hour] = /^0(\d)\.03\.2026 (\d\d):00$/.exec(typed) ?? [];
  return new Date(Date.UTC(2026, 2, Number(day), Number(hour) - 3)).toISOString();
}

function serialOf(iso: unknown): number {
  return (Date.parse(String(iso)) + 3 * 3_600_000 - Date.UTC(1899, 11, 30)) / 86_400_000;
}

/** Mulberry32. */
function randomBy(seed: number): () => number {
  let a = (seed * 104_729 + 7) >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
