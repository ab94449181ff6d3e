// Anybody may send one delivery with a wrong signature. When many of the newest are refused, the secret or the scheme is probably not the
// platform's. Nothing is lost, because the feed has the events, but after 72 hours the platform disables the endpoint.

import type { ProblemBoard } from '../../ports/operator.ts';
import type { Clock } from '../../ports/runtime.ts';

/** Number of newest deliveries that are judged, their age, and the count and share of refusals that raise the problem. */
const JUDGED_MAX = 20;
const JUDGED_FOR_MS = 3_600_000;
const REFUSED_MIN = 5;
const REFUSED_SHARE_MIN = 0.5;
/** Shortest time between two reports of a lasting problem: strangers must not make Redis work. */
const TOLD_EVERY_MS = 60_000;
const TARGET = 'webhook-signature';

interface Judged {
  readonly verdict: string;
  readonly atMs: number;
}

/** True when so many of these deliveries were refused that the platform's own are probably among them. */
export function areRefused(judged: readonly Judged[]): boolean {
  const refused = judged.filter(({ verdict }) => verdict !== 'valid').length;
  return refused >= REFUSED_MIN && refused >= judged.length * REFUSED_SHARE_MIN;
}

export class RefusedWatch {
  readonly #problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly #clock: Clock;
  #judged: readonly Judged[] = [];
  /** Undefined at first: an earlier process may have reported the problem before the secret was corrected. */
  #told: boolean | undefined;
  #toldAtMs = 0;

  /** `clock`: a monotonic one. */
  constructor(parts: { problems: Pick<ProblemBoard, 'raise' | 'clear'>; clock: Clock }) {
    this.#problems = parts.problems;
    this.#clock = parts.clock;
  }

  /** Takes the verdict on every delivery with a signature. Never rejects: an answer to the platform does not wait for the board. */
  async saw(verdict: string): Promise<void> {
    this.#judged = [...this.#judged.slice(1 - JUDGED_MAX), { verdict, atMs: this.#clock.now() }];
    await this.look();
  }

  /** Raises the problem or ends it, also when no delivery has arrived for a while. Never rejects. */
  async look(): Promise<void> {
    const nowMs = this.#clock.now();
    this.#judged = this.#judged.filter(({ atMs }) => nowMs - atMs < JUDGED_FOR_MS);
    const isProblem = areRefused(this.#judged);
    // One valid delivery ends what an earlier process reported; silence alone does not.
    if (!isProblem && this.#told === undefined && !this.#judged.some(({ verdict }) => verdict === 'valid'))
      return;
    if (isProblem === this.#told && (!isProblem || nowMs - this.#toldAtMs < TOLD_EVERY_MS)) return;
    const before = this.#told;
    [this.#told, this.#toldAtMs] = [isProblem, nowMs];
    await this.#tell(isProblem).catch(() => {
      this.#told = before;
    });
  }

  #tell(isProblem: boolean): Promise<void> {
    if (!isProblem) return this.#problems.clear(TARGET);
    const refused = this.#judged.filter(({ verdict }) => verdict !== 'valid');
    const problem = {
      target: TARGET,
      code: 'webhooks-refused',
      message: `${refused.length} of the newest ${this.#judged.length} signed webhooks were refused for their signature (${refused.at(-1)?.verdict})`,
      advice:
        'Run `slotbridge webhook test`: it shows which scheme verifies. Then correct platform.webhook.signature, header or secrets, within 72 hours, or the platform disables the endpoint. Until then the event feed brings their events later. If the test verifies, strangers send forged deliveries: the worker ignores them, and this problem ends automatically.',
    };
    return this.#problems.raise(problem);
  }
}
