// One run of a plan: the world is set up, the acts are done at their times, then everything is lifted, and when the worker has come to
// rest the judge has its say. The order of acts comes from the plan; what the worker does between them is real time and never the same twice.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../../../test/stand/patience.ts';
import { type Act, type Deed, madeBy, type Plan } from './act.ts';
import { calendarHands } from './calendar-hands.ts';
import { FINAL, judge, type Observed, PROMISES, type Violation } from './judge.ts';
import { Skipped, type Subject, type Wire } from './ledger.ts';
import { CHECK_EVERY_S, INTAKE_EVERY_S } from './mapping.ts';
import { BOOK, CALENDARS } from './names.ts';
import { phoneHands } from './phone-hands.ts';
import { platformHands } from './platform-hands.ts';
import { checkPeoplesCells, notePeoplesCells, sheetHands } from './sheet-hands.ts';
import { type Stage, setStage } from './stage.ts';
import { spoken } from './subjects.ts';
import { lift, troubles } from './troubles.ts';

const READY_WITHIN_MS = 180_000;
const FIRST_REST_WITHIN_MS = 180_000;
/** Generous: what waits for a quota of Google waits for a minute. */
const REST_WITHIN_MS = 150_000;
/** A worker at rest that has not mended everything yet has so much longer. */
const MEND_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 200;
/** An act that waits for a call of the worker is done after this long without one. */
const WAIT_FOR_CALL_MS = 2_500;

export interface Outcome {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  /** What was done, and when; what came of it. */
  readonly story: readonly string[];
  /** What the worker knows of each booking that something is wrong with. */
  readonly explained: readonly string[];
  /** Seconds. */
  readonly tookS: number;
  /** From the end of the acts to the first moment at which the worker said that it rests. */
  readonly restedAfterS: number;
  /** From then on to the moment at which the judge had nothing more to say, or gave up. */
  readonly mendedAfterS: number;
  readonly counts: {
    readonly acts: number;
    readonly skipped: number;
    readonly appointments: number;
    readonly clocksSet: number;
    readonly stopsOverDue: number;
    readonly rowsPasted: number;
  };
  readonly folder: string | undefined;
}

export interface PlayOptions {
  readonly signal?: AbortSignal;
  /** Leave the folder with logs and configuration. */
  readonly keep?: boolean;
  /** Has the worker's own audit look, too, where the judge finds nothing wrong. */
  readonly audit?: boolean;
  readonly onLine?: (line: string) => void;
}

export async function play(plan: Plan, options: PlayOptions = {}): Promise<Outcome> {
  const startedAt = performance.now();
  const stage = await setStage(plan);
  const story: string[] = [];
  const machine = { acts: 0, skipped: 0, clocksSet: 0, stopsOverDue: 0, rowsPasted: 0 };
  let epoch = performance.now();
  const say = (line: string): void => {
    const told = `${((performance.now() - epoch) / 1_000).toFixed(2).padStart(6)} ${line}`;
    story.push(told);
    options.onLine?.(told);
  };
  const aborted = () => options.signal?.throwIfAborted();
  try {
    const run = (act: Act): void => {
      const result = perform(stage, act);
      machine.acts += 1;
      if (result.skipped) machine.skipped += 1;
      if (act.do === 'set-clock') machine.clocksSet += 1;
      if (act.do === 'freeze-over-due') machine.stopsOverDue += 1;
      if (act.do === 'paste-rows') machine.rowsPasted += act.rows.length;
      say(`${spell(act)}${result.said === '' ? '' : `: ${result.said}`}`);
      const isUndone = (error: unknown) => {
        machine.skipped += 1;
        say(`${spell(act)}: not done, ${error instanceof Error ? error.message.slice(0, 120) : error}`);
      };
      for (const job of result.jobs) jobs.push(job.catch(isUndone));
    };
    const jobs: Promise<unknown>[] = [];
    const ahead = plan.acts.filter(({ at }) => at < 0);
    for (const act of ahead) run(act);
    if (plan.settings.caldav === true && stage.galina === undefined)
      say('no radicale can be run here, so the calendar of Galina stays on Google');
    for (const worker of stage.workers) worker.start();
    for (const worker of stage.workers) await worker.untilReady(READY_WITHIN_MS);
    const first = await untilRest(stage, { withinMs: FIRST_REST_WITHIN_MS, aborted, isThorough: false });
    if (first.length > 0)
      throw new Error(
        `the worker never rested before anything was done: ${[...first, ...stage.workers.map((each) => each.tail())].join('; ')}`,
      );
    epoch = performance.now();
    say('the worker rests; here the acts begin');
    const off: (() => void)[] = [];
    for (const act of plan.acts.filter(({ at }) => at >= 0)) {
      const waitMs = act.at - (performance.now() - epoch);
      if (waitMs > 0) await sleep(waitMs);
      aborted();
      off.push(whenItsTime(stage, act, run));
    }
    for (const finish of off) finish();
    await Promise.allSettled(jobs);
    const quietAt = performance.now();
    say('quiet: everything is lifted');
    await lift(stage);
    const { violations: judgedWrong, restedMs, endMs } = await verdict(stage, aborted);
    const isAudited = options.audit === true && judgedWrong.length === 0;
    const violations = isAudited ? await falseFindings(stage) : judgedWrong;
    const tookS = (performance.now() - startedAt) / 1_000;
    say(`judged: ${violations.length} violations`);
    return {
      ...{ plan, violations, story, tookS },
      explained: violations.length === 0 ? [] : await explain(stage, violations),
      restedAfterS: (restedMs - quietAt) / 1_000,
      mendedAfterS: (endMs - restedMs) / 1_000,
      counts: { ...machine, appointments: stage.platform.truth.appointments().length },
      folder: options.keep === true ? stage.folder : undefined,
    };
  } finally {
    await stage.close(options.keep === true);
  }
}

