import type { Command } from 'commander';
import { counted } from '../ops/idle.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface PlanSession {
  readonly planChanges: (about: {
    readonly tell: (change: Change) => void;
    readonly progress: (step: { readonly reading: string; readonly objects: number }) => void;
  }) => Promise<{ readonly objects: number; readonly leftovers: readonly Left[] }>;
  close(): Promise<void>;
}

interface Change {
  readonly action: string;
  readonly key: string;
  readonly mirror: string;
}

interface Left {
  readonly mirror: string;
  readonly place: string;
  readonly count: number;
}

const SHOWN_OF_EACH_MAX = 10;
const SIGNS: Readonly<Record<string, string>> = {
  created: '+',
  updated: '~',
  moved: '>',
  removed: '-',
  kept: '=',
};

/** `slotbridge plan`: what this YAML would change, and nothing is written. */
export function addPlan(program: Command, parts: OperatorParts<PlanSession>): void {
  operatorCommand(
    program
      .command('plan')
      .description('what this YAML would change in calendars and tabs; nothing is written'),
  ).action((options: OperatorOptions) =>
    inSession(parts, options, (session) => plan(session, options, parts)),
  );
}

async function plan(
  session: PlanSession,
  options: OperatorOptions,
  { io }: OperatorParts<PlanSession>,
): Promise<void> {
  const isTerminal = io.stdout.isTTY === true && options.json !== true;
  const changes: Change[] = [];
  const { objects, leftovers } = await session.planChanges({
    tell: (change) => changes.push(change),
    progress: (step) => {
      if (isTerminal)
        io.stdout.write(`\r\u001b[K${step.reading}: ${counted(step.objects, 'object')} looked at`);
    },
  });
  if (isTerminal) io.stdout.write('\r\u001b[K');
  const counts: Record<string, Record<string, number>> = {};
  for (const { mirror, action } of changes) {
    const ofMirror = counts[mirror] ?? {};
    counts[mirror] = { ...ofMirror, [action]: (ofMirror[action] ?? 0) + 1 };
  }
  const text = [
    `${counted(objects, 'object')} looked at; nothing was written.`,
    ...(changes.length === 0
      ? ['Nothing would change.']
      : Object.keys(counts).flatMap((name) => describe(name, changes))),
    ...leftovers.map(
      ({ mirror, place, count }) =>
        `= ${mirror} in ${place}: ${counted(count, 'event or row', 'events and rows')} of a mirror or place that the YAML does not name; they stay`,
    ),
  ].join('\n');
  say(io, options, { text, json: { objects, counts, changes, leftovers } });
}

function describe(mirror: string, changes: readonly Change[]): readonly string[] {
  const own = changes.filter((change) => change.mirror === mirror);
  const actions = [...new Set(own.map(({ action }) => action))].sort();
  return actions.flatMap((action) => {
    const sign = SIGNS[action] ?? '!';
    const keys = own.filter((change) => change.action === action).map(({ key }) => key);
    const rest = keys.length - SHOWN_OF_EACH_MAX;
    return [
      `${sign} ${mirror}: ${keys.length} ${WORDS[action] ?? `cannot be told (${action})`}`,
      ...keys.slice(0, SHOWN_OF_EACH_MAX).map((key) => `    ${sign} ${key}`),
      ...(rest > 0 ? [`      … and ${rest} more; --json has all`] : []),
    ];
  });
}

const WORDS: Readonly<Record<string, string>> = {
  created: 'would be made',
  updated: 'would be changed',
  moved: 'would move to another calendar',
  removed: 'would be taken away',
  kept: 'would not be taken any more, and stay; `audit --fix unmapped` takes them away',
};
