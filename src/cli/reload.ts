import type { Command } from 'commander';
import type { ReloadOutcome } from '../engine/reload.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import type { Reloaded, ReloadedWorker } from '../operate/reload.ts';
import { EXIT } from './exit.ts';
import {
  inSession,
  noteCommand,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

/** How long a worker may take to start again and resolve its names, after the time that its running work has to end. */
const START_WITHIN_MS = 60_000;

export interface ReloadSession {
  readonly acts: ActLog;
  reload(withinMs: number): Promise<Reloaded>;
  close(): Promise<void>;
}

/** `slotbridge reload`: the running workers of this machine read their YAML again, and say what became of it. */
export function addReload(
  program: Command,
  parts: OperatorParts<ReloadSession> & { readonly clock: Clock; readonly onEnd: (code: number) => void },
): void {
  operatorCommand(
    program
      .command('reload')
      .description('let the running worker read its YAML again, and say what changed or why not'),
  ).action((options: OperatorOptions) =>
    inSession(parts, options, async (session, config) => {
      await noteCommand(parts, session.acts, { what: 'reloaded' });
      const reloaded = await session.reload(config.worker.shutdownMs + START_WITHIN_MS);
      say(parts.io, options, { text: reloadText(reloaded, config), json: reloaded });
      parts.onEnd(exitCodeOf(reloaded));
    }),
  );
}

/** The worst outcome decides. A worker elsewhere is reloaded there, by the same command. */
function exitCodeOf({ reached }: Reloaded): number {
  if (reached.length === 0) return EXIT.failed;
  const codes = reached.map(({ outcome }) => {
    if (outcome.as === 'rejected') return outcome.isAboutYaml ? EXIT.config : EXIT.failed;
    return outcome.as === 'taken-up' || outcome.as === 'unchanged' ? EXIT.ok : EXIT.failed;
  });
  return codes.find((code) => code === EXIT.failed) ?? Math.max(...codes);
}

function reloadText({ reached, elsewhere }: Reloaded, config: Config): string {
  const none = `No worker of this machine uses this Redis (prefix ${config.redis.prefix}). Start one: slotbridge start. If the YAML moved the state to another Redis, restart the worker.`;
  return [
    ...(reached.length === 0 ? [none] : reached.map(lineOf)),
    ...elsewhere.map(
      ({ pid, host }) => `process ${pid} on ${host}: not reached. Run slotbridge reload on that machine.`,
    ),
  ].join('\n');
}

function lineOf({ pid, host, outcome }: ReloadedWorker): string {
  return `process ${pid} on ${host}: ${told(outcome)}`;
}

function told(outcome: ReloadedWorker['outcome']): string {
  switch (outcome.as) {
    case 'ended':
      return 'ended meanwhile. Its log says why.';
    case 'not-permitted':
      return 'belongs to another user. Run the command as that user, or as root.';
    case 'silent':
      return 'has not finished yet. It waits for running work, the platform or Redis: see slotbridge status.';
    default:
      return becameOf(outcome);
  }
}

function becameOf(outcome: ReloadOutcome): string {
  switch (outcome.as) {
    case 'taken-up':
      return `the new YAML is at work: ${outcome.changes.join(', ')}.`;
    case 'unchanged':
      return 'nothing has changed.';
    case 'rejected': {
      const next = outcome.isAboutYaml ? ' slotbridge check lists every problem.' : '';
      return `rejected the new YAML: ${outcome.reason}. The former one is at work.${next}`;
    }
  }
}
