import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import { TerminalError } from '../engine/errors.ts';
import { type Mirror, namedPlaces } from '../engine/mirror.ts';
import { contentHash } from '../engine/object.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { type TypedBound, typedBounds, typedBoundText } from '../mapping/needs.ts';
import type { TimedProgress } from '../operate/audit.ts';
import { formatPlan, type Plan, type PlanChange, type PlanCount } from '../operate/audit-text.ts';
import { MAKE_AGAIN, planState, type SavedPlan, savedSteps } from '../operate/saved-plan.ts';
import { type AuditCost, lasting } from './audit.ts';
import { CONFIG_OPTION } from './config-file.ts';
import { type MappingSession, notAtWork } from './mapping-at-work.ts';
import {
  inAuditLog,
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { writePrivateFile } from './private-file.ts';
import { Progress } from './progress.ts';
import { UsageError } from './usage-error.ts';

export interface PlanSession {
  readonly auditCost: () => Promise<AuditCost>;
  readonly planChanges: (about: {
    readonly tell: (change: PlanChange) => void;
    readonly progress: (step: TimedProgress) => void;
    readonly isDetailed: boolean;
  }) => Promise<Omit<Plan, 'changes' | 'guarded'>>;
  /** Places where the plan removes so much that a person must approve it. */
  readonly guardedPlaces: (
    steps: SavedPlan['steps'],
    standing: ReadonlyMap<string, number>,
  ) => Promise<readonly string[]>;
  close(): Promise<void>;
}

interface PlanOptions extends OperatorOptions {
  readonly detail?: boolean;
  readonly only?: string;
  readonly out?: string;
  readonly prune?: boolean;
  readonly showPeople?: boolean;
}

/** `slotbridge plan`: shows what this YAML would change. Writes nothing. */
export function addPlan(program: Command, parts: OperatorParts<PlanSession> & { clock: Clock }): void {
  operatorCommand(
    program
      .command('plan')
      .description('show what this YAML would change in calendars and tabs; writes nothing'),
  )
    .option(
      '--detail',
      'show every object with its id and every field, old → new; reads the calendars and tabs',
    )
    .option('--only <what>', 'only one mirror, calendar, tab, or kind of object')
    .option('--prune', 'plan to remove what this YAML no longer takes')
    .option('--out <file>', 'save the plan for `slotbridge apply`')
    .option('--show-people', 'show names, and texts that may contain them')
    .action((options: PlanOptions) =>
      inSession(parts, options, async (session, config) => {
        const plan = await makePlan(session, { ...options, config, io: parts.io });
        if (options.out !== undefined) {
          const saved = savePlan(plan, { options, config, atMs: parts.clock.now() });
          writeOut(options.out, saved);
        }
        tell(plan, { options, typed: typedBounds(config) }, parts);
      }),
    );
}

export interface PlanRequest {
  readonly config: Config;
  readonly only?: string;
  readonly prune?: boolean;
  readonly json?: boolean;
  readonly detail?: boolean;
  readonly io: OperatorParts<PlanSession>['io'];
}

export async function makePlan(session: PlanSession, request: PlanRequest): Promise<Plan> {
  const { config, only, prune, io } = request;
  const isMeant = only === undefined ? () => true : scopeOf(only, config.mirrors);
  if (isMeant === undefined) {
    throw new UsageError('scope-unknown', `the YAML has no mirror, calendar, tab or kind of object ${only}`, {
      advice: `Give one of its mirrors (${config.mirrors.map(({ name }) => name).join(', ')}), the id of a calendar, the name of a tab, or a kind such as contacts.`,
    });
  }
  const progress = new Progress({ io, isQuiet: request.json === true });
  const cost = await session.auditCost();
  if (cost.minutes > 0) io.stderr.write(`About ${cost.platform} requests to the platform${lasting(cost)}.\n`);
  const changes: PlanChange[] = [];
  const found = await session.planChanges({
    isDetailed: request.detail === true,
    tell: (change) => {
      if (isMeant(change)) changes.push(prune === true ? pruned(change) : change);
    },
    progress: (step) => progress.showCount(step, { known: cost.known, done: 'looked at' }),
  });
  progress.end();
  const stays = found.stays.filter(isMeant);
  const leftovers = only === undefined ? found.leftovers : found.leftovers.filter(isMeant);
  const guarded = await session.guardedPlaces(savedSteps(changes), standingIn({ changes, stays }));
  const { objects, undecided } = found;
  return { objects, changes, stays, leftovers, guarded, ...(undecided !== undefined && { undecided }) };
}

/** With --prune a person asks for removal, so what would be kept is removed. */
function pruned(change: PlanChange): PlanChange {
  return change.action === 'kept' ? { ...change, action: 'removed', pruned: true } : change;
}

/** How many events or rows each place has now. */
export function standingIn({
  changes,
  stays,
}: {
  readonly changes: readonly PlanChange[];
  readonly stays: readonly PlanCount[];
}): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (place: string, by: number) => counts.set(place, (counts.get(place) ?? 0) + by);
  for (const each of stays) count(each.place, each.count);
  for (const { action, place, from } of changes) if (action !== 'created') count(from ?? place, 1);
  return counts;
}

