import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerProcess } from '../../demo/worker-process.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { wrongEvents } from '../stand/wrong-events.ts';
import { onFlowStage } from './flow-stage.ts';
import { median } from './percentile.ts';
import { steadily } from './steady.ts';

const PEOPLE = 20;
const CHANGES_PER_SECOND = 50;
const LOAD_BEFORE_MS = 5_000;
const LOOK_EVERY_MS = 20;
const WITHIN_MS = 60_000;
const LONGEST_S = 600;

/**
 * Requirement: after `kill -9` under load and an immediate restart, first write within 3 s and feed coverage proved
 * within 5 s.
 */
export async function takeover(options: BenchOptions): Promise<Figure[]> {
  const kills = options.isQuick ? 1 : 3;
  const told = figuresOf('flow: takeover');
  return onFlowStage({ people: PEOPLE, google: { latencyMs: 20 } }, async (flow) => {
    const { stage, clinic, worker } = flow;
    let lastWriteAt = 0;
    stage.google.onEventWrite(() => {
      lastWriteAt = performance.now();
    });
    const ending = new AbortController();
    const load = steadily((nth) => clinic.book(nth), {
      perSecond: CHANGES_PER_SECOND,
      seconds: LONGEST_S,
      signal: ending.signal,
    });
    const [writes, proofs]: [number[], number[]] = [[], []];
    for (let kill = 1; kill <= kills; kill += 1) {
      await sleep(options.isQuick ? 1_000 : LOAD_BEFORE_MS);
      options.say(`takeover: kill ${kill} under ${CHANGES_PER_SECOND} changes a second`);
      const [killedAt, killedAtMs] = [performance.now(), Date.now()];
      await worker.kill();
      // Calls that were in flight when the process died do not count as the new process's work.
      await sleep(2 * stage.google.latencyMs);
      const goneAt = performance.now();
      worker.start();
      const [write, proof] = await Promise.all([
        until(() => lastWriteAt > goneAt),
        until(async () => (await provedAtMs(worker)) >= killedAtMs),
      ]);
      writes.push((write - killedAt) / 1_000);
      proofs.push((proof - killedAt) / 1_000);
    }
    ending.abort();
    await load;
    await flow.rest();
    const note = `${CHANGES_PER_SECOND} changes a second, kill -9 and start at once, ${kills} times, median; from the kill.`;
    const needsFullSize = true;
    told.atMost(3, { what: 'first write', unit: 's', figure: median(writes), needsFullSize, note });
    told.atMost(5, { what: 'feed coverage proved', unit: 's', figure: median(proofs), needsFullSize });
    told.atMost(0, {
      what: 'events not as the platform has them',
      unit: '',
      figure: wrongEvents(stage, clinic),
      asked: 'none',
    });
    return told.figures;
  });
}

/**
 * When the feed was last read without a gap. The coverage itself ends earlier, because the platform may form events
 * late.
 */
async function provedAtMs(worker: WorkerProcess): Promise<number> {
  const status = await worker.status();
  return Date.parse(status?.coverage.feed.proved_at ?? '1970');
}

/** Waits for the condition and returns when it became true. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<number> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('the restarted worker did not take over');
    await sleep(LOOK_EVERY_MS);
  }
  return performance.now();
}
