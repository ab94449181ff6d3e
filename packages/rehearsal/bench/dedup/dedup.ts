import { IntakeStore } from '../../../../src/engine/intake-store.ts';
import { KEEP } from '../../../../src/engine/keep.ts';
import { type KeySpace, keySpace } from '../../../../src/engine/key-space.ts';
import { mastersOf, openRedis } from '../../../../src/engine/redis-client.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { appointment, PROJECT_ID, uuid } from '../slim/numbered.ts';
import { setStage } from '../stand/stage.ts';

const AT_ONCE = 500;
/** Few objects, so that almost all growth is rows of the dedup table. */
const OBJECTS = 100;
const EVENTS_A_DAY = 1_000_000;
const DAYS_A_MONTH = 30;
const PREFIX = 'slotbridge';
const GIB = 2 ** 30;

/**
 * Requirement: bytes per event in the dedup table, and the cost of a month at 1 million events a day. Measured on a real
 * Redis.
 */
export async function dedup(options: BenchOptions): Promise<Figure[]> {
  const events = options.isQuick ? 2_000 : 200_000;
  options.say(`dedup: ${events.toLocaleString('en')} events`);
  const told = figuresOf('dedup');
  const stage = await setStage();
  try {
    const redis = openRedis(stage.redisUrl, 'queue');
    stage.push(() => redis.disconnect());
    const keys = keySpace(PREFIX);
    const store = new IntakeStore({ redis, keys, clock: { now: Date.now }, keep: KEEP });
    const take = takerOf(store);
    const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);

    const beside = () => besideTable(redis, keys);
    // Create the objects first, so that the measured part adds only rows.
    await take(0, OBJECTS);
    const [bytesBefore, rowsBefore, besideBefore] = [await used(), await redis.dbsize(), await beside()];
    const startedAt = performance.now();
    await take(OBJECTS, events);
    const seconds = (performance.now() - startedAt) / 1_000;
    const [bytesAfter, rowsAfter, besideAfter] = [await used(), await redis.dbsize(), await beside()];
    const rows = rowsAfter - rowsBefore;
    const row = keys.inbox(uuid('e', OBJECTS + 1));
    const own = Number(await redis.memory('USAGE', row));
    const keptDays = (await redis.ttl(row)) / 86_400;

    const perEventBeside = (besideAfter - besideBefore) / rows;
    const perEvent = (bytesAfter - bytesBefore) / rows - perEventBeside;
    const month = (perEvent * EVENTS_A_DAY * DAYS_A_MONTH) / GIB;
    told.atLeast(events, { what: 'rows of the dedup table', ...{ unit: '', figure: rows } });
    told.note('bytes per event', [perEvent, 'bytes'], {
      note: `Growth of used_memory of a Redis ${await versionOf(redis)} by ${rows.toLocaleString('en')} rows, less what grew beside the table: key, value, time to live, and Redis' own tables.`,
    });
    told.note('of which the row itself (MEMORY USAGE)', [own, 'bytes']);
    told.note('what else an event left (history, journals)', [perEventBeside, 'bytes'], {
      note: `MEMORY USAGE of all other keys; ${rows.toLocaleString('en')} events of ${OBJECTS} objects.`,
    });
    told.note('a row is kept', [Math.round(keptDays), 'days']);
    told.note('a month at 1,000,000 events a day', [month, 'GiB'], {
      note: 'Extrapolated from the bytes per event.',
    });
    told.note('the same with what else an event left', [
      ((perEvent + perEventBeside) * EVENTS_A_DAY * DAYS_A_MONTH) / GIB,
      'GiB',
    ]);
    told.note(`the most that ever stands, ${Math.round(keptDays)} days`, [
      (perEvent * EVENTS_A_DAY * Math.round(keptDays)) / GIB,
      'GiB',
    ]);
    told.note('events taken in', [events / seconds, 'a second']);
    const again = await take(OBJECTS, events);
    told.atMost(0, {
      what: 'events taken twice when all come again',
      unit: '',
      figure: again,
      asked: 'none',
    });
    return told.figures;
  } finally {
    await stage.close();
  }
}

/** Bytes of all keys outside the dedup table. */
async function besideTable(redis: ReturnType<typeof openRedis>, keys: KeySpace): Promise<number> {
  const rows = keys.inbox('');
  let bytes = 0;
  for (const node of mastersOf(redis)) {
    for await (const names of node.scanStream({ count: 1_000 })) {
      const others = (names as string[]).filter((name) => !name.startsWith(rows));
      const sizes = await Promise.all(others.map((name) => redis.memory('USAGE', name, 'SAMPLES', 0)));
      bytes += sizes.reduce<number>((sum, size) => sum + Number(size), 0);
    }
  }
  return bytes;
}

/** Takes in events by number, in batches. Returns how many were new. */
function takerOf(store: IntakeStore) {
  const baseMs = Date.now();
  return async (from: number, count: number): Promise<number> => {
    let fresh = 0;
    for (let at = from; at < from + count; at += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, from + count - at) }, (_, nth) => at + nth);
      const outcomes = await Promise.all(
        numbers.map((number) => {
          const state = { changedAtMs: baseMs + number, change: Math.floor(number / OBJECTS), baseMs };
          const snapshot = appointment(number % OBJECTS, state);
          return store.observe({
            ...{ eventId: uuid('e', number), key: { kind: 'appointment', id: snapshot.id } },
            ...{ source: 'webhook', occurredAtMs: baseMs + number, projectId: PROJECT_ID },
            seen: { as: 'snapshot', snapshot },
          });
        }),
      );
      fresh += outcomes.filter((outcome) => outcome !== 'duplicate').length;
    }
    return fresh;
  };
}

async function versionOf(redis: ReturnType<typeof openRedis>): Promise<string> {
  return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'of an unknown version';
}
