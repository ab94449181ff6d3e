import type { Command } from 'commander';
import type { Act } from '../engine/domain/role.ts';
import type { ActLog } from '../engine/ports/console.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { wholeNumberOption } from './whole-number.ts';

export interface ActsSession {
  readonly acts: ActLog;
  close(): Promise<void>;
}

/** `slotbridge acts`: who did what in the web console, when and why. */
export function addActs(program: Command, parts: OperatorParts<ActsSession>): void {
  operatorCommand(
    program.command('acts').description('show who did what in the web console, when and why, newest first'),
  )
    .option('--limit <number>', 'most entries to print', wholeNumberOption, 50)
    .action((options: OperatorOptions & { readonly limit: number }) =>
      inSession(parts, options, async ({ acts }) => {
        const newest = await acts.newest(Math.max(1, options.limit));
        const text = newest.length === 0 ? 'No acts yet.' : newest.map(formatAct).join('\n');
        say(parts.io, options, { text, json: { acts: newest } });
      }),
    );
}

function formatAct({ atMs, who, role, what, why, about, chosen, done }: Act): string {
  const filter = Object.entries(about).map(([name, value]) => `${name} ${value}`);
  const count =
    chosen === undefined
      ? []
      : [done === undefined ? `${chosen} chosen, not finished` : `${done} of ${chosen}`];
  const told = [what, ...count, ...filter].join(', ');
  return `${new Date(atMs).toISOString()}  ${who} (${role})  ${told}${why === '' ? '' : `: ${why}`}`;
}
