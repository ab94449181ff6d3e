// Anybody may send one delivery that is refused. When many of the newest are refused, the platform's own are probably among them. Nothing
// is lost, because the feed has the events, but after 72 hours the platform disables the endpoint.

import type { ProblemBoard } from '../../engine/ports/operator.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { DeliveryVerdict } from './delivery.ts';

/** Number of newest deliveries that are judged, their age, and the count and share of refusals that raise the problem. */
const JUDGED_MAX = 20;
const JUDGED_FOR_MS = 3_600_000;
const REFUSED_MIN = 5;
const REFUSED_SHARE_MIN = 0.5;
/** Shortest time between two reports of a lasting problem: strangers must not make Redis work. */
const TOLD_EVERY_MS = 60_000;
const TARGET = 'webhook-signature';

interface Judged {
  readonly verdict: DeliveryVerdict;
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

  /** Takes the verdict on every request that looks like a delivery. Never rejects: an answer to the platform does not wait for the board. */
  async saw(verdict: DeliveryVerdict): Promise<void> {
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
    return this.#problems.raise({ target: TARGET, code: 'webhooks-refused', ...describe(this.#judged) });
  }
}

function describe(judged: readonly Judged[]): { readonly message: string; readonly advice: string } {
  const counts = new Map<Refused, number>();
  for (const { verdict } of judged)
    if (verdict !== 'valid') counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const kinds = [...counts].sort(([, one], [, other]) => other - one);
  const told = kinds.map(([verdict, count]) => `${count} ${REFUSALS[verdict].said}`).join(', ');
  const refused = kinds.reduce((sum, [, count]) => sum + count, 0);
  const advice = new Set([...kinds.map(([verdict]) => REFUSALS[verdict].advice), COMMON_ADVICE]);
  return {
    message: `${refused} of the newest ${judged.length} webhooks were refused (${told})`,
    advice: [...advice].join(' '),
  };
}

export type Refused = Exclude<DeliveryVerdict, 'valid'>;

const SIGNATURE_ADVICE =
  'Run `slotbridge webhook test`: it shows which scheme verifies. Then correct platform.webhook.signature, header or secrets.';

/** Words and remedy for each kind of refusal. */
export const REFUSALS: Readonly<Record<Refused, { readonly said: string; readonly advice: string }>> = {
  wrong: { said: 'with a wrong signature', advice: SIGNATURE_ADVICE },
  missing: { said: "without the scheme's signature", advice: SIGNATURE_ADVICE },
  malformed: { said: 'with a signature of another form', advice: SIGNATURE_ADVICE },
  'too-old': {
    said: 'signed too long ago',
    advice: "Check this machine's clock, or raise platform.webhook.tolerance.",
  },
  'too-large': { said: 'too large', advice: 'Raise platform.webhook.max_body.' },
  unreadable: {
    said: 'cut off',
    advice: 'Check the proxy in front of the worker: bodies arrive incomplete.',
  },
  compressed: {
    said: 'compressed',
    advice: 'Check the proxy in front of the worker: it must not compress requests.',
  },
  'wrong-path': {
    said: 'sent to another path',
    advice:
      "Correct the endpoint's address on the platform, or the proxy in front of the worker: the path ends with /webhooks/platform.",
  },
  'not-understood': {
    said: 'no events',
    advice: "They verify but cannot be read: look at the quarantine, and ask the platform's support.",
  },
};

const COMMON_ADVICE =
  'Do so within 72 hours, or the platform disables the endpoint. Until then the event feed brings their events later. If `slotbridge webhook test` verifies, strangers send forged deliveries: the worker ignores them, and this problem ends automatically.';
