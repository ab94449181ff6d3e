import type { Command } from 'commander';
import { DIFFERENCE_REASONS, DIFFERENCES, type Difference } from '../domain/difference.ts';
import { TerminalError } from '../domain/errors.ts';
import { countDifferences, formatDifferences, toCsv } from '../ops/audit-text.ts';
import { counted } from '../ops/idle.ts';
import {
  atDesk,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface AuditDesk {
  /** About how many requests it will take. */
  readonly auditCost: () => Promise<AuditCost>;
  readonly audit: (about: {
    readonly tell: (difference: Difference) => void;
    readonly progress: (step: { readonly reading: string; readonly objects: number }) => void;
  }) => Promise<AuditSummary>;
  readonly fix: (difference: Difference) => Promise<string>;
  close(): Promise<void>;
}

export interface AuditCost {
  readonly platform: number;
  readonly google: number;
}

export interface AuditSummary {
  readonly objects: number;
  readonly standing: number;
  readonly unread: ReadonlyMap<string, string>;
  readonly unjudged: ReadonlyMap<string, string>;
}

interface AuditOptions extends OperatorOptions {
  readonly csv?: boolean;
  readonly fix?: string;
}

type Parts = OperatorParts<AuditDesk> & { readonly onBroken: () => void };

/** `slotbridge audit`: the platform's truth against what stands in calendars and tabs, a reason per difference. */
export function addAudit(program: Command, parts: Parts): void {
  operatorCommand(
    program
      .command('audit')
      .description(
        'compare the platform with what stands in calendars and tabs, and say why each difference is',
      ),
  )
    .option('--csv', 'print all differences as CSV')
    .option(
      '--fix <classes>',
      'heal what is named, by commas: missing, stale, doubled, orphaned, unmapped, or a reason',
    )
    .action((options: AuditOptions) => atDesk(parts, options, (desk) => audit(desk, options, parts)));
}

async function audit(desk: AuditDesk, options: AuditOptions, parts: Parts): Promise<void> {
  const { io } = parts;
  const classes = readClasses(options.fix);
  const { platform, google } = await desk.auditCost();
  io.stderr.write(
    `About ${platform} requests to the platform and ${google} to Google; nothing is written.\n`,
  );
  const isTerminal = io.stdout.isTTY === true;
  const differences: Difference[] = [];
  const summary = await desk.audit({
    tell: (difference) => differences.push(difference),
    progress: ({ reading, objects }) => {
      if (isTerminal) io.stderr.write(`\r\u001b[K${reading}: ${counted(objects, 'object')} compared`);
    },
  });
  if (isTerminal) io.stderr.write('\r\u001b[K');
  const chosen = differences.filter((each) => isChosen(each, classes));
  const fixed: Record<string, number> = {};
  for (const difference of chosen) {
    const done = await desk.fix(difference);
    fixed[done] = (fixed[done] ?? 0) + 1;
  }
  tell(parts, options, { differences, summary, fixed, hasFixed: classes.size > 0 });
  const left = differences.filter((each) => each.why !== 'pending' && !chosen.includes(each));
  if (left.length > 0 || summary.unread.size > 0) parts.onBroken();
}

function tell(
  { io }: Parts,
  options: AuditOptions,
  found: {
    readonly differences: readonly Difference[];
    readonly summary: AuditSummary;
    readonly fixed: Readonly<Record<string, number>>;
    readonly hasFixed: boolean;
  },
): void {
  const { differences, summary, fixed, hasFixed } = found;
  if (options.csv === true) {
    io.stdout.write(`${toCsv(differences)}\r\n`);
    return;
  }
  const [unread, unjudged] = [Object.fromEntries(summary.unread), Object.fromEntries(summary.unjudged)];
  const { objects, standing } = summary;
  const healed = Object.entries(fixed).map(([done, count]) => `  ${done}: ${count}`);
  const text = [
    `${counted(objects, 'object')} of the platform, ${counted(standing, 'event or row', 'events and rows')} read.`,
    ...Object.entries(unread).map(
      ([place, code]) => `  ${place} could not be read (${code}): nothing is known of it`,
    ),
    ...Object.entries(unjudged).map(([name, code]) => `  ${name} cannot be judged (${code})`),
    formatDifferences(differences),
    ...(hasFixed ? ['Healed:', ...(healed.length > 0 ? healed : ['  nothing was named'])] : []),
  ].join('\n');
  const counts = countDifferences(differences);
  say(io, options, { text, json: { objects, standing, counts, unread, unjudged, fixed, differences } });
}

function readClasses(written: string | undefined): ReadonlySet<string> {
  const known: readonly string[] = [...DIFFERENCES, ...DIFFERENCE_REASONS];
  const classes = (written ?? '').split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
  const unknown = classes.find((each) => !known.includes(each));
  if (unknown === undefined) return new Set(classes);
  throw new TerminalError('class-unknown', `there is no class ${unknown}`, {
    advice: `Name some of ${known.join(', ')}.`,
  });
}

/** What would be taken away is taken away only where that very class is named. */
function isChosen({ what, why }: Difference, classes: ReadonlySet<string>): boolean {
  if (classes.has(what)) return true;
  return what !== 'orphaned' && what !== 'doubled' && classes.has(why);
}
