// One delivery with a wrong signature may come from anybody. Several in a row, and no right one between them, are a secret or a scheme that
// is not the platform's: nothing is lost, because the feed has the events, but after 72 hours the platform disables the endpoint.
import type { ProblemBoard } from '../../ports/problem-board.ts';

const REFUSED_MAX = 5;
const TARGET = 'webhook-signature';

export class RefusedWatch {
  readonly #problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  #refused = 0;
  /** An earlier process, before the secret was put right, may have told. */
  #mayBeTold = true;

  constructor(problems: Pick<ProblemBoard, 'raise' | 'clear'>) {
    this.#problems = problems;
  }

  /** Told of every verdict. Never rejects: an answer to the platform does not wait for the board. */
  async saw(verdict: string): Promise<void> {
    if (verdict === 'valid') {
      this.#refused = 0;
      if (!this.#mayBeTold) return;
      this.#mayBeTold = false;
      await this.#problems.clear(TARGET).catch(() => {
        this.#mayBeTold = true;
      });
      return;
    }
    this.#refused += 1;
    if (this.#refused < REFUSED_MAX) return;
    this.#mayBeTold = true;
    const problem = {
      target: TARGET,
      code: 'webhooks-refused',
      message: `the last ${REFUSED_MAX} or more webhooks were refused for their signature (${verdict})`,
      advice:
        'Run `slotbridge webhook test`: it says which scheme verifies. Then correct platform.webhook.signature, header or secrets, within 72 hours, or the platform disables the endpoint. Until then the event feed brings what they tell, later.',
    };
    await this.#problems.raise(problem).catch(() => undefined);
  }
}
