import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldNow } from 'node:timers/promises';
import { startPrivateRedis } from '../../../../src/engine/private-redis.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { startIntakeRoute } from '../reference/start.ts';
import type { Clinic } from '../stand/clinic.ts';
import type { Stage } from '../stand/stage.ts';
import { wrongEvents } from '../stand/wrong-events.ts';
import { onFlowStage, UNLIMITED } from './flow-stage.ts';
import { median, percentile } from './percentile.ts';
import { type Posted, startPoster } from './post.ts';

const CONNECTIONS = 50;
const PEOPLE = 40;
const ROUNDS = 3;
/** How many appointments are booked before the sandboxes get a turn. */
const AT_ONCE = 100;

/**
 * Requirement: 1.0 times the throughput of a bare route that awaits one `queue.add`, and at most 1.5 times its p99. The worker works
 * through its queue meanwhile.
 */
export async function intake(options: BenchOptions): Promise<Figure[]> {
  const deliveries = options.isQuick ? 200 : 6_000;
  const warmUp = options.isQuick ? 50 : 2_000;
  const told = figuresOf('flow: intake');
  return onFlowStage(
    { people: PEOPLE, worker: { calendarPerMinute: UNLIMITED, feedEvery: '1h' } },
    async (flow) => {
      const { stage, clinic, secret } = flow;
      const redis = await redisOfItsOwn(stage);
      const reference = await startIntakeRoute(stage, redis.url);
      const post = startPoster(stage, { secret, connections: CONNECTIONS });
      const letters = gatherLetters(clinic);
      const rounds = { worker: [] as Posted[], reference: [] as Posted[] };
      let added = 0;
      for (let round = 0; round <= ROUNDS; round += 1) {
        const isWarmUp = round === 0;
        const count = isWarmUp ? warmUp : deliveries;
        const bodies = await book(clinic, letters, { from: added, count });
        options.say(
          `intake, ${isWarmUp ? 'warm-up' : `round ${round}`}: ${bodies.length.toLocaleString('en')} deliveries`,
        );
        const toWorker = await post(`${stage.workerUrl}/webhooks/platform`, bodies);
        await flow.rest();
        const toReference = await post(reference.url, bodies);
        added += bodies.length;
        await reference.untilDone(added);
        if (isWarmUp) continue;
        rounds.worker.push(toWorker);
        rounds.reference.push(toReference);
      }
      const note = `${CONNECTIONS} connections, ${ROUNDS} rounds in turn, median. Each delivery tells of another appointment, and the worker mirrors them meanwhile. Reference: a fastify route that awaits BullMQ's queue.add; it checks no signature, and nobody works its queue.`;
      told.timesReference(1, {
        what: 'signed webhooks answered',
        unit: '/s',
        figure: median(rounds.worker.map(throughput)),
        reference: median(rounds.reference.map(throughput)),
        note,
      });
      const p99 = (posted: Posted) => percentile(posted.tookMs, 0.99);
      const [mine, theirs] = [median(rounds.worker.map(p99)), median(rounds.reference.map(p99))];
      told.atMost(1.5 * theirs, {
        what: 'p99 of an answer',
        unit: 'ms',
        figure: mine,
        reference: theirs,
        ratio: mine / theirs,
        asked: '≤ 1.5 times',
        needsFullSize: true,
      });
      told.atMost(0, {
        what: 'deliveries that were not taken',
        unit: '',
        figure: [...rounds.worker, ...rounds.reference].reduce((sum, { refused }) => sum + refused, 0),
        asked: 'none',
      });
      told.atMost(0, {
        what: 'events not as the platform has them',
        unit: '',
        figure: wrongEvents(stage, clinic),
        asked: 'none',
      });
      return told.figures;
    },
  );
}

const throughput = ({ tookMs, seconds }: Posted): number => tookMs.length / seconds;

/** A second Redis of the same kind, so that the reference's queue does not load the worker's. */
async function redisOfItsOwn(stage: Stage): Promise<{ url: string }> {
  const folder = join(stage.folder, 'r');
  mkdirSync(folder);
  const redis = await startPrivateRedis(folder);
  stage.push(() => redis.stop());
  return redis;
}

/** Collects the deliveries instead of sending them: the platform loses each one, and the bench posts it. */
function gatherLetters({ platform }: Clinic): string[] {
  const letters: string[] = [];
  platform.delivery = { ...platform.delivery, loseShare: 1 };
  platform.observe({ changed: () => {}, lost: ({ body }) => letters.push(body) });
  return letters;
}

/** Books `count` new appointments starting at the n-th, and returns the platform's deliveries about them. */
async function book(
  clinic: Clinic,
  letters: string[],
  appointments: { from: number; count: number },
): Promise<string[]> {
  for (let nth = 0; nth < appointments.count; nth += 1) {
    clinic.book(appointments.from + nth);
    if (nth % AT_ONCE === 0) await yieldNow();
  }
  return letters.splice(0);
}
