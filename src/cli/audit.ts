import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import { DIFFERENCE_REASONS, DIFFERENCES, type Difference, type DifferenceKind } from '../engine/finding.ts';
import type { RedisProblemBoard } from '../engine/problem-board.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Problem } from '../engine/work.ts';
import type { AuditResult } from '../operate/audit/audit.ts';
import type { TimedProgress } from '../operate/audit.ts';
import { countDifferences, formatDifferences, healedOf, toCsv } from '../operate/audit-text.ts';
import { spokenDuration } from '../operate/spoken-time.ts';
import { type MappingSession, notAtWork } from './mapping-at-work.ts';
import {
  inAuditLog,
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { Progress } from './progress.ts';
import { UsageError } from './usage-error.ts';

export interface AuditSession extends MappingSession {
  /** About how many requests the audit takes. */
  readonly auditCost: () => Promise<AuditCost>;
  readonly audit: (about: {
    readonly tell: (difference: Difference) => void;
    readonly progress: (step: TimedProgress) => void;
  }) => Promise<AuditResult>;
  readonly fixAll: (
    chosen: readonly Difference[],
    standingIn: ReadonlyMap<string, number>,
  ) => Promise<AuditHealed>;
  readonly problems: Pick<RedisProblemBoard, 'list'>;
  readonly acts: ActLog;
  close(): Promise<void>;
}

export interface AuditCost {
  /** Requests. */
  readonly platform: number;
  readonly google: number;
  /** Objects that are known of the kinds to compare. */
  readonly known: number;
  /** How long the platform's limit makes them last; 0: less than a minute, or unknown. */
  readonly minutes: number;
  /** The same for Google's quotas. A plan does not read Google. */
  readonly googleMinutes: number;
}

export interface AuditHealed {
  /** What was done, and to how many differences. */
  readonly counts: Readonly<Record<string, number>>;
  /** Places where a removal waits for a person's approval. */
  readonly parked: readonly string[];
}

interface AuditOptions extends OperatorOptions {
  readonly csv?: boolean;
  readonly fix?: string;
}

type Parts = OperatorParts<AuditSession> & { readonly clock: Clock; readonly onBroken: () => void };

/** `slotbridge audit`: compares the platform with calendars and tabs, and gives a reason for each difference. */
export function addAudit(program: Command, parts: Parts): void {
  operatorCommand(
    program
      .command('audit')
      .description(
        'compare the platform with the actual calendars and tabs, and give a reason for every difference',
      ),
  )
    .option('--csv', 'print all differences as CSV')
    .option(
      '--fix <classes>',
      'heal these differences, comma-separated: missing, stale, doubled, orphaned, unmapped, or a reason',
    )
    .action((options: AuditOptions) =>
      inSession(parts, options, (session) => audit(session, options, parts)),
    );
}

async function audit(session: AuditSession, options: AuditOptions, parts: Parts): Promise<void> {
  const { io } = parts;
  const classes = readClasses(options.fix);
  // Before the first start, and after Redis was lost, no links of another mapping exist.
  if (REMOVALS.some((what) => classes.has(what)) && (await session.whoseMapping()) === 'another') {
    throw notAtWork(options.config, {
      what: 'and --fix may remove something',
      next: 'Then run this command again.',
    });
  }
  const cost = await session.auditCost();
  const { platform, google } = cost;
  const writes = classes.size > 0 ? 'then --fix heals what it names' : 'nothing is written';
  io.stderr.write(
    `About ${platform} requests to the platform and ${google} to Google${lasting(cost, cost.googleMinutes)}; ${writes}.\n`,
  );
  const differences: Difference[] = [];
  const progress = new Progress({ io, isQuiet: options.json === true });
  const summary = await session.audit({
    tell: (difference) => differences.push(difference),
    progress: (step) => progress.showCount(step, { known: cost.known, done: 'compared' }),
  });
  progress.end();
  const chosen = differences.filter((each) => isChosen(each, classes));
  const objects = chosen.map(({ key }) => key);
  const healed = await inAuditLog(
    { ...parts, acts: session.acts },
    { what: 'healed', objects },
    {
      run: () => session.fixAll(chosen, summary.standingIn),
      done: healedOf,
    },
  );
  const cells = (await session.problems.list()).filter(({ code }) => CELL_PROBLEMS.includes(code));
  tell(parts, options, { differences, summary, healed, cells, hasFixed: classes.size > 0 });
  const left = differences.filter((each) => each.why !== 'pending' && !chosen.includes(each));
  const isWaiting = healed.parked.length > 0 || NOT_HEALED.some((done) => healed.counts[done] !== undefined);
  if (left.length > 0 || summary.unread.size > 0 || summary.unjudged.size > 0 || isWaiting) parts.onBroken();
}

/** `googleMinutes`: for a command that also reads Google. */
export function lasting({ minutes }: Pick<AuditCost, 'minutes'>, googleMinutes = 0): string {
  const all = minutes + googleMinutes;
  if (all === 0) return '';
  const limit = googleMinutes === 0 ? "at the platform's limit" : "at the platform's and Google's limits";
  return `, at least ${all === 1 ? '1 min' : spokenDuration(all * 60)} ${limit}`;
}

function tell(
  { io }: Parts,
  options: AuditOptions,
  found: {
    readonly differences: readonly Difference[];
    readonly summary: AuditResult;
    readonly healed: AuditHealed;
    readonly cells: readonly Problem[];
    readonly hasFixed: boolean;
  },
): void {
  const { differences, summary, cells, hasFixed } = found;
  const { counts: fixed, parked } = found.healed;
  const [unread, unjudged] = [Object.fromEntries(summary.unread), Object.fromEntries(summary.unjudged)];
  const { objects, standing } = summary;
  const healed = Object.entries(fixed).map(([done, count]) => `  ${done}: ${count}`);
  const read = [
    `${counted(objects, 'object')} of the platform, ${counted(standing, 'event or row', 'events and rows')} read.`,
    ...Object.entries(unread).map(
      ([place, code]) => `  ${place} could not be read (${code}): its differences are unknown`,
    ),
    ...(summary.unread.size > 0 ? [UNREAD_ADVICE] : []),
    ...unjudgedLines(summary.unjudged),
    ...cells.flatMap(({ message, advice }) => [`  ${message}`, `  -> ${advice}`]),
  ];
  const done = [
    ...(hasFixed ? ['Healed:', ...(healed.length > 0 ? healed : ['  nothing was named'])] : []),
    ...parked.flatMap(parkedLines),
  ];
  if (options.csv === true) {
    // Differences go to standard output, the rest to standard error.
    io.stdout.write(`${toCsv(differences)}\r\n`);
    io.stderr.write(`${[...read, ...done].join('\n')}\n`);
    return;
  }
  const counts = countDifferences(differences);
  const isWhole = summary.unread.size === 0 && summary.unjudged.size === 0;
  say(io, options, {
    text: [...read, formatDifferences(differences, isWhole), ...done].join('\n'),
    json: { objects, standing, counts, unread, unjudged, cells, fixed, parked, differences },
  });
}

/** Cells of people in which something may be wrong although every object's row is right: only a person can compare them. */
const CELL_PROBLEMS = ['cells-left', 'cells-covered', 'rows-unsure'];

const UNREAD_ADVICE =
  '  -> `slotbridge status` and `slotbridge check --live` say how to fix it. Then repeat the command.';

const UNJUDGED_SHOWN_MAX = 10;

function unjudgedLines(unjudged: ReadonlyMap<string, string>): readonly string[] {
  const lines = [...unjudged].map(([name, code]) => `  ${name} cannot be judged (${code})`);
  const rest = lines.length - UNJUDGED_SHOWN_MAX;
  const more = rest > 0 ? [`  … and ${rest} more that cannot be judged; --json has all`] : [];
  return [...lines.slice(0, UNJUDGED_SHOWN_MAX), ...more];
}

/** Outcomes of `--fix` after which the difference still exists. */
const NOT_HEALED = ['not shown to the key', 'nothing'];

function parkedLines(place: string): readonly string[] {
  return [
    `Nothing was removed in ${place}: there are too many, or nothing proves that the platform no longer has them.`,
    `  Check that the API key covers all projects, and that \`where\` is right. If they should be removed: run slotbridge approve orphans '${place}', then this command again.`,
  ];
}

function readClasses(written: string | undefined): ReadonlySet<string> {
  const known: readonly string[] = [...DIFFERENCES, ...DIFFERENCE_REASONS];
  const classes = (written ?? '').split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
  const unknown = classes.find((each) => !known.includes(each));
  if (unknown === undefined) return new Set(classes);
  throw new UsageError('class-unknown', `unknown class ${unknown}`, {
    advice: `Known classes: ${known.join(', ')}.`,
  });
}

/** `--fix` removes these. Each must be named itself, because a reason never selects a removal. */
const REMOVALS: readonly DifferenceKind[] = ['orphaned', 'doubled', 'unmapped'];

/** What is under way heals by itself: a look a moment later would not find it. */
function isChosen({ what, why }: Difference, classes: ReadonlySet<string>): boolean {
  if (why === 'pending') return false;
  return classes.has(what) || (!REMOVALS.includes(what) && classes.has(why));
}