/** Hashes the text of the YAML, and the mapping with its variables filled in. */
export function hashYaml(path: string, { mirrors, bookings }: Config): string {
  return contentHash([readFileSync(path, 'utf8'), mirrors, bookings]);
}

function savePlan(
  { changes }: Plan,
  about: { readonly options: PlanOptions; readonly config: Config; readonly atMs: number },
): SavedPlan {
  const { options, config, atMs } = about;
  return {
    slotbridge_plan: 1,
    made_at: new Date(atMs).toISOString(),
    yaml: hashYaml(options.config, config),
    state: planState(changes),
    ...(options.only === undefined ? {} : { only: options.only }),
    prune: options.prune === true,
    steps: savedSteps(changes),
  };
}

function writeOut(path: string, plan: SavedPlan): void {
  try {
    writePrivateFile(path, `${JSON.stringify(plan, null, 2)}\n`);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TerminalError('plan-unwritable', `${path} cannot be written (${reason})`, {
      advice: 'Give --out a file in an existing, writable folder.',
      cause,
    });
  }
}

function tell(
  plan: Plan,
  { options, typed }: { readonly options: PlanOptions; readonly typed: readonly TypedBound[] },
  { io }: OperatorParts<PlanSession>,
): void {
  const { detail = false, showPeople = false, out } = options;
  const counts: Record<string, Record<string, number>> = {};
  for (const { mirror, action } of plan.changes) {
    const ofMirror = counts[mirror] ?? {};
    counts[mirror] = { ...ofMirror, [action]: (ofMirror[action] ?? 0) + 1 };
  }
  const on = options.config === CONFIG_OPTION[2] ? '' : ` --config ${options.config}`;
  const next = out === undefined ? [] : ['', `Saved in ${out}. Next: slotbridge apply ${out}${on}`];
  const bounds =
    typed.length === 0 ? [] : ['', 'People may type:', ...typed.map((each) => `  ${typedBoundText(each)}`)];
  say(io, options, {
    text: [formatPlan(plan, { detail, showPeople }), ...bounds, ...next].join('\n'),
    json: { ...plan, typed, counts, changes: plan.changes.map((change) => shown(change, showPeople)) },
  });
}

/** The change without values that may name people, unless a person asks for them. */
function shown({ hash: _, ...change }: PlanChange, showPeople: boolean): Omit<PlanChange, 'hash'> {
  if (showPeople) return change;
  const { name: __, ...object } = change.object;
  const fields = change.fields?.map(({ field, personal, ...values }) =>
    personal === true ? { field, personal } : { field, ...values },
  );
  return { ...change, object, ...(fields === undefined ? {} : { fields }) };
}

/** Selects the part of a plan that one word names: a mirror, a calendar, a tab, or a kind of object. */
type Scope = (each: Pick<PlanCount, 'mirror' | 'place'> & Partial<Pick<PlanChange, 'from'>>) => boolean;