type Result = {
  readonly skipped: boolean;
  readonly said: string;
  readonly jobs: readonly Promise<unknown>[];
};

const HANDS = { ...platformHands, ...calendarHands, ...phoneHands, ...sheetHands, ...troubles };

/** Does it now. What the sandbox refuses, as it would refuse people, is no failure of anybody. */
function perform(stage: Stage, act: Act): Result {
  try {
    checkPeoplesCells(stage);
    const hand = HANDS[act.do] as (stage: Stage, deed: Deed) => void | Promise<void>;
    const job = hand(stage, act);
    return { skipped: false, said: '', jobs: job === undefined ? [] : [job] };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return {
      skipped: true,
      said: `${error instanceof Skipped ? 'not done' : 'refused'}, ${said.slice(0, 120)}`,
      jobs: [],
    };
  } finally {
    notePeoplesCells(stage);
  }
}

/** At once, or right before a call of the worker. The answer does it now if it has not been done yet. */
function whenItsTime(stage: Stage, act: Act, run: (act: Act) => void): () => void {
  if (act.before === undefined) {
    run(act);
    return () => undefined;
  }
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    callOff();
    run(act);
  };
  const callOff = stage.between.wait(act.before, once);
  const timer = setTimeout(once, WAIT_FOR_CALL_MS);
  return once;
}

/** Waits for rest, judges, and waits on while what is wrong can still be mended. */
async function verdict(stage: Stage, aborted: () => void) {
  const rest = () => untilRest(stage, { withinMs: REST_WITHIN_MS, aborted, isThorough: true });
  let notIdle = await rest();
  if (await allowMails(stage)) notIdle = await rest();
  const restedMs = performance.now();
  let violations = await judged(stage, notIdle);
  const isOpen = () => violations.some(({ kind }) => !FINAL.has(kind));
  while (notIdle.length === 0 && isOpen() && performance.now() - restedMs < MEND_WITHIN_MS) {
    await sleep(1_000);
    aborted();
    violations = await judged(stage, []);
  }
  return { violations, restedMs, endMs: performance.now() };
}

/** What a person does when the worker asks whether so many mails are meant. False when it does not ask. */
async function allowMails(stage: Stage): Promise<boolean> {
  const { deadLetters } = await observe(stage, []);
  if (!deadLetters.some(({ codes }) => codes.includes('mail-storm'))) return false;
  await slotbridge(stage, 'approve', 'mails');
  await slotbridge(stage, 'deadletters', 'retry', '--code', 'mail-storm');
  return true;
}

async function judged(stage: Stage, notIdle: readonly string[]): Promise<Violation[]> {
  const { ledger, settings, company } = stage;
  return judge({ observed: await observe(stage, notIdle), ledger, settings, company });
}

