import type { Log } from '../ports/log.ts';

/**
 * For all that is released, but what has a time of its own. Whoever waits for an answer of Redis, Google or the platform here may wait for
 * minutes; nothing is lost by leaving, for all of it ends like with a kill.
 */
const RELEASE_MS = 5_000;

interface Step {
  readonly name: string;
  readonly release: () => unknown;
  /** Absent: what is left of the time for all. */
  readonly withinMs?: number;
}

/** What has to be given back, in reverse order of its taking. */
export class Releases {
  readonly #log: Log;
  readonly #steps: Step[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  push(name: string, release: () => unknown, withinMs?: number): void {
    this.#steps.push({ name, release, ...(withinMs !== undefined && { withinMs }) });
  }

  /** One that fails, or does not end, does not keep the others from theirs. */
  async all(): Promise<void> {
    let leftMs = RELEASE_MS;
    for (const { name, release, withinMs } of this.#steps.splice(0).reverse()) {
      const beganAtMs = performance.now();
      try {
        const end = await within(withinMs ?? leftMs, release());
        if (end === 'late') this.#log.warn({ name }, 'not released in time');
      } catch (error) {
        this.#log.warn({ name, err: error }, 'release failed');
      }
      if (withinMs === undefined) leftMs = Math.max(0, leftMs - (performance.now() - beganAtMs));
    }
  }
}

async function within(ms: number, work: unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((done) => {
    timer = setTimeout(() => done('late'), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
