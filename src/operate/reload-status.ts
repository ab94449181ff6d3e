import type { ProblemBoard } from '../engine/ports/operator.ts';
import type { Log } from '../engine/ports/runtime.ts';
import type { Metrics } from './metrics.ts';

const TARGET = 'configuration';
const ADVICE =
  'Run `slotbridge check`: it lists every problem with its line. Then save the file again, or send SIGHUP. Until then the former configuration is at work.';

interface Parts {
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly metrics: Pick<Metrics, 'showReload'>;
  readonly log: Log;
}

/** Why a changed YAML was not taken up. */
export interface Rejection {
  /** English. */
  readonly reason: string;
  /** What it names, the same in every language: the line of the file, or a code. */
  readonly names: readonly string[];
}

/** Tells whether the running worker has taken up the newest YAML. */
export class ReloadNotice {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `rejected`: absent if it was taken up. Never rejects. */
  async tell(rejected?: Rejection): Promise<void> {
    const { problems, metrics, log } = this.#parts;
    metrics.showReload(rejected === undefined);
    const told =
      rejected === undefined
        ? problems.clear(TARGET)
        : problems.raise({
            target: TARGET,
            code: 'configuration-rejected',
            message: `the changed YAML was not taken up: ${rejected.reason}`,
            names: rejected.names,
            advice: ADVICE,
          });
    await told.catch((err: unknown) => log.warn({ err }, 'the outcome of a reload could not be stored'));
  }
}
