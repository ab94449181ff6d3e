import type { Plan } from './act.ts';
import type { Row } from './main.ts';
import type { Outcome } from './play.ts';

const ACTS_SHOWN_MAX = 40;
/** In the order of the table. */
const COUNTED = ['acts', 'clocksSet', 'stopsOverDue', 'rowsPasted', 'appointments'] as const;

/** The command that plays the same acts again. */
export function replayOf(
  { seed }: Plan,
  options: {
    readonly minutes: string;
    readonly without: string;
    readonly cuts?: boolean;
    readonly plan?: string | undefined;
  },
): string {
  if (options.plan !== undefined) return `replay: npm run chaos -- --plan ${options.plan}`;
  const without = options.without === '' ? '' : ` --without ${options.without}`;
  const cuts = options.cuts === true ? ' --cuts' : '';
  return `replay: npm run chaos -- --seed ${seed} --minutes ${options.minutes}${cuts}${without}`;
}

/** One line for a good run; for a bad one what is wrong, what was done to those concerned, and how to play it again. */
export function failureText(outcome: Outcome, replay: string): string {
  const { plan, violations, story, explained } = outcome;
  const head = `seed ${plan.seed}: ${violations.length === 0 ? 'ok' : `${violations.length} wrong`}; ${settingsOf(plan)}; ${figuresOf(outcome)}`;
  if (violations.length === 0) return head;
  const subjects = new Set(violations.map(({ subject }) => subject));
  const concerns = (line: string) =>
    /redis|cut-off|restart|kill|freeze|clock|paste|share|quiet|begin|full|quota|grants|rename-header|endpoint/.test(
      line,
    ) || [...subjects].some((name) => new RegExp(`\\b${name.replaceAll(/[^\w-]/g, '.')}\\b`).test(line));
  return [
    head,
    ...violations.map(({ promise, kind, subject, text }) => `  ${promise} ${kind} · ${subject}: ${text}`),
    '  what was done to them, and to the machines:',
    ...story
      .filter(concerns)
      .slice(-ACTS_SHOWN_MAX)
      .map((line) => `    ${line}`),
    ...explained.flatMap((text) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => `    ${line}`),
    ),
    `  ${replay}`,
    '  The acts and their order are the same each time; what the worker does between them is real time, and differs.',
    ...(outcome.folder === undefined ? [] : [`  kept: ${outcome.folder}`]),
  ].join('\n');
}

function settingsOf({ settings: { workers, redis, cuts, edits, notify } }: Plan): string {
  const { moved, deleted, conflict, graceS } = edits;
  return `${workers} worker${workers === 1 ? '' : 's'}, ${redis} redis${cuts === true ? ' behind cutting proxies' : ''}, ${moved}/${deleted}/${conflict}, grace ${graceS} s${notify ? ', mails' : ''}`;
}

function figuresOf({ tookS, restedAfterS, mendedAfterS, counts }: Outcome): string {
  const { acts, skipped, appointments, clocksSet, stopsOverDue, rowsPasted } = counts;
  const machine = [
    ...(clocksSet > 0 ? [`clocks set ${clocksSet} times`] : []),
    ...(stopsOverDue > 0 ? ['stopped over a due minute'] : []),
    ...(rowsPasted > 0 ? [`${rowsPasted} rows pasted`] : []),
  ].map((each) => `, ${each}`);
  return `${acts} acts (${skipped} not possible)${machine.join('')}, ${appointments} appointments, rest after ${restedAfterS.toFixed(1)} s, mended after ${mendedAfterS.toFixed(1)} s, ${tookS.toFixed(1)} s in all`;
}

export function tableOf(rows: readonly Row[]): string {
  const bad = rows.filter(({ outcome }) => outcome === undefined || outcome.violations.length > 0);
  const byKind = new Map<string, number[]>();
  for (const { plan, outcome } of rows)
    for (const kind of new Set(
      outcome?.violations.map((each) => `${each.promise} ${each.kind}`) ?? ['run failed'],
    ))
      byKind.set(kind, [...(byKind.get(kind) ?? []), plan.seed]);
  const sum = (of: (outcome: Outcome) => number) =>
    rows.reduce((total, { outcome }) => total + (outcome === undefined ? 0 : of(outcome)), 0);
  const slowest = Math.max(0, ...rows.map(({ outcome }) => outcome?.restedAfterS ?? 0));
  return [
    '',
    `| seeds | failed | acts | clocks set | stops over a due minute | rows pasted | appointments | slowest rest | found |`,
    `|---|---|---|---|---|---|---|---|---|`,
    `| ${[rows.length, bad.length, ...COUNTED.map((name) => sum(({ counts }) => counts[name]))].join(' | ')} | ${slowest.toFixed(0)} s | ${byKind.size === 0 ? 'nothing' : ''} |`,
    ...[...byKind]
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([kind, seeds]) => `| | ${seeds.length} | | | | | | | ${kind}: seeds ${seeds.join(', ')} |`),
  ].join('\n');
}
