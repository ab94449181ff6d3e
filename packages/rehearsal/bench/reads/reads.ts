import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { mapping, people } from '../slim/numbered.ts';
import { type SlimPlatform, startSlimPlatform } from '../slim/platform.ts';
import { HEAP_MIB, peakMib } from '../stand/memory.ts';
import { untilAtRest } from '../stand/rest.ts';
import { MAIN, type Stage, setStage } from '../stand/stage.ts';

const PER_MINUTE = 1_000_000;
/** A busy machine takes long to write 200,000 objects. */
const WITHIN_MS = 3 * 3_600_000;
const BOOK = 'bench-office';
const TAB = 'Contacts';
const MINUTE_S = 60;
const LOOK_EVERY_MS = 50;
const COMMANDS = ['audit', 'plan'] as const;
/** Shares of the run at which the rest that was told is compared with the rest that there was. */
const ASKED_AT = [0.25, 0.5, 0.75];
const LIMITS = [60, 600];
/** Estimates of less are not judged: they are over before anybody plans by them. */
const JUDGED_FROM_S = 60;

interface Size {
  readonly contacts: number;
  readonly appointments: number;
}

interface Run {
  readonly command: (typeof COMMANDS)[number];
  readonly requests: number;
  readonly code: number | null;
  readonly tookS: number;
  readonly peak: number;
  readonly objects: number;
  readonly found: number;
  readonly platformRequests: number;
  /** Told before it began. */
  readonly estimatedS: number | undefined;
  /** What was told of the rest, and when, in seconds since the estimate. */
  readonly rests: readonly { readonly atS: number; readonly leftS: number }[];
  readonly estimatedAtS: number;
}

/** Requirement: `audit` and `plan` of 200,000 objects end under any limit, in bounded memory, and say in time how long they last. */
export async function reads(options: BenchOptions): Promise<Figure[]> {
  const sizes: readonly Size[] = options.isQuick
    ? [
        { contacts: 200, appointments: 100 },
        { contacts: 1_500, appointments: 600 },
      ]
    : [
        { contacts: 1_500, appointments: 500 },
        { contacts: 15_000, appointments: 5_000 },
        ...(options.isFull ? [{ contacts: 150_000, appointments: 50_000 }] : []),
      ];
  const told = figuresOf('reads');
  const references = new Map<string, number>();
  for (const size of sizes) {
    const objects = size.contacts + size.appointments;
    options.say(`reads: ${objects.toLocaleString('en')} objects: filling`);
    for (const run of await onStage(size, options)) {
      const { command, requests } = run;
      const what = `${command} of ${objects.toLocaleString('en')} objects, ${requests} requests a minute`;
      told.atMost(0, { what: `${what}: exit code`, unit: '', figure: run.code ?? -1, asked: 'none' });
      told.atLeast(objects, { what: `${what}: objects read`, unit: '', figure: run.objects });
      told.atMost(0, { what: `${what}: differences`, unit: '', figure: run.found, asked: 'none' });
      told.note(`${what}: requests to the platform`, [run.platformRequests, '']);
      told.note(`${what}: lasts`, [run.tookS / MINUTE_S, 'min']);
      for (const [at, share] of deviations(run)) {
        const about = `${what}: estimate at ${at}, off by`;
        const note = 'Share of the time that was left.';
        told.atMost(0.2, { what: about, unit: '', figure: share, needsFullSize: true, note });
      }
      const name = `${command} ${requests}`;
      const reference = references.get(name);
      const about = { what: `${what}: peak memory`, unit: 'MiB', figure: run.peak, needsFullSize: true };
      if (reference === undefined) told.note(about.what, [run.peak, 'MiB']);
      else
        told.atMost(1.3 * reference, {
          ...{ ...about, reference, ratio: run.peak / reference },
          asked: '≤ 1.3 times',
        });
      references.set(name, run.peak);
    }
  }
  return told.figures;
}

