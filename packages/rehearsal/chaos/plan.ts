// A plan from a seed: which acts, when, and on what. The same seed and length give the same plan, on every machine.
import { Random } from '@slotbridge/sandbox/platform/random';
import {
  type Act,
  type Deed,
  FAULTS,
  GALINA,
  type Moment,
  madeBy,
  PEOPLE,
  type Place,
  type Plan,
  type Settings,
  type TabName,
} from './act.ts';

/** Acts for each second of the plan. */
const ACTS_PER_S = 6;
/** And in the calendar of a team, where there is one. */
const TEAM_ACTS_PER_S = 2;
/** On the phone of a colleague with a CalDAV calendar, and to her appointments on the platform. */
const PHONE_ACTS_PER_S = 3;
/** And in tabs that carry. */
const OFFICE_ACTS_PER_S = 2;
/** More would wait for a person (`mass-deletion`). */
const TICKS_MAX = 3;
/** More deletions of a calendar within an hour would wait for a person (`mass-deletion`). */
const DELETIONS_MAX = 4;
const PHONE_DELETIONS_MAX = 3;
/** More changes of one event or row within ten minutes would end as `edit-loop`. */
const CHANGES_OF_ONE_MAX = 6;
/** Rows that are pasted at once. */
const PASTED = { min: 20, max: 40 } as const;
/** With mails to customers, more would wait for a person (`mail-storm`). */
const MAILED_CHANGES_MAX = 12;

export const MINUTES_DEFAULT = 0.15;

/** `cuts`: two workers behind cutting proxies, whatever the seed says. */
export function planOf(seed: number, minutes = MINUTES_DEFAULT, cuts = false): Plan {
  const random = new Random(seed).fork('chaos');
  const spanMs = Math.round(minutes * 60_000);
  const own = settingsOf(random);
  const hasCuts = cuts || (own.workers === 2 && new Random(seed).fork('cuts').below(2) === 0);
  const settings: Settings = {
    ...{ ...own, ...teamOf(new Random(seed).fork('team')) },
    ...(hasCuts && { workers: 2, redis: 'shared', cuts: true }),
    ...(new Random(seed).fork('carries').below(2) === 0 && { carries: true }),
    ...(new Random(seed).fork('caldav').below(2) === 0 && { caldav: true }),
  };
  const writer = new Writer(random, settings);
  writer.eve();
  const count = Math.max(1, Math.round((spanMs / 1_000) * ACTS_PER_S));
  for (let made = 0; made < count; made += 1)
    writer.some(Math.round((made / count) * spanMs + random.below(300)));
  if (settings.team !== undefined) writer.team(new Random(seed).fork('team acts'), spanMs);
  if (settings.carries === true) writer.office(new Random(seed).fork('office acts'), spanMs);
  if (new Random(seed).fork('clocks').below(2) === 0)
    writer.clocks(new Random(seed).fork('clock acts'), spanMs);
  if (hasCuts) writer.cuts(new Random(seed).fork('cut acts'), spanMs);
  if (new Random(seed).fork('paste').below(4) === 0)
    writer.paste(new Random(seed).fork('paste acts'), spanMs);
  if (settings.caldav === true) writer.phone(new Random(seed).fork('caldav acts'), spanMs);
  return { seed, spanMs, settings, acts: writer.acts.sort((a, b) => a.at - b.at) };
}

/** By dice of its own: whoever has none goes on with the plan that the seed has always had. */
function teamOf(random: Random): Pick<Settings, 'team'> {
  if (random.below(2) === 0) return {};
  const by = random.pick(['all', 'all', 'branch', 'service'] as const);
  const [isOwn, isBusy] = [random.below(3) > 0, random.below(2) === 0];
  return { team: { by, isOwn, isBusy, moved: random.below(4) === 0 ? 'revert' : 'reschedule' } };
}

