// Handles a claim with sightings. Decides about each change by people, carries it to the platform where the mapping allows that, and
// records it in the links. The mirrors then write the rest. Every step can be repeated after a death.
import { asWorkerError, WorkerError } from '../../domain/errors.ts';
import { isEventIdOf } from '../../domain/event-id.ts';
import { type CalendarLink, openEdit, opened } from '../../domain/link.ts';
import type { SeenEvent } from '../../domain/seen-event.ts';
import type { Claim } from '../../domain/work.ts';
import type { Carried, EditCarrier } from '../../ports/bookings.ts';
import type { LinkStore } from '../../ports/calendars.ts';
import type { WorkStore } from '../../ports/work.ts';
import { editedAppointment } from './appointment.ts';
import { decided, foundLink, strayLink, toPutBack, withoutDeletion } from './decided-link.ts';
import { EditHandling, type HandlingParts, waiting } from './handling.ts';
import { HeldClaim, isSameEvent } from './held-claim.ts';
import { type Edit, homesOf, isCalendarOf, straysOf, undecidedEdits } from './search.ts';

export interface EditCarrierParts extends HandlingParts {
  readonly work: Pick<WorkStore, 'refresh'>;
  readonly links: Pick<LinkStore, 'write'>;
}

export function createEditCarrier(parts: EditCarrierParts): EditCarrier {
  return {
    async carry(claim) {
      if (!hasEdits(claim)) return { claim, failures: [] };
      return new Turn(parts, claim).run();
    },
  };
}

function hasEdits({ key, snapshot, deleted, sightings, links }: Claim): boolean {
  if ((key.kind !== 'appointment' && key.kind !== 'class') || deleted || snapshot === undefined) return false;
  if (sightings.length > 0) return true;
  return Object.values(links).some(({ calendars = [] }) =>
    calendars.some((link) => openEdit(link) !== undefined),
  );
}

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
      if (error.code === 'fenced') throw error;
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
        const homes = homesOf(this.#held, mirrors, eventId);
        const home = await this.#missingFrom(homes);
        if (home !== undefined && !this.#isOfSecond(calendarId)) {
          arrivals.push({ ...home, arrived: { calendarId, event } });
          continue;
        }
        // No other place is known, or the appointment belongs here: this is the mirror's own event, whose link was lost.
        if (this.#isShownIn(calendarId) || (homes.length === 0 && !this.#standsAnew(eventId))) {
          await this.#held.put(mirror.name, foundLink(at, event));
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

  /** An event that people brought here earlier. It no longer says anything about the appointment. */
  async #lookAtStray({ mirror, link }: Edit): Promise<void> {
    const { events, clock, mirrors } = this.#parts;
    const seen = await events.read(link.calendarId, link.eventId);
    if (seen === 'absent' || !seen.isLive) return this.#held.drop(mirror.name, link);
    const homes = homesOf(this.#held, mirrors, link.eventId);
    const open = openEdit(link);
    if (open !== undefined) {
      const home = await this.#missingFrom(homes);
      if (home !== undefined)
        return this.#handling.handle({ ...home, arrived: { calendarId: link.calendarId, event: seen } });
      const untilMs = open.sinceMs + mirror.staffEdits.graceMs;
      if (clock.now() < untilMs) throw waiting(untilMs - clock.now());
    }
    const { leftAt } = link;
    if (leftAt !== undefined) return this.#held.put(mirror.name, { ...decided(link, seen), leftAt });
    // The other calendar may be slow to show that this event was dragged out of it, so its absence there will prove nothing.
    for (const home of homes)
      await this.#held.put(home.mirror.name, { ...withoutDeletion(home.link), ...this.#cameLate(home) });
    await this.#held.put(mirror.name, toPutBack(link, seen, undefined));
  }

  /** The note says where the appointment is to whoever dragged the event. */
  #cameLate({ mirror }: Edit): Pick<CalendarLink, 'note'> {
    const appointment = this.#appointment();
    if (appointment === undefined || mirror.staffEdits.moved !== 'reschedule') return {};
    const code = 'moved-late';
    return { note: { code, text: this.#parts.words[code], of: appointment.standing } };
  }

  async #missingFrom(homes: readonly Edit[]): Promise<Edit | undefined> {
    for (const home of homes) {
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

  /** Whether the appointment belongs in this calendar, as far as known. */
  #isShownIn(calendarId: string): boolean {
    const appointment = this.#appointment();
    return (
      appointment !== undefined && isCalendarOf(appointment.resourceIds, calendarId, this.#parts.mirrors)
    );
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
