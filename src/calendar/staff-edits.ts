import { type Language, NOTE_WORDS, refusalText } from '../engine/booking-answer.ts';
import type { Carried, EditCarrier } from '../engine/carriers.ts';
import { editedAppointment, secondOf } from '../engine/decide-edit.ts';
import { asWorkerError, isFenced, WorkerError } from '../engine/errors.ts';
import { isEventIdOf } from '../engine/ids.ts';
import {
  askedWish,
  type CalendarLink,
  linkAsWritten,
  type MirrorLinks,
  openEdit,
  opened,
  writtenPlace,
} from '../engine/link.ts';
import { isSameEvent, type LinkStore } from '../engine/link-store.ts';
import { type CalendarMirror, calendarIdsOf, filtersByCustomer, type StaffEdits } from '../engine/mirror.ts';
import { endsAt } from '../engine/moments.ts';
import type { Snapshot } from '../engine/object.ts';
import { entryOf } from '../engine/origin.ts';
import type { BookingSource, SeenEvent } from '../engine/outside-booking.ts';
import type { KnownCustomer } from '../engine/person.ts';
import type { DirectorySource } from '../engine/platform.ts';
import { hasEdits } from '../engine/reconcile.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';
import type { WorkStore } from '../engine/work-store.ts';
import type { CustomerOf } from '../mapping/filter-lines.ts';
import { isInTime, takesAppointment } from '../mapping/route.ts';
import { classEdits, classOf, showsClass, takenBy } from './class-target.ts';
import { EditHandling, type HandlingParts, waiting } from './edit-handling.ts';
import {
  type ArrivedEvent,
  decided,
  type Edit,
  type EditedMirror,
  foundLink,
  HeldClaim,
  homesOf,
  isCalendarOf,
  isOwnMove,
  isWrittenThere,
  mirrorAt,
  strayLink,
  straysOf,
  subjectsIn,
  toPutBack,
  undecidedEdits,
  withoutDeletion,
} from './edit-search.ts';

interface EditedMirrorsParts {
  readonly mirrors: readonly CalendarMirror[];
  readonly calendarsOf: (mirror: CalendarMirror) => ReadonlyMap<string, string>;
  readonly customerOf: CustomerOf;
  readonly directory: DirectorySource;
  readonly clock: Clock;
}

/** What the calendar mirrors say about changes to the events of one claim. `staffEdits` overrides a mirror's own rules, by mirror name. */
export function createEditedMirrors({ mirrors, ...parts }: EditedMirrorsParts) {
  const asksForCustomer = filtersByCustomer(mirrors);
  const customerOf = asksForCustomer ? parts.customerOf : undefined;
  return async (claim: Claim, staffEdits: Readonly<Record<string, StaffEdits>> = {}) => {
    const customer = claim.snapshot && (await customerOf?.(claim.snapshot));
    return mirrors.map((mirror) =>
      editedMirror(mirror, { ...parts, customerOf, customer, claim, staffEdits }),
    );
  };
}

function editedMirror(
  mirror: CalendarMirror,
  parts: Pick<EditedMirrorsParts, 'calendarsOf' | 'directory' | 'clock'> & {
    readonly customerOf: CustomerOf | undefined;
    readonly customer: KnownCustomer | undefined;
    readonly claim: Claim;
    readonly staffEdits: Readonly<Record<string, StaffEdits>>;
  },
) {
  const { claim, staffEdits, directory, customer, customerOf } = parts;
  const { name, where } = mirror;
  const isClass = claim.key.kind === 'class';
  const around = (linked: boolean) => {
    return { nowMs: parts.clock.now(), linked, directory: directory.current(), customer };
  };
  const keeps = (snapshot: Snapshot) =>
    takesAppointment(where, snapshot, around(true)) &&
    classOf([mirror.classes], { ...claim, snapshot }, directory.current()) === undefined;
  return {
    name,
    staffEdits: isClass ? classEdits(mirror) : (staffEdits[name] ?? mirror.staffEdits),
    resolved: () => parts.calendarsOf(mirror),
    calendars: calendarIdsOf(mirror),
    takes: (snapshot: Snapshot) => takesAppointment(where, snapshot, around(false)),
    async showsAll(members: readonly Snapshot[], startMs: number) {
      const there = members.map((member) => ({ ...member, starts_at: new Date(startMs).toISOString() }));
      if (!there.every((member) => isInTime(where, member, around(false)))) return false;
      const taken = await takenBy({ mirror, directory, ...(customerOf && { customerOf }) }, members, true);
      return taken.length === members.length;
    },
    keeps: (snapshot: Snapshot) => (isClass ? showsClass(mirror, claim, directory) : keeps(snapshot)),
  };
}