function settingsOf(random: Random): Settings {
  const redis = random.below(3) === 0 ? 'private' : 'shared';
  const moved = random.below(6) === 0 ? 'revert' : 'reschedule';
  return {
    workers: redis === 'shared' && random.below(3) === 0 ? 2 : 1,
    redis,
    edits: {
      moved,
      deleted: random.below(3) === 0 ? 'restore' : 'cancel',
      conflict: random.pick(['platform', 'staff', 'latest'] as const),
      graceS: random.pick([0, 2, 4] as const),
    },
    notify: random.below(4) === 0,
    google: {
      ...(random.below(5) === 0 && { reviveAnswers403: true }),
      ...(random.below(3) === 0 && { tombstonesMinimal: true }),
      ...(random.below(6) === 0 && { emptyPages: true }),
    },
    platform: {
      ...(random.below(4) === 0 && { timestamps: 'seconds' as const }),
      ...(random.below(8) === 0 && { updatedAt: 'null' as const }),
      ...(random.below(4) === 0 && { feedTies: 'any' as const }),
    },
  };
}

type Names = 'A' | 'W' | 'R' | 'P' | 'O' | 'X';

class Writer {
  readonly acts: Act[] = [];
  #random: Random;
  readonly #settings: Settings;
  readonly #names: Record<Names, string[]> = { A: [], W: [], R: [], P: [], O: [], X: [] };
  readonly #changes = new Map<string, number>();
  #slot = 0;
  #deletions = 0;
  #mailed = 0;
  /** Faults that take long to get over come once in a plan. */
  readonly #once = new Set<string>();

  constructor(random: Random, settings: Settings) {
    this.#random = random;
    this.#settings = settings;
  }

  /** What stands before the worker is started. */
  eve(): void {
    for (let at = -8; at < -4; at += 1) this.#add(at, this.#book());
    for (let at = -4; at < -2; at += 1) this.#add(at, { do: 'contact', as: this.#new('P') });
    this.#add(-2, this.#drop());
    this.#add(-1, this.#typeRow(true));
  }