/** How far each estimate was off, as a share of the time that was left. */
function deviations({ estimatedS, estimatedAtS, tookS, rests }: Run): [string, number][] {
  if (estimatedS === undefined) return [];
  const lastsS = tookS - estimatedAtS;
  const off = (toldS: number, leftS: number) => Math.abs(toldS - leftS) / leftS;
  const asked = ASKED_AT.flatMap((share): [string, number][] => {
    const rest = rests.find(({ atS }) => atS - estimatedAtS >= share * lastsS);
    if (rest === undefined || tookS - rest.atS < JUDGED_FROM_S) return [];
    return [[`${Math.round(share * 100)} %`, off(rest.leftS, tookS - rest.atS)]];
  });
  return [['the start', off(estimatedS, lastsS)], ...asked];
}

async function onStage(size: Size, options: BenchOptions): Promise<readonly Run[]> {
  const stage = await setStage({
    quotas: {
      calendarPerMinutePerUser: PER_MINUTE,
      sheetsReadsPerMinutePerUser: PER_MINUTE,
      sheetsWritesPerMinutePerUser: PER_MINUTE,
    },
  });
  try {
    const { google } = stage;
    for (const { calendarId } of people) google.addCalendar(calendarId, { shareWith: [defaultAccount] });
    google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs: [{ title: TAB }] });
    const platform = await startSlimPlatform({ ...size, endpoint: `${stage.workerUrl}/webhooks/platform` });
    stage.push(() => platform.close());
    const worker = await stage.startWorker({
      ...{ platformUrl: platform.url, apiKey: 'bench-key', heapMib: HEAP_MIB },
      ...{ calendarPerMinute: PER_MINUTE, sheetsPerMinute: PER_MINUTE, flushEvery: '200ms' },
      mirrors: mapping({ spreadsheetId: BOOK, tab: TAB, sinceDays: 7 }),
    });
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    await worker.stop();
    const runs: Run[] = [];
    for (const requests of LIMITS) {
      for (const command of COMMANDS) {
        options.say(`reads: ${command}, ${requests} requests a minute`);
        runs.push(await run(stage, { platform, command, requests }));
      }
    }
    return runs;
  } finally {
    await stage.close();
  }
}

async function run(
  stage: Stage,
  how: Pick<Run, 'command' | 'requests'> & { readonly platform: SlimPlatform },
): Promise<Run> {
  const { platform, command, requests } = how;
  platform.admit({ requests, windowMs: MINUTE_S * 1_000 });
  const asked = () => [...platform.requests.values()].reduce((sum, each) => sum + each, 0);
  const [before, startedAt] = [asked(), performance.now()];
  const since = () => (performance.now() - startedAt) / 1_000;
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${HEAP_MIB}`, MAIN, command, '--config', join(stage.folder, 'slotbridge-1.yaml')],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  let [out, said, peak] = ['', '', 0];
  let estimatedAtS = 0;
  const rests: { atS: number; leftS: number }[] = [];
  child.stdout.on('data', (text) => {
    out += String(text);
  });
  child.stderr.on('data', (text) => {
    said += String(text);
    for (const line of String(text).split('\n')) {
      if (line.startsWith('About ')) estimatedAtS = since();
      const left = /(?:about|at most) (.+) left/.exec(line)?.[1];
      if (left !== undefined) rests.push({ atS: since(), leftS: secondsIn(left) });
    }
  });
  const look = setInterval(() => {
    try {
      peak = Math.max(peak, peakMib(child.pid) || 0);
    } catch {
      // It has ended.
    }
  }, LOOK_EVERY_MS);
  const code = await ended;
  clearInterval(look);
  const number = (pattern: RegExp) => Number((pattern.exec(out)?.[1] ?? '0').replaceAll(',', ''));
  const estimate = /at least (\d+ h)? ?(\d+) (min|s) at the platform's limit/.exec(said);
  if (code !== 0) process.stderr.write(said.slice(-2_000));
  return {
    ...{ command, requests, code, peak, rests, estimatedAtS },
    tookS: since(),
    objects: number(/^([\d,]+) objects? /m),
    found: number(/^([\d,]+) differences?/m),
    platformRequests: asked() - before,
    estimatedS: estimate === null ? undefined : secondsIn(estimate[0].slice('at least '.length)),
  };
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1,
  min: MINUTE_S,
  h: 60 * MINUTE_S,
  d: 24 * 60 * MINUTE_S,
};

/** Seconds in a text such as `1 h 5 min`. */
function secondsIn(text: string): number {
  return [...text.matchAll(/(\d+) (s|min|h|d)\b/g)].reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
}
