import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { startReference } from '../reference/start.ts';
import { type Clinic, calendarMirror, openClinic } from '../stand/clinic.ts';
import { untilAtRest } from '../stand/rest.ts';
import { type Stage, setStage } from '../stand/stage.ts';

const PEOPLE = 10;
const CONCURRENCY = 8;
const CALLS_PER_MINUTE = 1_000_000;
const REST_WITHIN_MS = 120_000;
const BURST_CHANGES = 5;

/** One phase of the story: how many changes on the platform, and how many Google calls they cost. */
interface Phase {
  readonly changes: number;
  readonly calls: number;
}

interface Story {
  /** Each appointment changes once, and everything comes to rest before the next round. */
  readonly single: Phase;
  /** Like `single`, with every webhook delivered twice. */
  readonly doubled: Phase;
  /** Several changes of each appointment in quick succession. */
  readonly burst: Phase;
  /** Changes that no event shows: a contact is linked or changed. */
  readonly unshown: Phase;
  readonly events: number;
}

/**
 * Requirement: a change costs at most 1.05 Calendar calls, fewer when changes of one appointment coalesce. A repeated or irrelevant change
 * costs no call.
 */
export async function callsPerChange(options: BenchOptions): Promise<Figure[]> {
  const appointments = options.isQuick ? 30 : 500;
  options.say(`calls per change: ${appointments} appointments, worker`);
  const worker = await withWorker(appointments);
  options.say(`calls per change: ${appointments} appointments, reference`);
  const reference = await withReference(appointments);

  const told = figuresOf('google: calls');
  const note = `${appointments} appointments, each change alone: booked, moved. Reference: one job per webhook, events.get and then insert or update.`;
  told.atMost(1.05, {
    what: 'Calendar calls per change',
    unit: '',
    ...compared(worker.single, reference.single),
    note,
  });
  told.atMost(1.05, {
    what: 'the same, every webhook delivered twice',
    unit: '',
    ...compared(worker.doubled, reference.doubled),
  });
  told.atMost(0.999, {
    what: `${BURST_CHANGES} changes of an appointment at once, calls per change`,
    unit: '',
    ...compared(worker.burst, reference.burst),
    asked: '< 1',
  });
  told.atMost(0, {
    what: 'calls for changes that no event shows',
    unit: '',
    figure: worker.unshown.calls,
    reference: reference.unshown.calls,
    asked: 'none',
    note: `${worker.unshown.changes} changes: a contact linked to each appointment, and the contact changed as often.`,
  });
  told.atMost(0, {
    what: 'events missing or too many',
    unit: '',
    figure: Math.abs(worker.events - appointments),
    asked: 'none',
  });
  return told.figures;
}

function compared(mine: Phase, theirs: Phase) {
  const figure = mine.calls / mine.changes;
  const reference = theirs.calls / theirs.changes;
  return { figure, reference, ratio: reference / figure };
}

async function withWorker(appointments: number): Promise<Story> {
  return onStage(async (stage, clinic) => {
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    const { platform, apiKey } = clinic;
    const worker = await stage.startWorker({
      ...{ platformUrl: platform.url, apiKey, secret },
      mirrors: calendarMirror(clinic.people),
      concurrency: CONCURRENCY,
      calendarPerMinute: CALLS_PER_MINUTE,
    });
    const rest = async (): Promise<void> => {
      await platform.whenDeliveriesSettle(REST_WITHIN_MS);
      await untilAtRest(worker, { withinMs: REST_WITHIN_MS });
    };
    await rest();
    return tell(stage, clinic, { appointments, rest });
  });
}

async function withReference(appointments: number): Promise<Story> {
  return onStage(async (stage, clinic) => {
    const { platform } = clinic;
    const reference = await startReference(stage, clinic, CONCURRENCY);
    await clinic.subscribe(reference.url);
    const rest = async (): Promise<void> => {
      await platform.whenDeliveriesSettle(REST_WITHIN_MS);
      await reference.untilDone(platform.stats().webhooksDelivered);
    };
    return tell(stage, clinic, { appointments, rest });
  });
}

async function onStage(run: (stage: Stage, clinic: Clinic) => Promise<Story>): Promise<Story> {
  const stage = await setStage({
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

async function tell(
  stage: Stage,
  clinic: Clinic,
  how: { appointments: number; rest: () => Promise<void> },
): Promise<Story> {
  const { platform, contactId } = clinic;
  const { dashboard } = platform;
  const phase = async (acts: () => void): Promise<Phase> => {
    const before = { changes: platform.stats().changes, calls: stage.google.stats().calls };
    acts();
    await how.rest();
    return {
      changes: platform.stats().changes - before.changes,
      calls: stage.google.stats().calls - before.calls,
    };
  };
  let ids: string[] = [];
  const moveAll = (tenMinutes: number): void => {
    for (const [index, id] of ids.entries()) clinic.move(id, { index, tenMinutes });
  };
  const booked = await phase(() => {
    ids = Array.from({ length: how.appointments }, (_, index) => clinic.book(index));
  });
  const moved = await phase(() => moveAll(1));
  platform.delivery = { ...platform.delivery, doubleShare: 1 };
  const doubled = await phase(() => moveAll(2));
  platform.delivery = { ...platform.delivery, doubleShare: 0 };
  const burst = await phase(() => {
    for (const [index, id] of ids.entries())
      for (let change = 0; change < BURST_CHANGES; change += 1)
        clinic.move(id, { index, tenMinutes: change % 2 });
  });
  const unshown = await phase(() => {
    for (const [index, id] of ids.entries()) {
      dashboard.linkContact(id, contactId);
      dashboard.changeContact(contactId, { position: `Position ${index}` });
    }
  });
  const events = clinic.people.reduce(
    (sum, { calendarId }) => sum + stage.google.truth.events(calendarId).length,
    0,
  );
  const single = { changes: booked.changes + moved.changes, calls: booked.calls + moved.calls };
  return { single, doubled, burst, unshown, events };
}
