import type { ProblemBoard } from '../engine/problem-board.ts';
import type { DatedOutcome } from '../engine/reload.ts';
import type { Log } from '../engine/runtime.ts';
import type { Metrics } from './metrics.ts';

const TARGET = 'configuration';
const ADVICE =
  'Run `slotbridge check`: it lists every problem with its line. Then run `slotbridge reload`. Until then the former configuration is at work.';

interface Parts {
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly metrics: Pick<Metrics, 'showReload'>;
  /** Where `slotbridge reload` looks. */
  readonly processes: { tellReload(outcome: DatedOutcome): Promise<void> };
  readonly log: Log;
}

/** Tells whether the running worker has taken up the newest YAML. */
export class ReloadNotice {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async tell(outcome: DatedOutcome): Promise<void> {
    const { problems, metrics, processes, log } = this.#parts;
    const isRejected = outcome.as === 'rejected';
    metrics.showReload(!isRejected);
    const told = isRejected
      ? problems.raise({
          target: TARGET,
          code: 'configuration-rejected',
          message: `the changed YAML was not taken up: ${outcome.reason}`,
          names: outcome.names,
          advice: ADVICE,
        })
      : problems.clear(TARGET);
    await Promise.all([told, processes.tellReload(outcome)]).catch((err: unknown) =>
      log.warn({ err }, 'the outcome of a reload could not be stored'),
    );
  }
}
