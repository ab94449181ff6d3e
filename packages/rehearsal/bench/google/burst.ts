import { setImmediate as yieldNow } from 'node:timers/promises';
import { Random } from '@slotbridge/sandbox/platform/random';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { startReference } from '../reference/start.ts';
import { type Clinic, calendarMirror, openClinic } from '../stand/clinic.ts';
import { untilAtRest } from '../stand/rest.ts';
import { type Stage, setStage } from '../stand/stage.ts';
import { wrongEvents } from '../stand/wrong-events.ts';

const LATENCY_MS = 80;
const CONCURRENCY = 8;
const PEOPLE = 20;
const CHANGES_EACH = 5;
const CALLS_PER_MINUTE = 1_000_000;
const WITHIN_MS = 600_000;
/** How many changes are made before other tasks get a turn: both sandboxes run in this process. */
const AT_ONCE = 20;
/** The five changes of an appointment are spread over those of this many others. */
const SPREAD_APPOINTMENTS = 100;

interface Measured {
  readonly changes: number;
  readonly seconds: number;
  readonly calls: number;
  /** Events that do not match the platform's appointments. */
  readonly wrong: number;
}

/** Requirement: 10,000 changes over 2,000 appointments, with 80 ms for each answer of Google. */
export async function burst(options: BenchOptions): Promise<Figure[]> {
  const appointments = options.isQuick ? 40 : 2_000;
  const referenceAppointments = options.isQuick ? 10 : 200;
  const told = figuresOf('google: throughput');
  for (const { kind, story, isAsked } of options.isQuick ? STORIES.slice(0, 1) : STORIES) {
    options.say(
      `throughput, ${kind}: ${appointments * CHANGES_EACH} changes over ${appointments} appointments, worker`,
    );
    const worker = await withWorker(appointments, story);
    options.say(`throughput, ${kind}: ${referenceAppointments * CHANGES_EACH} of them, reference`);
    const reference = await withReference(referenceAppointments, story);
    const sample = `Reference: the first ${reference.changes.toLocaleString('en')} of the same changes; it has no state, so its speed does not depend on how many there are.`;
    const common = {
      unit: 'changes/s',
      figure: worker.changes / worker.seconds,
      reference: reference.changes / reference.seconds,
    };
    const what = `${worker.changes.toLocaleString('en')} changes over ${appointments.toLocaleString('en')} appointments, ${kind}`;
    const note = `${LATENCY_MS} ms per answer of Google, ${CONCURRENCY} objects at the same time. ${sample}`;
    if (isAsked) told.timesReference(10, { what, ...common, note });
    else
      told.note(what, [common.figure, common.unit], {
        reference: common.reference,
        note: `${ceiling(worker, reference)} ${note}`,
      });
    told.note('calls per change', [worker.calls / worker.changes, '']);
    told.note('calls per change of the reference', [reference.calls / reference.changes, '']);
    told.atMost(0, {
      what: 'events not as the platform has them',
      unit: '',
      figure: worker.wrong,
      asked: 'none',
    });
  }
  return told.figures;
}

type Act = (clinic: Clinic, appointment: { index: number; id: string }) => void;
const move =
  (tenMinutes: number): Act =>
  (clinic, { index, id }) =>
    clinic.move(id, { index, tenMinutes });
const link: Act = (clinic, { id }) => clinic.platform.dashboard.linkContact(id, clinic.contactId);
const cancel: Act = (clinic, { id }) => clinic.platform.dashboard.cancel(id);

/** The changes to the n-th appointment after its booking. */
type Changes = (index: number) => readonly Act[];

const STORIES: readonly { kind: string; story: Changes; isAsked: boolean }[] = [
  {
    kind: 'a day as it is',
    story: (index) =>
      index % 5 === 4 ? [link, move(1), move(2), cancel] : [link, move(1), move(2), move(0)],
    isAsked: true,
  },
  // The worst case: every change is visible in the event, so a worker can only skip intermediate states.
  { kind: 'each shown by the event', story: () => [move(1), move(2), move(0), move(1)], isAsked: false },
];

