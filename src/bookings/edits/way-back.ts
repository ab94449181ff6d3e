// A claim with sightings comes in; every change that people made is decided about, carried to the platform where the mapping allows
// it, and recorded in the links. The mirrors then write what is left to write. All of it can be repeated after a death at any step.
import { RetryableError, WorkerError } from '../../domain/errors.ts';
import type { CalendarLink } from '../../domain/link.ts';
import type { Claim } from '../../domain/work.ts';
import type { LinkStore } from '../../ports/link-store.ts';
import type { Carried, WayBack } from '../../ports/way-back.ts';
import type { WorkStore } from '../../ports/work-store.ts';
import { decided, strayLink, toPutBack } from './decided-link.ts';
import { EditHandling, type HandlingParts, waiting } from './handling.ts';
import { HeldClaim, isSameEvent } from './held-claim.ts';
import { type Edit, type EditedMirror, editsOf, straysOf } from './search.ts';

export interface WayBackParts extends HandlingParts {
  readonly work: Pick<WorkStore, 'refresh'>;
  readonly links: Pick<LinkStore, 'write'>;
}

export function createWayBack(parts: WayBackParts): WayBack {
  return {
    async carry(claim) {
      if (!hasEdits(claim)) return { claim, failures: [] };
      return new Turn(parts, claim).run();
    },
  };
}

function hasEdits({ key, snapshot, deleted, sightings, links }: Claim): boolean {
  if (key.kind !== 'appointment' || deleted || snapshot === undefined) return false;
  if (sightings.length > 0) return true;
  return Object.values(links).some(({ calendars = [] }) =>
    calendars.some((link) => link.editSeenAtMs !== undefined),
  );
}

/** One handler's look at the changes of one appointment. */
class Turn {
  readonly #parts: WayBackParts;
  readonly #held: HeldClaim;
  readonly #handling: EditHandling;
  readonly #failures: { mirror: string; error: WorkerError }[] = [];

  constructor(parts: WayBackParts, claim: Claim) {
    this.#parts = parts;
    this.#held = new HeldClaim(parts, claim);
    this.#handling = new EditHandling(parts, this.#held);
  }

  async run(): Promise<Carried> {
    const { mirrors } = this.#parts;
    const edits = editsOf(this.#held, mirrors);
    const isFinished = await this.#guarded(edits, () => this.#handling.finishBegun());
    if (isFinished) {
      const arrivals = await this.#arrivals();
      const isArrival = ({ link }: Edit) => arrivals.some((each) => isSameEvent(each.link, link));
      for (const edit of [...arrivals, ...edits.filter((each) => !isArrival(each))]) {
        await this.#guarded([edit], () =>
          edit.link.strayed ? this.#lookAtStray(edit) : this.#handling.handle(edit),
        );
      }
    }
    return { claim: this.#held.claim, failures: this.#failures };
  }

  /** A change that cannot be decided is kept open, so that the mirror does not write over it. False when it failed. */
  async #guarded(edits: readonly Edit[], work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      const error = asWorkerError(thrown);
      if (error.code === 'fenced') throw error;
      for (const { mirror, link } of edits) {
        this.#failures.push({ mirror: mirror.name, error });
        await this.#handling.keepOpen(mirror, this.#handling.current(mirror, link));
      }
      if (edits.length === 0) this.#failures.push({ mirror: '*', error });
      return false;
    }
  }

  /** Events that people moved to other calendars, with the links from which they are missing. */
  async #arrivals(): Promise<readonly Edit[]> {
    const { mirrors, events, clock } = this.#parts;
    const arrivals: Edit[] = [];
    await this.#guarded([], async () => {
      for (const { mirror, calendarId, eventId, event } of await straysOf(this.#held, mirrors, events)) {
        const homes = this.#homesOf(mirror, eventId);
        const home = await this.#missingFrom(homes);
        if (home !== undefined) {
          arrivals.push({ mirror, link: home, arrived: { calendarId, event } });
          continue;
        }
        const link = strayLink({ calendarId, eventId }, event);
        // Both stand: perhaps the calendar that lost it does not know yet. It is looked at once more before it is taken away.
        const isInDoubt = homes.length > 0;
        await this.#held.put(mirror.name, isInDoubt ? { ...link, editSeenAtMs: clock.now() } : link);
        if (isInDoubt)
          this.#failures.push({ mirror: mirror.name, error: waiting(mirror.staffEdits.graceMs) });
      }
    });
    return arrivals;
  }

  /** An event that people brought here earlier. It is nobody's wish about the visit any more. */
  async #lookAtStray({ mirror, link }: Edit): Promise<void> {
    const { events, clock } = this.#parts;
    const seen = await events.read(link.calendarId, link.eventId);
    if (seen === 'absent' || !seen.isLive) return this.#held.drop(mirror.name, link);
    if (link.editSeenAtMs !== undefined) {
      const home = await this.#missingFrom(this.#homesOf(mirror, link.eventId));
      if (home !== undefined)
        return this.#handling.handle({
          mirror,
          link: home,
          arrived: { calendarId: link.calendarId, event: seen },
        });
      const untilMs = link.editSeenAtMs + mirror.staffEdits.graceMs;
      if (clock.now() < untilMs) throw waiting(untilMs - clock.now());
    }
    const { leftAt } = link;
    if (leftAt !== undefined) return this.#held.put(mirror.name, { ...decided(link, seen), leftAt });
    await this.#held.put(mirror.name, toPutBack(link, seen, undefined));
  }

  #homesOf(mirror: EditedMirror, eventId: string): readonly CalendarLink[] {
    return this.#held.links(mirror.name).filter((link) => link.eventId === eventId && !link.strayed);
  }

  async #missingFrom(homes: readonly CalendarLink[]): Promise<CalendarLink | undefined> {
    for (const home of homes) {
      const seen = await this.#parts.events.read(home.calendarId, home.eventId);
      if (seen === 'absent' || !seen.isLive) return home;
    }
    return undefined;
  }
}

/** A defect of ours is told by the kind of error only: its text may hold anything. */
function asWorkerError(error: unknown): WorkerError {
  if (error instanceof WorkerError) return error;
  const kind = error instanceof Error ? error.name : typeof error;
  return new RetryableError('unexpected', `unexpected ${kind}`, { cause: error });
}
