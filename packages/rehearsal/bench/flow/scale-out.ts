import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { wrongEvents } from '../stand/wrong-events.ts';
import { onFlowStage, UNLIMITED } from './flow-stage.ts';
import { median } from './percentile.ts';

const PEOPLE = 40;
const LATENCY_MS = 80;
const PROCESSES = [1, 2, 4] as const;
const ROUNDS = 3;
/** Low, so that each process waits for Google's latency and not for the cores of this machine. */
const CONCURRENCY = 2;
const LOOK_EVERY_MS = 20;
const ASKED: Readonly<Record<number, number>> = { 2: 1.9, 4: 3.5 };

/** Requirement: at 80 ms Google latency without a quota, 2 and 4 processes reach at least 1.9 and 3.5 times one process. */
export async function scaleOut(options: BenchOptions): Promise<Figure[]> {
  const appointments = options.isQuick ? 40 : 600;
  const rounds = options.isQuick ? 1 : ROUNDS;
  const told = figuresOf('flow: scale-out');
  const setting = { people: PEOPLE, worker: { concurrency: CONCURRENCY, calendarPerMinute: UNLIMITED } };
  return onFlowStage(setting, async ({ stage, clinic, rest, join }) => {
    let written = 0;
    stage.google.onEventWrite(() => {
      written += 1;
    });
    let booked = 0;
    const mirrorAll = async (): Promise<number> => {
      const before = written;
      const startedAt = performance.now();
      for (let nth = 0; nth < appointments; nth += 1, booked += 1) clinic.book(booked);
      while (written - before < appointments) await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
      const perSecond = appointments / ((performance.now() - startedAt) / 1_000);
      await rest();
      return perSecond;
    };
    await mirrorAll();
    stage.google.latencyMs = LATENCY_MS;
    const speeds = new Map<number, number>();
    let running = 1;
    for (const processes of PROCESSES) {
      for (; running < processes; running += 1) await join();
      const measured: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        options.say(`scale-out, ${processes} processes, round ${round}: ${appointments} appointments`);
        measured.push(await mirrorAll());
      }
      speeds.set(processes, median(measured));
    }
    const alone = speeds.get(1) ?? Number.NaN;
    const note = `${appointments} appointments booked at once, Google answers after ${LATENCY_MS} ms and has no quota, ${CONCURRENCY} objects at the same time in each process. Median of ${rounds}. Reference: one process.`;
    for (const [processes, asked] of Object.entries(ASKED))
      told.timesReference(asked, {
        what: `appointments mirrored by ${processes} processes`,
        unit: '/s',
        figure: speeds.get(Number(processes)) ?? Number.NaN,
        reference: alone,
        note,
      });
    told.atMost(0, {
      what: 'events not as the platform has them',
      unit: '',
      figure: wrongEvents(stage, clinic),
      asked: 'none',
    });
    return told.figures;
  });
}