  some(at: number): void {
    const total = DECK.reduce((sum, [share]) => sum + share, 0);
    // A hand without anything to take hold of does nothing: then another act has its turn.
    for (let tries = 0; tries < 20; tries += 1) {
      let left = this.#random.next() * total;
      const found = DECK.find(([share]) => {
        left -= share;
        return left < 0;
      });
      if (found?.[1].call(this, at, this.#random) === true) return;
    }
  }

  /** What people do in the calendar of a team, on top of all else. */
  team(random: Random, spanMs: number): void {
    this.#random = random;
    const count = Math.max(1, Math.round((spanMs / 1_000) * TEAM_ACTS_PER_S));
    for (let made = 0; made < count; made += 1)
      this.#inTeam(Math.round((made / count) * spanMs + random.below(300)));
  }

  /** What the office does in tabs that carry. In half of the plans it also slips. */
  office(random: Random, spanMs: number): void {
    this.#random = random;
    const count = Math.max(1, Math.round((spanMs / 1_000) * OFFICE_ACTS_PER_S));
    const slips = random.below(2) === 0 ? random.pick([1, 2, 3] as const) : 0;
    for (let made = 0; made < count; made += 1)
      this.#inOffice(Math.round((made / count) * spanMs + random.below(300)));
    for (let made = 0; made < slips; made += 1) this.#slip(random.below(spanMs));
  }

  /** What happens to the wall clocks of the workers, one after another. In half of these plans a process stops over a due minute, last. */
  clocks(random: Random, spanMs: number): void {
    const stopsAt = random.below(2 * spanMs);
    for (let at = random.below(1_500); at < spanMs; at += 300 + random.below(2_000)) {
      const worker = random.below(this.#settings.workers);
      if (at >= stopsAt) {
        this.#add(at, { do: 'freeze-over-due', worker, ms: 1_000 + random.below(2_500) });
        return;
      }
      const forMs = 500 + random.below(4_000);
      this.#add(at, { do: 'set-clock', worker, aheadMs: random.pick(CLOCK_STEPS_MS), forMs });
      at += forMs;
    }
  }

  /** One worker after the other is cut off from Redis, for less or longer than a silent server is borne. */
  cuts(random: Random, spanMs: number): void {
    let worker = random.below(2);
    for (let at = random.below(1_000); at < spanMs; at += 500 + random.below(1_500)) {
      const ms = random.pick([1_500, 4_000, 8_000] as const) + random.below(1_500);
      this.#add(at, { do: 'cut-off', worker, ms, isLost: random.below(2) === 0 });
      at += ms;
      worker = 1 - worker;
    }
  }

  /** Somebody pastes many rows at once into the booking sheet, and goes on with them. */
  paste(random: Random, spanMs: number): void {
    this.#random = random;
    const at = random.below(spanMs);
    const rows = Array.from({ length: PASTED.min + random.below(PASTED.max - PASTED.min + 1) }, () => ({
      ...{ as: this.#new('R'), slot: this.#free(), with: random.pick(PEOPLE) },
    }));
    this.#add(at, { do: 'paste-rows', rows }, this.#between('sheet-write', 'sheet-read'));
    for (let made = 1 + random.below(4); made > 0; made -= 1) {
      const who = random.pick(rows).as;
      const later: readonly Deed[] = [
        { do: 'sort', tab: 'Intake', column: random.pick(SORTED.Intake), descending: random.below(2) === 0 },
        { do: 'change-start', who, slot: this.#free() },
        { do: 'tick-cancel', who },
        { do: 'delete-row', who },
      ];
      this.#add(at + 200 + random.below(4_000), random.pick(later));
    }
  }

  /** What happens to the appointments of the colleague with a CalDAV calendar, and on her phone. */
  phone(random: Random, spanMs: number): void {
    this.#random = random;
    const hers = [this.#new('A'), this.#new('A')];
    for (const [index, as] of hers.entries()) this.#add(index - 4, this.#bookGalina(as));
    const count = Math.max(1, Math.round((spanMs / 1_000) * PHONE_ACTS_PER_S));
    let deletions = 0;
    for (let made = 0; made < count; made += 1) {
      const at = Math.round((made / count) * spanMs + random.below(300));
      const before = this.#between('caldav-write', 'caldav-read', 'platform-write');
      const dice = random.below(22);
      const who = dice < 3 ? undefined : this.#changed(hers);
      if (who === undefined) {
        hers.push(this.#new('A'));
        this.#add(at, this.#bookGalina(hers.at(-1) ?? ''), before);
      } else if (dice < 7) this.#add(at, { do: 'phone-drag', who, slot: this.#free() }, before);
      else if (dice < 9 && deletions < PHONE_DELETIONS_MAX) {
        deletions += 1;
        this.#add(at, { do: 'phone-delete', who }, before);
      } else if (dice < 13) {
        const to = random.below(6) === 0 ? {} : { with: random.pick([GALINA, GALINA, ...PEOPLE] as const) };
        this.#add(at, { do: 'reschedule', who, slot: this.#free(), ...to }, before);
      } else if (dice < 14) this.#add(at, { do: 'cancel', who }, before);
      else if (dice < 18) {
        const deeds: readonly Deed[] = [
          ...([
            { do: 'phone-retitle', who },
            { do: 'phone-recolour', who },
            { do: 'phone-copy', who },
          ] as const),
          { do: 'phone-remind', who, minutes: 5 + random.below(120) },
        ];
        this.#add(at, random.pick(deeds), before);
      } else if (dice < 19)
        this.#add(at, { do: 'phone-own', as: this.#new('O'), slot: this.#free() }, before);
      else {
        const fault = random.pick(FAULTS.caldav);
        const share = random.pick([0.2, 0.5, 1] as const);
        const [times, ms] = [1 + random.below(8), 100 + random.below(1_500)];
        this.#add(at, { do: 'fault', side: 'caldav', fault, share, times, ms });
        this.#add(at + 500 + random.below(4_000), { do: 'lift', side: 'caldav' });
      }
    }
  }

  #bookGalina(as: string): Deed {
    return { do: 'book', as, slot: this.#free(), service: 'haircut', with: GALINA };
  }

  #inOffice(at: number): boolean {
    const random = this.#random;
    const before = this.#between('sheet-write', 'sheet-read', 'platform-write', 'calendar-write');
    const known = new Set(this.acts.flatMap((act) => (act.at < at ? madeBy(act).names : [])));
    const some = (...kinds: Names[]) =>
      kinds.flatMap((kind) => this.#names[kind]).filter((name) => known.has(name));
    const dice = random.below(8);
    if (dice < 2)
      return this.#add(
        at,
        { do: 'type-name', who: random.pick(some('P')), to: `Typed ${random.below(1_000)}` },
        before,
      );
    const who = this.#changed(some('A', 'A', 'W', 'R'));
    if (who === undefined) return false;
    const ticks = this.acts.filter(({ do: what }) => what === 'tick-appointment').length;
    if (dice === 2 && ticks < TICKS_MAX) return this.#add(at, { do: 'tick-appointment', who }, before);
    return this.#add(at, { do: 'type-appointment', who, slot: this.#free() }, before);
  }

  /** Each sort once: what is written twice is meant. */
  #slip(at: number): boolean {
    const random = this.#random;
    const before = this.#between('sheet-write', 'sheet-read');
    const tab = random.pick(['Visits', 'Visits', 'Contacts'] as const);
    const kind = random.pick(['sort-column', 'fill-down', 'cut'] as const);
    if (this.#once.has(kind)) return false;
    this.#once.add(kind);
    const nth = random.below(20);
    if (kind === 'fill-down') return this.#add(at, { do: kind, tab, nth, over: 1 + random.below(6) }, before);
    if (kind === 'cut') return this.#add(at, { do: kind, tab, nth, to: random.below(20) }, before);
    const descending = random.below(2) === 0;
    return this.#add(at, { do: kind, tab, column: random.pick(SORTED[tab]), descending }, before);
  }

  #inTeam(at: number): boolean {
    const random = this.#random;
    const before = this.#between('calendar-write', 'calendar-read', 'platform-write');
    const dice = random.below(14);
    if (dice === 0) {
      this.#add(at, { do: 'unshare-calendar', in: 'team' });
      return this.#add(at + 500 + random.below(6_000), { do: 'share-calendar', in: 'team' });
    }
    if (dice === 1) return this.#add(at, { do: 'expire-sync', in: 'team' });
    const known = new Set(this.acts.flatMap((act) => ('as' in act && act.at < at ? [act.as] : [])));
    const who = this.#changed(
      (['A', 'W', 'R'] as const).flatMap((kind) => this.#names[kind]).filter((name) => known.has(name)),
    );
    if (who === undefined) return false;
    if (dice < 5) return this.#add(at, { do: 'drag', who, slot: this.#free(), inTeam: true }, before);
    if (dice < 7)
      return this.#add(at, { do: 'hand-over', who, to: random.pick(PEOPLE), inTeam: true }, before);
    if (dice === 7)
      return this.#add(
        at,
        { do: 'hand-over', who, to: random.pick(['home', 'room'] as const), inTeam: true },
        before,
      );
    if (dice < 10) return this.#add(at, { do: 'hand-over', who, to: 'team' }, before);
    if (dice < 12) return this.#add(at, { do: 'delete-event', who, inTeam: true }, before);
    const deeds: readonly Deed[] = [
      { do: 'retitle', who, inTeam: true },
      { do: 'all-day', who, inTeam: true },
      { do: 'recolour', who, color: random.pick(['1', '3', '6', '9'] as const), inTeam: true },
      { do: 'remind', who, minutes: 5 + random.below(120), inTeam: true },
    ];
    return this.#add(at, random.pick(deeds), before);
  }

  #add(at: number, deed: Deed, before?: Moment): true {
    this.acts.push({ at, ...deed, ...(before !== undefined && { before }) });
    return true;
  }

  #new(kind: Names): string {
    const name = `${kind}${this.#names[kind].length + 1}`;
    this.#names[kind].push(name);
    return name;
  }

  #some(...kinds: Names[]): string | undefined {
    const all = kinds.flatMap((kind) => this.#names[kind]);
    return all.length === 0 ? undefined : this.#random.pick(all);
  }

  /** Something that may still be changed without being stopped as a loop. */
  #changeable(...kinds: Names[]): string | undefined {
    return this.#changed(kinds.flatMap((kind) => this.#names[kind]));
  }

  #changed(all: readonly string[]): string | undefined {
    const free = all.filter((name) => (this.#changes.get(name) ?? 0) < CHANGES_OF_ONE_MAX);
    if (free.length === 0 || (this.#settings.notify && this.#mailed >= MAILED_CHANGES_MAX)) return undefined;
    const name = this.#random.pick(free);
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
    this.#mailed += 1;
    return name;
  }

  #free(): number {
    this.#slot += 1;
    return this.#slot;
  }

  /** Some hands come exactly between two calls of the worker. */
  #between(...moments: Moment[]): Moment | undefined {
    return this.#random.below(3) === 0 ? this.#random.pick(moments) : undefined;
  }

  #book(): Deed {
    return {
      do: 'book',
      as: this.#new('A'),
      slot: this.#free(),
      service: this.#random.below(4) === 0 ? 'massage' : 'haircut',
      with: this.#random.pick(PEOPLE),
    };
  }

  #onto(): { onto?: string } {
    const onto = this.#random.below(8) === 0 ? this.#some('A') : undefined;
    return onto === undefined ? {} : { onto };
  }

