import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerLetters, confirmLetters } from '../../../../src/console/letters.ts';
import type { ConsoleParts } from '../../../../src/console/parts.ts';
import { EN } from '../../../../src/console/words/en.ts';
import { keySpace } from '../../../../src/engine/key-space.ts';
import { NO_DIRECTORY } from '../../../../src/engine/mirror.ts';
import { openRedis } from '../../../../src/engine/redis-client.ts';
import { openStores, type Stores } from '../../../../src/worker/stores.ts';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { percentile } from '../flow/percentile.ts';
import { uuid } from '../slim/numbered.ts';
import { setStage } from '../stand/stage.ts';

const FEW = 200;
const MANY = 200_000;
const MANY_QUICK = 2_000;
const AT_ONCE = 1_000;
const CALENDARS = 40;
const RUNS = 30;
type Request = Parameters<typeof answerLetters>[1];

/** Times below this vary with the machine more than with the letters. */
const NOISE_MS = 2;
const PAGES = [
  '',
  'code=template-failed',
  'mirror=staff&place=calendar%3A7',
  'age=1h',
  `key=contact%2F${uuid('d', 7)}`,
];

/** Requirement (many letters block nobody): each page and the reading behind `/metrics` cost the same for 200 and 200,000 letters. */
export async function letters({ isQuick, say }: BenchOptions): Promise<Figure[]> {
  const many = isQuick ? MANY_QUICK : MANY;
  const told = figuresOf('letters');
  const stage = await setStage();
  try {
    const redis = openRedis(stage.redisUrl, 'queue');
    stage.push(() => redis.disconnect());
    const measured = [];
    for (const count of [FEW, many]) {
      say(`letters: ${count.toLocaleString('en')} dead letters`);
      const store = openStores(redis, { keys: keySpace(`letters-${count}`), clock: { now: Date.now } });
      for (let at = 0; at < count; at += AT_ONCE)
        await redis.hset(store.keys.dead, Object.fromEntries(rows(at, Math.min(AT_ONCE, count - at))));
      measured.push({ ...(await measure(store)), found: (await store.ledger.deadLetters(1)).count - count });
    }
    const [few, all] = measured;
    if (few === undefined || all === undefined) throw new Error('nothing measured');
    told.atMost(0, { what: 'letters counted wrongly', figure: Math.abs(all.found), unit: '', asked: 'none' });
    told.note('counts of an earlier version built within', [all.builtMs, 'ms'], { note: 'Once, in steps.' });
    const pairs = [
      { what: 'slowest page', limit: 500, of: all.pageMs, than: few.pageMs },
      { what: 'half of the pages within', limit: 500, of: all.pagesMs, than: few.pagesMs },
      { what: 'reading behind /metrics', limit: 50, of: all.readingMs, than: few.readingMs },
    ];
    for (const { what, limit, of, than } of pairs)
      told.atMost(limit, { what, figure: of, unit: 'ms', reference: than, needsFullSize: true });
    told.atMost(3, {
      ...{ what: 'half of the pages, against 200 letters', unit: 'times', needsFullSize: true },
      figure: all.pagesMs / Math.max(few.pagesMs, NOISE_MS),
    });
    told.atMost(3, {
      ...{ what: 'reading behind /metrics, against 200 letters', unit: 'times', needsFullSize: true },
      figure: all.readingMs / Math.max(few.readingMs, NOISE_MS),
    });
    told.atMost(100, {
      what: 'longest stop of the loop',
      figure: all.stopMs,
      unit: 'ms',
      needsFullSize: true,
    });
    return told.figures;
  } finally {
    await stage.close();
  }
}

async function measure(store: Stores) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const builtMs = await took(() => store.deadLetters.causes());
  const parts = {
    ...{ deadLetters: store.deadLetters, story: { view: store.ledger } },
    ...{ directory: () => NO_DIRECTORY, zoneOf: () => 'UTC' },
  } as unknown as ConsoleParts;
  // Before it is measured, the code of a page is compiled.
  for (const query of PAGES) await answerLetters(parts, requestOf(query));
  delay.enable();
  const pages: number[] = [];
  const readings: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    for (const query of PAGES) {
      pages.push(await took(() => answerLetters(parts, requestOf(query))));
      pages.push(await took(() => confirmLetters(parts, requestOf(query), 'retry')));
    }
    readings.push(await took(() => store.ledger.deadLetters(20)));
  }
  delay.disable();
  return {
    ...{ builtMs, pageMs: Math.max(...pages), pagesMs: percentile(pages, 0.5) },
    ...{ readingMs: percentile(readings, 0.5), stopMs: delay.max / 1e6 },
  };
}

function requestOf(query: string): Request {
  return {
    ...{ query: new URLSearchParams(query), form: new URLSearchParams(), nowMs: Date.now(), words: EN },
    ...{ may: () => true },
  } as unknown as Request;
}

function rows(from: number, count: number): readonly (readonly [string, string])[] {
  const nowMs = Date.now();
  return Array.from({ length: count }, (_, nth) => {
    const number = from + nth;
    const key = `contact/${uuid('d', number)}`;
    const message = 'the template of Name failed: no such filter';
    const place = number % CALENDARS;
    const reasons = [{ mirror: 'staff', code: 'template-failed', message, target: `calendar:${place}` }];
    return [key, JSON.stringify({ key, atMs: nowMs - number * 100, attempts: 1, reasons })] as const;
  });
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