// Handles a claim with sightings. Decides about each change by people, carries it to the platform where the mapping allows that, and
// records it in the links. The mirrors then write the rest. Every step can be repeated after a death.

interface EditCarrierParts extends HandlingParts {
  readonly work: Pick<WorkStore, 'refresh' | 'newest'>;
  readonly links: Pick<LinkStore, 'write'>;
}

export function createEditCarrier(parts: EditCarrierParts): EditCarrier {
  return {
    async carry(claim) {
      if (!hasEdits(claim)) return { claim, failures: [] };
      const mirrors = [...parts.mirrors, ...mirrorsLeft(parts.mirrors, claim)];
      return new Turn({ ...parts, mirrors }, claim).run();
    },
  };
}

/** Mirrors that have left the YAML in the middle of a move of a class. It is carried to its end: all who come are moved, or nobody is. */
function mirrorsLeft(mirrors: readonly EditedMirror[], { links }: Claim): readonly EditedMirror[] {
  const isLeft = ([name, { calendars = [] }]: [string, MirrorLinks]) =>
    calendars.some((link) => askedWish(link)?.classMove !== undefined) &&
    !mirrors.some((mirror) => mirror.name === name);
  return Object.entries(links)
    .filter(isLeft)
    .map(([name]) => ({
      ...{ name, calendars: [], resolved: () => new Map(), staffEdits: LET_BE },
      ...{ takes: () => false, keeps: () => false, showsAll: async () => false },
    }));
}
const LET_BE: StaffEdits = {
  ...{ moved: 'ignore', deleted: 'ignore', conflict: 'platform', graceMs: 0, notifyCustomer: false },
};

/** One handler's turn for the changes of one appointment. */
class Turn {
  readonly #parts: EditCarrierParts;
  readonly #held: HeldClaim;
  readonly #handling: EditHandling;
  readonly #failures: { mirror: string; place?: string; error: WorkerError }[] = [];

  constructor(parts: EditCarrierParts, claim: Claim) {
    this.#parts = parts;
    this.#held = new HeldClaim(parts, claim);
    this.#handling = new EditHandling(parts, this.#held);
  }