  #drop(): Deed {
    const onto = this.#onto();
    return { do: 'drop', as: this.#new('W'), in: this.#random.pick(PEOPLE), slot: this.#free(), ...onto };
  }

  #typeRow(ready: boolean): Deed {
    const onto = this.#onto();
    return {
      ...{ do: 'type-row', as: this.#new('R'), slot: this.#free(), with: this.#random.pick(PEOPLE) },
      ...{ ready, ...onto },
    };
  }

  book = (at: number): boolean => this.#add(at, this.#book());

  reschedule = (at: number): boolean => {
    const who = this.#changeable('A', 'A', 'W', 'R');
    if (who === undefined) return false;
    const other = this.#random.below(2) === 0 ? { with: this.#random.pick(PEOPLE) } : {};
    const before = this.#between('calendar-write', 'platform-write', 'sheet-write');
    return this.#add(at, { do: 'reschedule', who, slot: this.#free(), ...other }, before);
  };

  cancel = (at: number): boolean => {
    const who = this.#some('A', 'A', 'W', 'R');
    const before = this.#between('calendar-write', 'platform-write');
    return who === undefined ? false : this.#add(at, { do: 'cancel', who }, before);
  };

  contacts = (at: number): boolean => {
    const dice = this.#random.below(8);
    const who = this.#some('P');
    const into = this.#some('P');
    if (dice < 3 || who === undefined || into === undefined)
      return this.#add(at, { do: 'contact', as: this.#new('P') });
    if (dice < 6)
      return this.#add(at, { do: 'rename-contact', who, to: `Renamed ${this.#random.below(1_000)}` });
    if (dice === 6 && who !== into) return this.#add(at, { do: 'merge-contacts', who, into });
    return this.#add(at, { do: 'delete-contact', who });
  };

