import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { wrongEvents } from '../stand/wrong-events.ts';
import { EventLag } from './event-lag.ts';
import { onFlowStage } from './flow-stage.ts';
import { median, percentile } from './percentile.ts';
import { steadily } from './steady.ts';

const PEOPLE = 20;
const CHANGES_PER_SECOND = 50;
const ROUNDS = 3;
const MOVED_AFTER_APPOINTMENTS = 100;

/**
 * Requirement: at 50 changes a second for 60 s without Google latency, p50 below 50 ms and p99 below 500 ms.
 */
export async function lag(options: BenchOptions): Promise<Figure[]> {
  const seconds = options.isQuick ? 2 : 60;
  const rounds = options.isQuick ? 1 : ROUNDS;
  const told = figuresOf('flow: lag');
  return onFlowStage({ people: PEOPLE }, async (flow) => {
    const { stage, clinic } = flow;
    const measure = new EventLag(stage, clinic);
    const appointments: string[] = [];
    let moved = 0;
    /** Books an appointment, or on every other change moves one that was booked a few seconds earlier. */
    const change = (nth: number): void => {
      const isMove = nth % 2 === 1 && appointments.length - moved > MOVED_AFTER_APPOINTMENTS;
      const index = isMove ? moved : appointments.length;
      const id = isMove ? (appointments[index] ?? '') : clinic.book(index);
      if (isMove) clinic.move(id, { index, tenMinutes: 1 });
      if (isMove) moved += 1;
      else appointments.push(id);
      measure.changed(id);
    };
    const measured: (readonly number[])[] = [];
    const unseen: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      options.say(`lag, round ${round}: ${CHANGES_PER_SECOND} changes a second for ${seconds} s`);
      await steadily(change, { perSecond: CHANGES_PER_SECOND, seconds });
      await flow.rest();
      const taken = measure.take();
      measured.push(taken.lags);
      unseen.push(taken.unseen);
    }
    const at = (share: number) => median(measured.map((each) => percentile(each, share)));
    const note = `${CHANGES_PER_SECOND} changes a second for ${seconds} s, Google without latency; from the change on the platform until the event stands. Median of ${rounds}.`;
    told.atMost(50, { what: 'lag of an event, p50', unit: 'ms', figure: at(0.5), needsFullSize: true, note });
    told.atMost(500, { what: 'the same, p99', unit: 'ms', figure: at(0.99), needsFullSize: true });
    told.atMost(0, {
      what: 'changes that no event showed',
      unit: '',
      figure: unseen.reduce((sum, each) => sum + each, 0),
      asked: 'none',
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