  async run(): Promise<Carried> {
    const { mirrors } = this.#parts;
    const edits = undecidedEdits(this.#held, mirrors);
    const isFinished = await this.#guarded(edits, () => this.#handling.finishBegun());
    if (isFinished) {
      const arrivals = await this.#arrivals();
      const isArrival = ({ link }: Edit) => arrivals.some((each) => isSameEvent(each.link, link));
      for (const edit of [...arrivals, ...edits.filter((each) => !isArrival(each))]) {
        await this.#guarded([edit], () =>
          edit.link.event.is === 'strayed' ? this.#lookAtStray(edit) : this.#handling.handle(edit),
        );
      }
    }
    return { claim: this.#held.claim, failures: this.#failures };
  }

  /** Keeps an undecided change open, so that the mirror does not write over it. Returns false when `work` failed. */
  async #guarded(edits: readonly Edit[], work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      const error = asWorkerError(thrown);
      if (isFenced(error)) throw error;
      for (const { mirror, link } of edits) {
        if (this.#isGivenUp(link.calendarId, error)) {
          await this.#handling.giveUp(mirror, this.#handling.current(mirror, link));
          continue;
        }
        this.#failures.push({ mirror: mirror.name, place: link.calendarId, error });
        await this.#handling.keepOpen(mirror, this.#handling.current(mirror, link));
      }
      if (edits.length === 0) this.#failures.push({ mirror: '*', error });
      return false;
    }
  }

  /** The calendar stays closed until somebody names it again in the YAML, so there is nothing to wait for. */
  #isGivenUp(calendarId: string, { code, target }: WorkerError): boolean {
    const { isNamed, isCalendarDenied: isClosed } = this.#parts;
    return isClosed(code) && target === `calendar:${calendarId}` && !isNamed(calendarId);
  }

  /** Events that people moved to other calendars, with the links from which they are missing. */
  async #arrivals(): Promise<readonly Edit[]> {
    const { mirrors, clock, isNamed } = this.#parts;
    const arrivals: Edit[] = [];
    await this.#guarded([], async () => {
      const strays = await straysOf(this.#held, mirrors, { read: (at) => this.#read(at), isNamed });
      for (const { mirror, calendarId, eventId, event } of strays) {
        const at = { calendarId, eventId };
        const known = await this.#missingFrom(homesOf(this.#held, mirrors, eventId));
        const isOfSecond = this.#isOfSecond(calendarId);
        const there = { calendarId, event };
        const isMoved = known !== undefined && !isOfSecond && isOwnMove(this.#held, known.link, there);
        if (isMoved) await this.#held.put(known.mirror.name, withoutDeletion(known.link));
        // A mark of an earlier place says nothing where Redis knows the later one, which the event has left.
        const lost = known === undefined || isMoved ? await this.#linkLost(at, event) : undefined;
        if (lost?.link.calendarId === calendarId) {
          if (openEdit(lost.link) !== undefined) arrivals.push(lost);
          continue;
        }
        const homes = homesOf(this.#held, mirrors, eventId);
        const isKnown = lost === undefined && !isMoved;
        const home = isKnown ? known : await this.#missingFrom(homes, there);
        // A room's event has a derived id: people dragged their own event there, beside it.
        const isBeside = isOfSecond && homes.length > 0 && !isEventIdOf(eventId, this.#held.claim.key.id);
        if (home !== undefined && (isBeside || !isOfSecond)) {
          arrivals.push({ ...home, arrived: { calendarId, event } });
          continue;
        }
        // No other place is known, or the appointment belongs here: this is the mirror's own event, whose link was lost.
        const owners = subjectsIn(calendarId, this.#appointment()?.resourceIds ?? [], mirrors);
        const isOwn = owners.length > 0 && !isBeside;
        if (isOwn || (homes.length === 0 && !this.#standsAnew(eventId))) {
          await this.#held.put(mirror.name, foundLink(at, event, { owners }));
          continue;
        }
        // Both exist: perhaps the calendar that lost the event does not show that yet. Look once more before removing it.
        await this.#held.put(mirror.name, opened(strayLink(at, event), clock.now()));
        this.#failures.push({
          ...{ mirror: mirror.name, place: calendarId },
          error: waiting(mirror.staffEdits.graceMs),
        });
      }
    });
    return arrivals;
  }

  /** Redis lost the link, and the event itself says where the worker wrote it: what people did to it since is decided as ever. */
  async #linkLost(
    at: { readonly calendarId: string; readonly eventId: string },
    { marks, etag, startMs, isColoured: coloured }: SeenEvent,
  ): Promise<Edit | undefined> {
    const { mirrors, clock } = this.#parts;
    const written = writtenPlace(
      marks,
      mirrors.flatMap(({ calendars }) => calendars),
    );
    if (written === undefined) return undefined;
    const mirror = mirrorAt(mirrors, written.calendarId);
    const link = linkAsWritten({ ...at, etag, startMs, coloured }, written, clock.now());
    if (mirror === undefined || link === undefined) return undefined;
    // A link that adoption made after a wipe says on purpose that nobody knows who put the event there.
    const links = mirrors.flatMap(({ name }) => this.#held.links(name));
    if (links.some((each) => isSameEvent(each, link) || isSameEvent(each, at))) return undefined;
    await this.#held.put(mirror.name, link);
    return { mirror, link };
  }

  /** An event that people brought here earlier. It no longer says anything about the appointment. */
  async #lookAtStray({ mirror, link }: Edit): Promise<void> {
    const { events, clock, mirrors } = this.#parts;
    const seen = await events.read(link.calendarId, link.eventId);
    if (seen === 'absent' || !seen.isLive) return this.#held.drop(mirror.name, link);
    const homes = homesOf(this.#held, mirrors, link.eventId);
    const open = openEdit(link);
    const there = { calendarId: link.calendarId, event: seen };
    if (open !== undefined) {
      const home = await this.#missingFrom(homes, there);
      if (home !== undefined) return this.#handling.handle({ ...home, arrived: there });
      const nowMs = clock.now();
      const untilMs = endsAt(open.sinceMs, { forMs: mirror.staffEdits.graceMs, nowMs });
      if (nowMs < untilMs) throw waiting(untilMs - nowMs);
    }
    const { leftAt } = link;
    if (leftAt !== undefined) {
      const home = this.#isNewWish(mirror, link, seen) ? await this.#missingFrom(homes, there) : undefined;
      if (home === undefined) return this.#held.put(mirror.name, { ...decided(link, seen), leftAt });
      return this.#handling.handle({ ...home, arrived: there });
    }
    // The other calendar may be slow to show that this event was dragged out of it, so its absence there will prove nothing.
    for (const home of homes) {
      const note = isWrittenThere(there) ? {} : this.#cameLate(home);
      await this.#held.put(home.mirror.name, { ...withoutDeletion(home.link), ...note });
    }
    await this.#held.put(mirror.name, toPutBack(link, seen, undefined));
  }

  /** The event was let be here, and has since been moved to another hour. */
  #isNewWish({ staffEdits }: Edit['mirror'], { letBe }: CalendarLink, { startMs }: SeenEvent): boolean {
    return staffEdits.moved !== 'ignore' && letBe !== undefined && secondOf(letBe) !== startMs;
  }

  /** The note says where the appointment is to whoever dragged the event. */
  #cameLate({ mirror }: Edit): Pick<CalendarLink, 'note'> {
    const appointment = this.#appointment();
    if (appointment === undefined || mirror.staffEdits.moved !== 'reschedule') return {};
    const code = 'moved-late';
    return { note: { code, text: this.#parts.words[code], of: appointment.standing } };
  }

  /** `there`: where the event is now. */
  async #missingFrom(homes: readonly Edit[], there?: ArrivedEvent): Promise<Edit | undefined> {
    for (const home of homes) {
      if (there !== undefined && isOwnMove(this.#held, home.link, there)) continue;
      const seen = await this.#read(home.link);
      if (seen === 'absent' || seen?.isLive === false) return home;
    }
    return undefined;
  }

  /** Undefined when the calendar is closed and the YAML no longer names it, so no answer will come. */
  async #read({
    calendarId,
    eventId,
  }: Pick<CalendarLink, 'calendarId' | 'eventId'>): Promise<SeenEvent | 'absent' | undefined> {
    try {
      return await this.#parts.events.read(calendarId, eventId);
    } catch (error) {
      if (error instanceof WorkerError && this.#isGivenUp(calendarId, error)) return undefined;
      throw error;
    }
  }

  /** People's own event was missing, and the worker created another one in its place. */
  #standsAnew(eventId: string): boolean {
    const { mirrors } = this.#parts;
    const { key } = this.#held.claim;
    const links = mirrors.flatMap(({ name }) => this.#held.links(name));
    return !isEventIdOf(eventId, key.id) && links.some((link) => isEventIdOf(link.eventId, key.id));
  }

  /** The calendar belongs to a room or a second person: deleting the main resource's event does not move the appointment there. */
  #isOfSecond(calendarId: string): boolean {
    const appointment = this.#appointment();
    const seconds = (appointment?.resourceIds ?? []).filter((id) => id !== appointment?.resourceId);
    return isCalendarOf(seconds, calendarId, this.#parts.mirrors);
  }

  #appointment() {
    const { snapshot } = this.#held.claim;
    return snapshot && editedAppointment(snapshot);
  }
}

/** An appointment booked in a calendar may have other rules and another language than the calendar's other events. */
export function createEventCarrier(
  parts: Omit<EditCarrierParts, 'mirrors' | 'words' | 'refusalText'> & {
    readonly bookings: readonly BookingSource[];
    /** Used where the booking has no language of its own. */
    readonly language: Language;
    readonly mirrorsFor: (
      claim: Claim,
      staffEdits: Readonly<Record<string, StaffEdits>> | undefined,
    ) => Promise<readonly EditedMirror[]>;
  },
): EditCarrier {
  const { bookings, mirrorsFor, ...shared } = parts;
  const resourceName = (id: string) => shared.directory.current().resources.get(id)?.name;
  return {
    async carry(claim) {
      const booking = claim.snapshot && entryOf(bookings, claim.snapshot);
      const language = booking?.language ?? parts.language;
      return createEditCarrier({
        ...shared,
        mirrors: await mirrorsFor(claim, booking?.staffEdits),
        words: NOTE_WORDS[language],
        refusalText: (refusal) => refusalText(refusal, { language, zone: 'UTC', resourceName }),
      }).carry(claim);
    },
  };
}