/** Live events by calendar id. */
function calendarsNow({ google, galina }: Stage): ReadonlyMap<string, readonly Wire[]> {
  const googles = Object.values(CALENDARS).map(
    (id) => [id, google.truth.events(id) as readonly Wire[]] as const,
  );
  return new Map([
    ...googles,
    ...(galina === undefined ? [] : [[galina.calendarId, galina.events()] as const]),
  ]);
}

async function observe(stage: Stage, notIdle: readonly string[]): Promise<Observed> {
  const { platform, google, workers } = stage;
  const [status] = (await Promise.all(workers.map((worker) => worker.status()))).filter(
    (each) => each !== undefined,
  );
  return {
    appointments: platform.truth.appointments(),
    contacts: platform.truth.contacts(),
    mails: platform.truth.customerMails(),
    googleMails: google.stats().mailsSent,
    calendars: calendarsNow(stage),
    tabs: new Map(['Visits', 'Contacts', 'Intake'].map((tab) => [tab, google.truth.values(BOOK, tab)])),
    deadLetters: (status?.dead_letters.recent ?? []).map(({ key, reasons }) => ({
      key,
      codes: reasons.map(({ code }) => code),
    })),
    notIdle,
    crashes: workers.flatMap(({ crashes }) => crashes),
  };
}

/** Time for two looks into the booking tab: at the first a row gets its id, at the second it is taken. */
const ROWS_TAKEN_MS = (2 * INTAKE_EVERY_S + 1) * 1_000;
const TABS_SEEN_MS = (CHECK_EVERY_S + 1) * 1_000;

/** Why no worker is at rest; empty as soon as one is, and all of them live. */
async function untilRest(
  { workers, settings }: Stage,
  wait: { readonly withinMs: number; readonly aborted: () => void; readonly isThorough: boolean },
): Promise<readonly string[]> {
  const sinceMs = Date.now();
  const deadline = performance.now() + wait.withinMs;
  let why: readonly string[] = ['no worker answers'];
  let calm = 0;
  while (performance.now() < deadline) {
    wait.aborted();
    const statuses = await Promise.all(workers.map((worker) => worker.status()));
    why = statuses.flatMap((status) => {
      if (status === undefined) return ['a worker does not answer'];
      const seen = (covered: string | null, afterMs: number, what: string) =>
        Date.parse(covered ?? '1970') > sinceMs + afterMs ? [] : [`${what} is not read yet`];
      const { feed, calendars, intake_sheets: sheets } = status.coverage;
      const graceMs = settings.edits.graceS * 1_000 + 1_000;
      return [
        ...status.not_idle_because,
        ...seen(feed.covered_until, 0, 'the feed'),
        ...(wait.isThorough
          ? [
              ...calendars.flatMap((each) => seen(each.covered_until, graceMs, each.calendar)),
              ...sheets.flatMap((each) => seen(each.covered_until, ROWS_TAKEN_MS, each.entry)),
              ...seen(status.at, TABS_SEEN_MS, 'a tab'),
            ]
          : []),
        ...status.problems
          .filter(({ code }) => !PEOPLES_PROBLEMS.has(code))
          .map(({ target, code }) => `${target}: ${code}`),
      ];
    });
    calm = why.length === 0 ? calm + 1 : 0;
    if (calm >= 2) return [];
    await sleep(LOOK_EVERY_MS);
  }
  return [...new Set(why)];
}

/** A copied row stands there until people take it away; of rows that were changed at once people are told for an hour, of cells under a write for a day. */
const PEOPLES_PROBLEMS = new Set([
  ...['duplicate-key', 'rows-changed-at-once'],
  ...['cells-left', 'cells-covered', 'rows-unsure'],
]);

const EXPLAINED_MAX = 4;