/** The upper bound for any worker at this concurrency: at least one call per appointment. */
function ceiling(worker: Measured, reference: Measured): string {
  const calls = reference.calls / reference.changes / (worker.calls / worker.changes);
  return `It needs a call for each appointment, so that ${calls.toFixed(1)} is the ratio of the calls, and of the times at best.`;
}

async function withWorker(appointments: number, story: Changes): Promise<Measured> {
  return onStage(async (stage, clinic) => {
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    const worker = await stage.startWorker({
      ...{ platformUrl: clinic.platform.url, apiKey: clinic.apiKey, secret },
      mirrors: calendarMirror(clinic.people),
      concurrency: CONCURRENCY,
      calendarPerMinute: CALLS_PER_MINUTE,
    });
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    return play(stage, clinic, {
      ...{ appointments, story },
      rest: async () => {
        await untilAtRest(worker, { withinMs: WITHIN_MS });
      },
    });
  });
}

async function withReference(appointments: number, story: Changes): Promise<Measured> {
  return onStage(async (stage, clinic) => {
    const reference = await startReference(stage, clinic, CONCURRENCY);
    await clinic.subscribe(reference.url);
    const rest = () => reference.untilDone(clinic.platform.stats().webhooksDelivered);
    return play(stage, clinic, { appointments, story, rest });
  });
}

async function onStage(run: (stage: Stage, clinic: Clinic) => Promise<Measured>): Promise<Measured> {
  const stage = await setStage({
    latencyMs: LATENCY_MS,
    quotas: { calendarPerMinutePerUser: CALLS_PER_MINUTE, calendarPerMinutePerProject: CALLS_PER_MINUTE },
  });
  try {
    const clinic = await openClinic(stage.google, PEOPLE);
    stage.push(() => clinic.platform.close());
    return await run(stage, clinic);
  } finally {
    await stage.close();
  }
}

/** Measures from the first change until Google has answered the last write. */
async function play(
  stage: Stage,
  clinic: Clinic,
  how: { appointments: number; story: Changes; rest: () => Promise<void> },
): Promise<Measured> {
  const { google } = stage;
  const { platform } = clinic;
  google.resetCounts();
  let lastWriteAt = 0;
  google.onEventWrite(() => {
    lastWriteAt = performance.now();
  });
  const changesBefore = platform.stats().changes;
  const startedAt = performance.now();
  const acts = interleaved(clinic, how);
  for (const [at, act] of acts.entries()) {
    act();
    if (at % AT_ONCE === 0) await yieldNow();
  }
  await platform.whenDeliveriesSettle(WITHIN_MS);
  await how.rest();
  return {
    changes: platform.stats().changes - changesBefore,
    seconds: (lastWriteAt + LATENCY_MS - startedAt) / 1_000,
    calls: google.stats().calls,
    wrong: wrongEvents(stage, clinic),
  };
}

/** Keeps each appointment's changes in order, and mixes those of different appointments as on a real day. */
function interleaved(clinic: Clinic, how: { appointments: number; story: Changes }): (() => void)[] {
  const random = new Random(1);
  const placed: { at: number; act: () => void }[] = [];
  for (let index = 0; index < how.appointments; index += 1) {
    const appointment = { index, id: '' };
    const book = () => {
      appointment.id = clinic.book(index);
    };
    const acts = [book, ...how.story(index).map((change) => () => change(clinic, appointment))];
    const places = acts.map(() => index + random.next() * SPREAD_APPOINTMENTS).sort((a, b) => a - b);
    for (const [nth, act] of acts.entries()) placed.push({ at: places[nth] ?? index, act });
  }
  return placed.sort((a, b) => a.at - b.at).map(({ act }) => act);
}
