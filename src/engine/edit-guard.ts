import type { CalendarEvents } from './calendar-events.ts';
import { TerminalError } from './errors.ts';
import { holdsApproval } from './held-rows.ts';
import type { Memory } from './memory.ts';
import { contentHash } from './object.ts';
import type { Tally } from './problem-board.ts';
import type { Clock } from './runtime.ts';

/** Deletions in one calendar that pass without a question. */
const DELETIONS_MAX = 5;
/** Share of a calendar's upcoming events that may be deleted together: more is rarely meant. */
const DELETED_SHARE_MAX = 0.25;
const DELETIONS_WINDOW_MS = 60 * 60_000;
/** How long an undecided deletion counts: deletions that wait for a person must not pass by waiting. */
const OPEN_DELETIONS_WINDOW_MS = 35 * 24 * 3_600_000;
/** How often people's changes of one appointment may be carried or put back: more looks like two programs that undo each other. */
const EDITS_MAX = 10;
const EDITS_WINDOW_MS = 10 * 60_000;
/** Customers who may be mailed about staff edits. */
const MAILS_MAX = 20;
const MAILS_WINDOW_MS = 10 * 60_000;
/** Appointments that one address may book by invitations. */
const INVITED_MAX = 10;
const INVITED_WINDOW_MS = 60 * 60_000;

/**
 * Names in the memory. The value says until when a person approved the deletions of a calendar, or the mails; epoch milliseconds as text.
 */
const APPROVED_DELETIONS = 'approved-deletions:';
const APPROVED_MAILS = 'approved-mails';

/** Name of the tally of what people did to an object. */
export function editTally(key: string): string {
  return `edited:${key}`;
}

export interface GuardParts {
  readonly tally: Tally;
  readonly memory: Memory;
  readonly events: Pick<CalendarEvents, 'upcoming'>;
  readonly clock: Clock;
}

/** Stops what no single decision can see: an emptied calendar, two programs that undo each other, a storm of mails. */
export class EditGuard {
  readonly #parts: GuardParts;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /** Counts every deletion when it is first seen, so that one at the end of its grace sees all others. */
  async deletionSeen(calendarId: string, key: string): Promise<number> {
    return this.#parts.tally.count(`deleted:${calendarId}`, key, DELETIONS_WINDOW_MS);
  }

  /** Also counts a deletion that waits for the end of its grace: however late that is, it counts with the others that wait. */
  async deletionWaits(calendarId: string, key: string): Promise<number> {
    const recent = await this.deletionSeen(calendarId, key);
    const open = await this.#parts.tally.count(`deleting:${calendarId}`, key, OPEN_DELETIONS_WINDOW_MS);
    return Math.max(recent, open);
  }

  async deletionUndone(calendarId: string, key: string): Promise<void> {
    await this.#parts.tally.forget(`deleted:${calendarId}`, key);
    await this.deletionDecided(calendarId, key);
  }

  /** The deletion no longer waits. */
  async deletionDecided(calendarId: string, key: string): Promise<void> {
    await this.#parts.tally.forget(`deleting:${calendarId}`, key);
  }

  /** Rejects with `TerminalError` `mass-deletion` (case 50: a calendar emptied by mistake, or by the wrong account). */
  async assertNoMassDeletion(calendarId: string, key: string): Promise<void> {
    const upcoming = () => this.#parts.events.upcoming(calendarId, this.#parts.clock.now());
    if (await this.#isFewOrApproved(calendarId, { key, upcoming })) return;
    throw new TerminalError(
      'mass-deletion',
      'many events were deleted in one calendar: nothing was cancelled',
      {
        target: `calendar:${calendarId}`,
        advice: `Ask whoever keeps the calendar. If the appointments are to be cancelled, run \`slotbridge approve deletions ${calendarId}\` and retry the dead letters; otherwise set staff_edits.deleted to restore.`,
      },
    );
  }

  /** The same for ticks in a mirror's tab. `upcoming`: number of its rows that are still to come. */
  async assertNoMassTicking(mirror: string, key: string, upcoming: () => Promise<number>): Promise<void> {
    if (await this.#isFewOrApproved(mirror, { key, upcoming })) return;
    throw new TerminalError('mass-deletion', 'many rows of one tab were ticked: nothing was cancelled', {
      target: `tab:${mirror}`,
      advice: `Ask the office. If the appointments are to be cancelled, run \`slotbridge approve deletions ${mirror}\` and retry the dead letters; otherwise have the ticks taken out.`,
    });
  }

  /**
   * `mark` identifies one change, not its content: reported twice it counts once, there and back are two. Where changes are seen only every
   * `paceMs`, the window is longer. Rejects with `TerminalError` `edit-loop`.
   */
  async assertNoLoop(key: string, mark: string, paceMs = 0): Promise<void> {
    const windowMs = Math.max(EDITS_WINDOW_MS, 2 * EDITS_MAX * paceMs);
    if ((await this.#parts.tally.count(editTally(key), mark, windowMs)) <= EDITS_MAX) return;
    throw new TerminalError('edit-loop', 'the event or row of this appointment is changed again and again', {
      advice: 'See which other program writes to the calendar or the sheet, stop one of the two, then retry.',
    });
  }

  /** False: this organizer has booked enough by invitations in this hour. Each booking counts once. */
  async mayBeBooked(organizer: string, key: string): Promise<boolean> {
    const { tally } = this.#parts;
    // Hashed, because an address does not belong in the name of a key.
    const name = `invited:${contentHash(organizer.toLowerCase())}`;
    return tally.admit(name, key, { max: INVITED_MAX, windowMs: INVITED_WINDOW_MS });
  }

  /** Rejects with `TerminalError` `mail-storm`. */
  async assertMayMail(key: string, mark: string): Promise<void> {
    const mails = await this.#parts.tally.count('mailed', `${key} ${mark}`, MAILS_WINDOW_MS);
    if (mails <= MAILS_MAX || (await this.#isApproved(APPROVED_MAILS))) return;
    throw new TerminalError(
      'mail-storm',
      'staff changed more appointments at once than customers may be mailed about',
      {
        target: 'platform',
        advice:
          'See whether the changes are meant. If so, run `slotbridge approve mails` and retry the dead letters.',
      },
    );
  }

  async #isFewOrApproved(
    place: string,
    { key, upcoming }: { readonly key: string; readonly upcoming: () => Promise<number> },
  ): Promise<boolean> {
    const deletions = await this.deletionWaits(place, key);
    const isFew =
      deletions <= DELETIONS_MAX ||
      (await this.#isApproved(APPROVED_DELETIONS + place, key)) ||
      deletions <= (deletions + (await upcoming())) * DELETED_SHARE_MAX;
    if (isFew) await this.deletionDecided(place, key);
    return isFew;
  }

  async #isApproved(name: string, key?: string): Promise<boolean> {
    return holdsApproval(await this.#parts.memory.get(name), this.#parts.clock.now(), key);
  }
}