  drag = (at: number): boolean => {
    const who = this.#changeable('A', 'A', 'W', 'R');
    if (who === undefined) return false;
    const room = this.#random.below(8) === 0 ? { inRoom: true } : {};
    const before = this.#between('calendar-write', 'calendar-read', 'platform-write');
    return this.#add(at, { do: 'drag', who, slot: this.#free(), ...room }, before);
  };

  handOver = (at: number): boolean => {
    const who = this.#changeable('A', 'A', 'W', 'R');
    if (who === undefined) return false;
    const dice = this.#random.below(14);
    const to: Place = dice === 0 ? 'home' : dice === 1 ? 'room' : this.#random.pick(PEOPLE);
    const before = this.#between('calendar-write', 'calendar-read', 'platform-write');
    return this.#add(at, { do: 'hand-over', who, to }, before);
  };

  deleteEvent = (at: number): boolean => {
    if (this.#deletions >= DELETIONS_MAX) return false;
    const who = this.#changeable('A', 'A', 'W', 'R');
    if (who === undefined) return false;
    this.#deletions += 1;
    const room = this.#random.below(6) === 0 ? { inRoom: true } : {};
    this.#add(at, { do: 'delete-event', who, ...room }, this.#between('calendar-write', 'platform-write'));
    if (this.#random.below(3) === 0)
      this.#add(at + 300 + this.#random.below(4_000), { do: 'restore-event', who });
    return true;
  };

  eventTexts = (at: number): boolean => {
    const who = this.#some('A', 'W', 'R');
    if (who === undefined) return false;
    const dice = this.#random.below(6);
    if (dice === 0) return this.#add(at, { do: 'retitle', who });
    if (dice === 1) return this.#add(at, { do: 'all-day', who });
    if (dice === 2) return this.#add(at, { do: 'copy-event', who });
    const before = this.#between('calendar-write');
    if (dice === 3)
      return this.#add(
        at,
        { do: 'recolour', who, color: this.#random.pick(['1', '3', '6', '9'] as const) },
        before,
      );
    return this.#add(at, { do: 'remind', who, minutes: 5 + this.#random.below(120) }, before);
  };

  ownEvent = (at: number): boolean =>
    this.#add(at, {
      do: 'own-event',
      as: this.#new('O'),
      in: this.#random.pick(PEOPLE),
      slot: this.#free(),
    });