/** What stands of those concerned, and what the worker tells of it. */
async function explain(stage: Stage, violations: readonly Violation[]): Promise<string[]> {
  const named = [...new Set(violations.map(({ subject }) => subject))].flatMap(
    (name) => stage.ledger.subjects.get(name) ?? [],
  );
  const standing = named.flatMap((subject) => standingOf(stage, subject));
  const texts = [...violations.map(({ text }) => text), ...standing].join('\n');
  const ids = new Set(texts.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []);
  const told = standing;
  for (const id of [...ids].slice(0, EXPLAINED_MAX)) {
    if (stage.platform.truth.appointment(id) === undefined) continue;
    const said = await explained(stage, `appointment/${id}`);
    told.push(said);
    // What is pending may be the wish itself.
    const booking = /\bbooking ([0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12})\b/.exec(said)?.[1];
    if (booking !== undefined) told.push(await explained(stage, `booking/${booking}`));
  }
  return told;
}

async function explained(stage: Stage, key: string): Promise<string> {
  const said = await slotbridge(stage, 'explain', key).catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => ({
      stdout: error.stdout || `could not be explained: ${String(error.stderr ?? error).slice(-300)}`,
    }),
  );
  return `${key}\n${said.stdout}`;
}

/** What the audit tells of a company in which everything is right. */
async function falseFindings(stage: Stage): Promise<Violation[]> {
  const failed = (error: { readonly stdout?: string }) => ({
    stdout: error.stdout || '{"unread":"no answer"}',
  });
  const { stdout } = await slotbridge(stage, 'audit', '--json').catch(failed);
  const { differences = [], unread } = JSON.parse(stdout) as {
    readonly differences?: readonly object[];
    readonly unread: unknown;
  };
  const told = [...differences, ...(JSON.stringify(unread) === '{}' ? [] : [{ unread }])];
  const kind = 'false-finding';
  return told.map((each) => ({
    ...{ kind, promise: PROMISES[kind], subject: 'audit', text: JSON.stringify(each).slice(0, 500) },
  }));
}

/** The command, as people run it. Rejects when it fails. */
function slotbridge(stage: Stage, ...words: readonly string[]) {
  const main = new URL('../../../dist/main.js', import.meta.url).pathname;
  const args = [main, ...words, '--config', stage.config];
  return promisify(execFile)(process.execPath, args, { timeout: PATIENCE_MS });
}

function standingOf(stage: Stage, subject: Subject): string[] {
  const { platform, google, company } = stage;
  const contacts = new Map(platform.truth.contacts().map((each) => [each['id'], each['phone']]));
  const own = platform.truth
    .appointments()
    .filter(
      (each) =>
        each['id'] === subject.appointmentId ||
        (each['customer_phone'] ?? contacts.get(String(each['contact_id']))) === subject.phone,
    );
  const stems = own.map((each) => String(each['id']).replaceAll('-', ''));
  const events = [...calendarsNow(stage)].flatMap(([calendarId, all]) =>
    all
      .filter(({ id }) => id === subject.eventId || stems.some((stem) => String(id).includes(stem)))
      .map(
        (event) =>
          `event ${event['id']} in ${calendarId} at ${JSON.stringify(event['start'])} "${event['summary']}" ${JSON.stringify(event['description'])}`,
      ),
  );
  const rows = google.truth
    .formatted(BOOK, 'Intake')
    .filter((row) => row.some((cell) => cell === spoken(subject.phone)))
    .map((row) => `row ${row.join(' | ')}`);
  const wishes = subject.wishes.map(({ by, start = '', resource = '' }) =>
    [by, start, company.names.get(resource) ?? resource].filter((part) => part !== '').join(' '),
  );
  return [
    `${subject.name}: wished ${wishes.join(', ')}; cancelled by ${subject.cancels.join(', ') || 'nobody'}`,
    ...own.map(
      (each) =>
        `  appointment ${each['id']} ${each['status']} ${each['starts_at']} ${company.names.get(String(each['resource_id']))} ${each['cancelled_by'] ?? ''}`,
    ),
    ...events.map((line) => `  ${line}`),
    ...rows.map((line) => `  ${line}`),
  ];
}

/** `  3.20 drag A3 slot=17`. */
export function spell(act: Act): string {
  const { at: _, do: what, before, ...named } = act;
  const rest = act.do === 'paste-rows' ? { rows: `${madeBy(act).names}` } : named;
  const said = Object.entries(rest).map(([name, value]) =>
    name === 'who' || name === 'as' ? String(value) : `${name}=${String(value)}`,
  );
  return [what, ...said, ...(before === undefined ? [] : [`(before a ${before})`])].join(' ');
}