/** Undefined when the word names nothing in the YAML. */
function scopeOf(word: string, mirrors: readonly Mirror[]): Scope | undefined {
  if (mirrors.some(({ name }) => name === word)) return ({ mirror }) => mirror === word;
  const kind = word.replace(/s$/, '');
  const ofKind = mirrors.filter(({ from }) => from === kind).map(({ name }) => name);
  if (ofKind.length > 0) return ({ mirror }) => ofKind.includes(mirror);
  const places = mirrors.flatMap(namedPlaces).filter(({ names }) => names.includes(word));
  if (places.length === 0) return undefined;
  const meant = places.map(({ place }) => place);
  return ({ place, from }) => meant.includes(place) || (from !== undefined && meant.includes(from));
}

interface ApplySession extends PlanSession, MappingSession {
  readonly acts: ActLog;
  readonly applyPlan: (
    steps: SavedPlan['steps'],
    standing: ReadonlyMap<string, number>,
  ) => Promise<{
    readonly given: readonly string[];
    readonly unknown: readonly string[];
    readonly parked: readonly string[];
  }>;
}

type Parts = OperatorParts<ApplySession> & { readonly clock: Clock; readonly onBroken: () => void };

/** `slotbridge apply <plan>`: gives a turn to exactly the objects of a saved plan, if nothing has changed since. */
export function addApply(program: Command, parts: Parts): void {
  operatorCommand(
    program
      .command('apply <plan>')
      .description('give the objects of a saved plan a turn, if neither the YAML nor the state has changed'),
  ).action(async (path: string, options: OperatorOptions) => {
    const { readSavedPlan } = await import('../operate/saved-plan-file.ts');
    const saved = readSavedPlan(readText(path), path);
    await inSession(parts, options, (session, config) => apply(saved, { session, config, options, parts }));
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TerminalError('plan-unreadable', `${path} cannot be read (${reason})`, {
      advice: MAKE_AGAIN,
      cause,
    });
  }
}

async function apply(
  saved: SavedPlan,
  about: {
    readonly session: ApplySession;
    readonly config: Config;
    readonly options: OperatorOptions;
    readonly parts: Parts;
  },
): Promise<void> {
  const { session, config, options, parts } = about;
  if (hashYaml(options.config, config) !== saved.yaml)
    throw outdated(`${options.config} is not the YAML of the plan`);
  const { only, prune, steps } = saved;
  const mapping = await session.whoseMapping();
  if (mapping !== 'own' && steps.some(({ pruned }) => pruned)) {
    throw notAtWork(options.config, {
      what: 'and the plan removes something',
      next: 'Then make the plan again.',
    });
  }
  const json = options.json === true;
  const now = await makePlan(session, {
    ...{ config, prune, io: parts.io, json },
    ...(only === undefined ? {} : { only }),
  });
  if (planState(now.changes) !== saved.state)
    throw outdated(`the state has changed since the plan of ${saved.made_at}`);
  const objects = [...new Set(steps.map(({ key }) => key))];
  const { given, unknown, parked } = await inAuditLog(
    { ...parts, acts: session.acts },
    { what: 'applied', objects },
    {
      run: () => session.applyPlan(steps, standingIn(now)),
      done: (applied) => applied.given.length,
    },
  );
  const text = [
    parked.length > 0
      ? 'Nothing was done: too much would be removed at once.'
      : `${counted(given.length, 'object')} given a turn.`,
    ...unknown.map((key) => `  ${key} is no longer shown by the platform`),
    ...(mapping === 'own' || given.length === 0 ? [] : [NOT_STARTED]),
    ...parked.map(
      (place) =>
        `  If it should be removed: run slotbridge approve orphans '${place}', then this command again.`,
    ),
  ].join('\n');
  say(parts.io, options, { text, json: { objects: given.length, given, unknown, parked, mapping } });
  if (parked.length > 0 || unknown.length > 0) parts.onBroken();
}

const NOT_STARTED =
  'No worker runs with this YAML yet. The objects get their turn when one starts with it (slotbridge start).';

function outdated(why: string): TerminalError {
  return new TerminalError('plan-outdated', `the plan is outdated: ${why}; nothing was done`, {
    advice: MAKE_AGAIN,
  });
}