  drop = (at: number): boolean => this.#add(at, this.#drop());

  invite = (at: number): boolean => {
    const known = this.#random.below(2) === 0 ? this.#some('W', 'R') : undefined;
    return this.#add(at, {
      ...{ do: 'invite', as: this.#new('X'), in: this.#random.pick(PEOPLE), slot: this.#free() },
      ...{ asBooking: this.#random.below(3) > 0, editable: this.#random.below(2) === 0 },
      ...(known !== undefined && { phoneOf: known }),
    });
  };

  unshareCalendar = (at: number): boolean => {
    const place = this.#random.pick([...PEOPLE, 'room'] as const);
    this.#add(at, { do: 'unshare-calendar', in: place });
    return this.#add(at + 500 + this.#random.below(6_000), { do: 'share-calendar', in: place });
  };

  typeRow = (at: number): boolean => {
    const isReady = this.#random.below(4) > 0;
    const deed = this.#typeRow(isReady);
    this.#add(at, deed, this.#between('sheet-write'));
    if (!isReady && this.#random.below(3) > 0 && 'as' in deed)
      this.#add(at + 500 + this.#random.below(3_000), { do: 'tick-ready', who: deed.as });
    return true;
  };

  rowChange = (at: number): boolean => {
    const who = this.#changeable('R');
    if (who === undefined) return false;
    const before = this.#between('sheet-write', 'sheet-read', 'platform-write');
    const dice = this.#random.below(10);
    if (dice < 2) return this.#add(at, { do: 'tick-cancel', who }, before);
    if (dice < 6) return this.#add(at, { do: 'change-start', who, slot: this.#free() }, before);
    if (dice < 7) return this.#add(at, { do: 'change-person', who, with: this.#random.pick(PEOPLE) }, before);
    return this.#add(at, { do: 'empty-id', who }, before);
  };

  rowCopy = (at: number): boolean => {
    const who = this.#some('R');
    if (who === undefined) return false;
    if (this.#random.below(3) === 0)
      this.#add(at - this.#random.below(300), { do: 'change-start', who, slot: this.#free() });
    this.#add(at, { do: 'copy-row', who }, this.#between('sheet-write'));
    const dice = this.#random.below(5);
    if (dice < 4)
      this.#add(at + 1 + this.#random.below(dice < 2 ? 5 : 3_000), {
        ...{ do: 'type-over', who, as: this.#new('R'), slot: this.#free() },
        which: this.#random.pick(['upper', 'lower'] as const),
      });
    return true;
  };

  deleteRow = (at: number): boolean => {
    const who = this.#some('R');
    return who === undefined ? false : this.#add(at, { do: 'delete-row', who }, this.#between('sheet-write'));
  };

  tabs = (at: number): boolean => {
    const tab: TabName = this.#random.pick(['Visits', 'Contacts', 'Intake', 'Intake'] as const);
    const descending = this.#random.below(2) === 0;
    const before = this.#between('sheet-write', 'sheet-read');
    const dice = this.#random.below(8);
    if (dice < 4)
      return this.#add(at, { do: 'sort', tab, column: this.#random.pick(SORTED[tab]), descending }, before);
    if (dice < 6) return this.#add(at, { do: 'insert-row', tab, row: 2 + this.#random.below(5) }, before);
    if (tab === 'Intake') return false;
    const deed = dice === 6 ? 'delete-line' : 'overtype';
    return this.#add(at, { do: deed, tab, nth: this.#random.below(20) }, before);
  };

  note = (at: number): boolean => {
    const who = this.#some('A', 'W', 'R');
    return who === undefined
      ? false
      : this.#add(at, { do: 'note', who, word: `ask ${this.#random.below(1_000)}` });
  };

  header = (at: number): boolean => {
    const tab: TabName = this.#random.pick(['Visits', 'Contacts', 'Intake'] as const);
    const column = this.#random.pick(SORTED[tab]);
    this.#add(at, { do: 'rename-header', tab, column });
    return this.#add(at + 300 + this.#random.below(5_000), { do: 'header-back', tab, column });
  };

  unshareSheet = (at: number): boolean => {
    this.#add(at, { do: 'unshare-sheet' });
    return this.#add(at + 500 + this.#random.below(4_000), { do: 'share-sheet' });
  };

  fault = (at: number): boolean => {
    const side = this.#random.pick(['google', 'google', 'platform'] as const);
    const fault = this.#random.pick(FAULTS[side]);
    const isQuota = /rate|many|429/.test(fault);
    const on =
      this.#random.below(2) === 0
        ? this.#random.pick(
            side === 'platform'
              ? (['platform-write'] as const)
              : (['calendar-read', 'calendar-write', 'sheet-read', 'sheet-write'] as const),
          )
        : undefined;
    this.#add(at, {
      ...{ do: 'fault', side, fault, share: this.#random.pick([0.2, 0.5, 1] as const) },
      ...{ times: isQuota ? 1 : 1 + this.#random.below(8), ms: 100 + this.#random.below(1_500) },
      ...(on !== undefined && { on }),
    });
    return this.#add(at + 500 + this.#random.below(4_000), { do: 'lift', side });
  };

