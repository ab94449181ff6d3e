// Continues erasures that were begun and not ended: their command was killed, a place could not be written, or the worker itself requested
// them.

import { counted } from '../../engine/counts.ts';
import {
  APPROVED_ERASURES,
  PARKED_ERASURE,
  PARKED_ERASURES,
  readParkedErasure,
} from '../../engine/edit-guard.ts';
import type { ErasureOrder } from '../../engine/erasure.ts';
import { isLimit } from '../../engine/errors.ts';
import type { Memory } from '../../engine/memory.ts';
import { endsAt } from '../../engine/moments.ts';
import type { ProblemBoard } from '../../engine/problem-board.ts';
import type { Log } from '../../engine/runtime.ts';
import { type ForgetOutcome, type ForgetParts, resumeForget } from './forget.ts';
import { MASS_ERASURE } from './forget-deleted.ts';

const TARGET = 'erasure';
/** Pause after an unfinished try: each try reads every calendar and every sheet, and causes are rarely fixed within minutes. */
const UNFINISHED_PAUSE_MS = 15 * 60_000;
/** Pause after a try that only met request limits, whose windows are a minute. */
const LIMITED_PAUSE_MS = 60_000;

export interface ResumeParts {
  readonly forgetting: ForgetParts;
  readonly problems: Pick<ProblemBoard, 'list' | 'raise' | 'clear'>;
  readonly memory: Pick<Memory, 'get' | 'all' | 'forget'>;
  readonly log: Log;
}

/** Takes up open erasures one after the other. One that was left unfinished is not tried again before the pause has passed. */
export class ErasureResumer {
  readonly #parts: ResumeParts;
  /** Contact to the time of its last try, epoch ms, and the pause after it. */
  readonly #paused = new Map<string, { readonly sinceMs: number; readonly forMs: number }>();

  constructor(parts: ResumeParts) {
    this.#parts = parts;
  }

  async resume(signal: AbortSignal): Promise<void> {
    const { forgetting } = this.#parts;
    await this.#endParking();
    const open = await forgetting.erasures.open();
    if (open.length === 0) {
      this.#paused.clear();
      await this.#clearOwn();
      return;
    }
    for (const order of open) {
      if (signal.aborted) return;
      const nowMs = forgetting.clock.now();
      const paused = this.#paused.get(order.contactId);
      if (paused !== undefined && nowMs < endsAt(paused.sinceMs, { forMs: paused.forMs, nowMs })) continue;
      const outcome = await resumeForget(order, forgetting, signal);
      // Another process is at work, perhaps on this very erasure.
      if (outcome === undefined) return;
      await this.#tell(order, outcome);
    }
  }

  /** Ends it once every waiting contact was approved, erased in another way, or shown again. The problem may be lost in a restart. */
  async #endParking(): Promise<void> {
    const { memory, problems } = this.#parts;
    const isRaised = (await problems.list()).some(({ target }) => target === MASS_ERASURE);
    if (!isRaised && (await memory.get(PARKED_ERASURES)) === undefined) return;
    const approved = await memory.get(APPROVED_ERASURES);
    const parked = await memory.all(PARKED_ERASURE);
    if ([...parked.values()].some((text) => !readParkedErasure(text, approved).isApproved)) return;
    await memory.forget(PARKED_ERASURES);
    await problems.clear(MASS_ERASURE);
  }

  async #clearOwn(): Promise<void> {
    const { problems } = this.#parts;
    if ((await problems.list()).some(({ target }) => target === TARGET)) await problems.clear(TARGET);
  }

  /** Raises the problem until every place can be read and written. A spent quota needs nobody, and ends by itself. */
  async #tell({ contactId }: ErasureOrder, outcome: ForgetOutcome): Promise<void> {
    const { forgetting, problems, log } = this.#parts;
    if (outcome.state === 'erased') {
      this.#paused.delete(contactId);
      const { events, rewritten, cells } = outcome.receipt.erased;
      log.info({ events, rewritten, cells, left: outcome.left.length }, 'a person was erased');
      return;
    }
    const { unread } = outcome;
    const broken = unread.filter(({ code }) => !isLimit(code));
    const [first] = broken;
    const forMs = first === undefined ? LIMITED_PAUSE_MS : UNFINISHED_PAUSE_MS;
    this.#paused.set(contactId, { sinceMs: forgetting.clock.now(), forMs });
    if (first === undefined) await this.#clearOwn();
    else
      await problems.raise({
        target: TARGET,
        code: 'erasure-unfinished',
        message: `a person is not completely erased: ${counted(broken.length, 'place')} out of reach`,
        advice: `Fix ${first.place} (${first.code}). The worker then continues within 15 minutes.`,
      });
    log.warn({ places: unread.length, codes: unread.map(({ code }) => code) }, 'erasure not finished');
  }
}
