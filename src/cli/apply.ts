import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { TerminalError } from '../engine/domain/errors.ts';
import type { Config } from '../mapping/config.ts';
import { counted } from '../operate/idle.ts';
import { MAKE_AGAIN, planState, type SavedPlan } from '../operate/saved-plan.ts';
import { type MappingSession, notAtWork } from './mapping-at-work.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { hashYaml, makePlan, type PlanSession, standingIn } from './plan.ts';

export interface ApplySession extends PlanSession, MappingSession {
  readonly applyPlan: (
    steps: SavedPlan['steps'],
    standing: ReadonlyMap<string, number>,
  ) => Promise<{
    readonly given: readonly string[];
    readonly unknown: readonly string[];
    readonly parked: readonly string[];
  }>;
}

type Parts = OperatorParts<ApplySession> & { readonly onBroken: () => void };

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
  const { given, unknown, parked } = await session.applyPlan(steps, standingIn(now));
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