  deliveries = (at: number): boolean => {
    const hold = this.#random.below(3) === 0;
    this.#add(at, {
      ...{ do: 'deliveries', lose: this.#random.pick([0, 0.3, 1] as const) },
      ...{ double: this.#random.pick([0, 0.5] as const), delayMs: this.#random.below(1_500) },
      ...(hold && { hold }),
    });
    return hold ? this.#add(at + 500 + this.#random.below(3_000), { do: 'release-deliveries' }) : true;
  };

  rareFault = (at: number): boolean => {
    const kind = this.#random.pick([
      ...(['endpoint-off', 'expire-sync', 'expire-sync', 'revoke-tokens', 'revoke-grants'] as const),
      ...(['quotas-google', 'quotas-platform'] as const),
    ]);
    if (kind === 'expire-sync')
      return this.#add(at, { do: kind, in: this.#random.pick([...PEOPLE, 'room'] as const) });
    if (kind === 'revoke-tokens') return this.#add(at, { do: kind });
    // What takes a minute to get over, for it is counted by the minute, is kept rare.
    if (this.#once.size > 0) return false;
    this.#once.add(kind);
    if (kind === 'endpoint-off') return this.#add(at, { do: kind });
    if (kind === 'revoke-grants') {
      this.#add(at, { do: kind });
      return this.#add(at + 300 + this.#random.below(2_000), { do: 'restore-grants' });
    }
    this.#add(at, { do: 'tighten-quotas', of: kind === 'quotas-google' ? 'google' : 'platform' });
    return this.#add(at + 500 + this.#random.below(1_500), { do: 'loosen-quotas' });
  };

  machine = (at: number): boolean => {
    const worker = this.#random.below(this.#settings.workers);
    const downMs = this.#random.pick([0, 300, 1_500] as const);
    const kind = this.#random.pick(['restart', 'restart', 'kill', 'kill', 'freeze'] as const);
    const count = [...this.acts].filter(({ do: what }) => what === 'restart' || what === 'kill').length;
    if (kind === 'freeze')
      return this.#add(at, { do: 'freeze', worker, ms: 300 + this.#random.below(4_000) });
    if (count > 3) return false;
    return this.#add(at, { do: kind, worker, downMs });
  };

  redis = (at: number): boolean => {
    if (this.acts.some(({ do: what }) => what.startsWith('redis-'))) return false;
    const downMs = 100 + this.#random.below(1_500);
    switch (this.#random.below(6)) {
      case 0:
      case 1:
        return this.#add(at, { do: 'redis-kill', loseBytes: 0, downMs });
      case 2:
        return this.#add(at, { do: 'redis-kill', loseBytes: 1 + this.#random.below(6_000), downMs });
      case 3:
        return this.#add(at, { do: 'redis-wipe' });
      case 4:
        return this.#add(at, { do: 'redis-full', ms: 300 + this.#random.below(2_500) });
      default:
        return this.#add(at, { do: 'redis-freeze', ms: 300 + this.#random.below(2_500) });
    }
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** By how much a wall clock is wrong. None takes an hour of the plan into the past. */
const CLOCK_STEPS_MS = [-3 * HOUR_MS, -20 * MINUTE_MS, -90_000, 90_000, 20 * MINUTE_MS, 3 * HOUR_MS] as const;

/** Columns by which people sort, named as in row 1. */
const SORTED: Readonly<Record<TabName, readonly string[]>> = {
  Visits: ['ID', 'Start', 'Who', 'Status'],
  Contacts: ['ID', 'Name', 'Phone'],
  Intake: ['Name', 'Start', 'With', 'Booking', 'Status'],
};

/** How often each kind of act is chosen, in relation to the others. */
const DECK: readonly (readonly [
  share: number,
  act: (this: Writer, at: number, random: Random) => boolean,
])[] = [
  ...(
    [
      [8, 'book'],
      [5, 'reschedule'],
      [2, 'cancel'],
      [3, 'contacts'],
      [8, 'drag'],
      [8, 'handOver'],
      [3, 'deleteEvent'],
      [5, 'eventTexts'],
      [1, 'ownEvent'],
      [5, 'drop'],
      [3, 'invite'],
      [1.5, 'unshareCalendar'],
      [7, 'typeRow'],
      [6, 'rowChange'],
      [3, 'rowCopy'],
      [1, 'deleteRow'],
      [7, 'tabs'],
      [2, 'note'],
      [1, 'header'],
      [0.7, 'unshareSheet'],
      [5, 'fault'],
      [2, 'deliveries'],
      [1, 'rareFault'],
      [3, 'machine'],
      [1.5, 'redis'],
    ] as const
  ).map(
    ([share, name]) =>
      [
        share,
        function (this: Writer, at: number) {
          return this[name](at);
        },
      ] as const,
  ),
];
