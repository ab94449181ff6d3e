import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import { formatKey } from '../engine/object.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { openAsker } from './ask.ts';
import {
  inAuditLog,
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { UsageError } from './usage-error.ts';

export interface BlocksSession {
  readonly blockReports: () => Promise<readonly PersonReport[]>;
  /** Undefined: the blocks of all entries, and those that belong to no entry. */
  readonly blocksToClear: (entry: string | undefined) => Promise<readonly StandingBlock[]>;
  /** False when the platform refuses. */
  readonly clearBlock: (block: StandingBlock) => Promise<boolean>;
  readonly acts: ActLog;
  close(): Promise<void>;
}

export interface PersonReport {
  readonly entry: string;
  readonly resource: string;
  /** Undefined before the first turn of this person. */
  readonly last?: {
    readonly atMs: number;
    readonly standing: number;
    readonly held: number;
    readonly unread: number;
    readonly tooShort: number;
    readonly refused: readonly { readonly startMs: number; readonly endMs: number; readonly code: string }[];
  };
}

export interface StandingBlock {
  readonly rule: string;
  readonly id: string;
  readonly origin: string;
  readonly resourceId: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
}

type Parts = OperatorParts<BlocksSession> & { readonly clock: Clock; readonly onBroken: () => void };

const SHOWN_MAX = 20;

/** `slotbridge blocks show`, `slotbridge blocks clear`: the appointments that keep private time unbookable. */
export function addBlocks(program: Command, parts: Parts): void {
  const blocks = program
    .command('blocks')
    .description('show or clear the appointments that keep the time of private events unbookable');
  operatorCommand(
    blocks.command('show').description('show how many blocks each person has, and what the platform refused'),
  ).action((options: OperatorOptions) => show(parts, options));
  operatorCommand(
    blocks.command('clear [entry]').description('list the blocks that are not over, ask, and cancel them'),
  )
    .option('--yes', 'do not ask')
    .action((entry: string | undefined, options: ClearOptions) => clear(parts, options, entry));
}

interface ClearOptions extends OperatorOptions {
  readonly yes?: boolean;
}

function show(parts: Parts, options: OperatorOptions): Promise<void> {
  return inSession(parts, options, async (session) => {
    const reports = await session.blockReports();
    const lines = reports.flatMap((each) => describe(each));
    const text = lines.length === 0 ? 'The YAML has no blocks.' : lines.join('\n');
    say(parts.io, options, { text, json: { people: reports } });
  });
}

function describe({ entry, resource, last }: PersonReport): string[] {
  const head = `${entry}, ${resource}: `;
  if (last === undefined) return [`${head}not processed yet`];
  const { standing, held, unread, tooShort, refused } = last;
  const facts = [
    counted(standing, 'block'),
    ...(refused.length > 0 ? [`${counted(refused.length, 'time')} refused by the platform`] : []),
    ...(tooShort > 0 ? [`${counted(tooShort, 'time')} too short for the service`] : []),
    ...(held > 0 ? [`${counted(held, 'cancellation')} held`] : []),
    ...(unread > 0 ? [`${counted(unread, 'calendar')} never read`] : []),
  ];
  return [
    `${head}${facts.join(', ')}`,
    ...refused.slice(0, SHOWN_MAX).map((each) => `  ${spanOf(each)}: ${each.code}`),
    ...more(refused.length),
  ];
}

async function clear(parts: Parts, options: ClearOptions, entry: string | undefined): Promise<void> {
  await inSession(parts, options, async (session, config) => {
    const entries = entriesOf(config, entry);
    const found = await session.blocksToClear(entry);
    const isPaused = entries.every(({ paused }) => paused);
    if (options.json === true && options.yes !== true) {
      say(parts.io, options, { text: '', json: { planned: found } });
      return;
    }
    if (found.length > 0 && options.yes !== true) {
      parts.io.stdout.write(`${planOf(found, isPaused)}\n`);
      const asker = openAsker(parts.io);
      try {
        if (!(await asker.confirm(`Cancel ${counted(found.length, 'block')}?`, 'no'))) {
          say(parts.io, options, { text: 'Nothing was cancelled.', json: { cancelled: 0, refused: [] } });
          return;
        }
      } finally {
        asker.close();
      }
    }
    const refused: string[] = [];
    const objects = found.map(({ id }) => formatKey({ kind: 'appointment', id }));
    const about = { what: 'blocks-cleared', about: entry === undefined ? {} : { entry }, objects };
    await inAuditLog({ ...parts, acts: session.acts }, about, {
      run: async () => {
        for (const block of found) if (!(await session.clearBlock(block))) refused.push(block.id);
      },
      done: () => found.length - refused.length,
    });
    const cancelled = found.length - refused.length;
    const text = [
      `${counted(cancelled, 'block')} cancelled.`,
      ...refused.map((id) => `  refused by the platform: ${id}`),
      ...(isPaused || found.length === 0 ? [] : [COMES_BACK]),
    ].join('\n');
    say(parts.io, options, { text, json: { cancelled, refused } });
    if (refused.length > 0) parts.onBroken();
  });
}

const COMES_BACK = 'A running worker books them again. To prevent that, set paused: true in the entry.';

function entriesOf({ blocks }: Config, entry: string | undefined): Config['blocks'] {
  const chosen = entry === undefined ? blocks : blocks.filter(({ name }) => name === entry);
  if (entry === undefined || chosen.length > 0) return chosen;
  throw new UsageError('blocks-unknown', `blocks has no entry ${entry}`, {
    advice:
      'Name an entry of blocks, or omit it for all blocks, including those that the YAML no longer names.',
  });
}

function planOf(found: readonly StandingBlock[], isPaused: boolean): string {
  return [
    ...found.slice(0, SHOWN_MAX).map((block) => `  ${block.rule}, ${block.resourceId}: ${spanOf(block)}`),
    ...more(found.length),
    ...(isPaused ? [] : [COMES_BACK]),
  ].join('\n');
}

function more(count: number): string[] {
  return count > SHOWN_MAX ? [`  and ${count - SHOWN_MAX} more`] : [];
}

function spanOf({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }): string {
  return [startMs, endMs]
    .map((ms) => new Date(ms).toISOString().slice(0, 16))
    .join('Z to ')
    .concat('Z');
}
