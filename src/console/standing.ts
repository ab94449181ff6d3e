// The state in the frame around every page: the tab's icon and the counts in the menu.

import { countApprovals } from '../operate/approvals.ts';
import { statusVerdict, type Verdict } from '../operate/verdict.ts';
import type { ConsoleParts } from './parts.ts';

/** How long one reading serves all pages: a busy office opens several a second. */
const READ_EVERY_MS = 2_000;

export interface Standing {
  readonly mood: Verdict['mood'];
  readonly letters: number;
  /** Work that waits for an approval. */
  readonly approvals: number;
}

type Parts = Pick<ConsoleParts, 'status' | 'memory' | 'deadLetters' | 'clock'>;

export class Standings {
  readonly #parts: Parts;
  #last: { readonly atMs: number; readonly read: Promise<Standing | undefined> } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined when Redis does not answer: the frame then shows no state. */
  read(): Promise<Standing | undefined> {
    const nowMs = this.#parts.clock.now();
    // Also when the clock was set back.
    if (this.#last === undefined || Math.abs(nowMs - this.#last.atMs) > READ_EVERY_MS)
      this.#last = { atMs: nowMs, read: this.#read().catch(() => undefined) };
    return this.#last.read;
  }

  /** Something has changed: the next page reads again. */
  forget(): void {
    this.#last = undefined;
  }

  async #read(): Promise<Standing> {
    const [report, waiting] = await Promise.all([this.#parts.status.read(), countApprovals(this.#parts)]);
    return {
      mood: statusVerdict(report).mood,
      letters: report.dead_letters.count,
      approvals: waiting.filter(({ approvedUntilMs }) => approvedUntilMs === undefined).length,
    };
  }
}
