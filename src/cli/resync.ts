import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import type { ResyncRequest } from '../engine/coverage.ts';
import { TerminalError } from '../engine/errors.ts';
import type { KnownObjects } from '../engine/ledger.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import { aboutResync } from '../operate/acts.ts';
import type { ResyncProgress } from '../platform/resync-walk.ts';
import { readMoment } from './moment.ts';
import {
  inSession,
  noteCommand,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { Progress } from './progress.ts';
import { UsageError } from './usage-error.ts';

export interface ResyncSession {
  /** Returns the id of the hole that represents the resync until it has ended. */
  readonly requestResync: (request: ResyncRequest) => Promise<string>;
  readonly resyncProgress: () => Promise<ResyncProgress>;
  readonly known: Pick<KnownObjects, 'count'>;
  readonly acts: ActLog;
  close(): Promise<void>;
}

interface ResyncOptions extends OperatorOptions {
  readonly from?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly wait?: boolean;
}

export const LISTS = ['appointments', 'contacts', 'conversations', 'messages'] as const;
const KINDS = ['appointment', 'contact', 'conversation', 'message'] as const;
const LOOK_EVERY_MS = 500;
/** How long the command waits without progress: several windows of the platform's limit, each of which may be spent by other work. */
const PATIENCE_MS = 5 * 60_000;

/** `slotbridge resync`: has the worker read the platform's lists again, whatever it knows. */
export function addResync(program: Command, parts: OperatorParts<ResyncSession> & { clock: Clock }): void {
  operatorCommand(
    program
      .command('resync [lists...]')
      .description(
        "read the platform's lists again: appointments, contacts, conversations, messages (default: all that mirrors take)",
      ),
  )
    .option('--from <time>', 'appointments that start since, and conversations and messages that began since')
    .option('--to <time>', 'and until this time')
    .option('--force', 'compare everything again, including unchanged objects')
    .option('--wait', 'show progress until it is done')
    .action((lists: string[], options: ResyncOptions) =>
      inSession(parts, options, (session) => resync(session, { lists, options }, parts)),
    );
}

type Parts = OperatorParts<ResyncSession> & { readonly clock: Clock };

async function resync(
  session: ResyncSession,
  { lists, options }: { readonly lists: readonly string[]; readonly options: ResyncOptions },
  parts: Parts,
): Promise<void> {
  const request = readRequest(lists, options, parts.clock.now());
  await noteCommand(parts, session.acts, { what: 'resync', about: aboutResync(request) });
  const id = await session.requestResync(request);
  if (options.wait !== true) {
    const text = `Requested. The worker reads ${request.kinds.map(plural).join(', ')} behind its live work; see \`slotbridge cursor\`.`;
    say(parts.io, options, { text, json: { id, request } });
    return;
  }
  const objects = await untilEnded(session, { id, request, isQuiet: options.json === true }, parts);
  const text = `${counted(objects, 'object')} read. The worker mirrors what is new; see \`slotbridge status\`.`;
  say(parts.io, options, { text, json: { id, request, objects } });
}

function readRequest(lists: readonly string[], options: ResyncOptions, nowMs: number): ResyncRequest {
  const unknown = lists.find((list) => !(LISTS as readonly string[]).includes(list));
  if (unknown !== undefined) {
    throw new UsageError('list-unknown', `the platform has no list of ${unknown}`, {
      advice: `Give ${LISTS.join(', ')}, or nothing for all. Leads have no list.`,
    });
  }
  return {
    kinds: KINDS.filter((kind) => lists.length === 0 || lists.includes(plural(kind))),
    ...(options.from === undefined ? {} : { fromMs: readMoment(options.from, nowMs) }),
    ...(options.to === undefined ? {} : { toMs: readMoment(options.to, nowMs) }),
    ...(options.force === true ? { force: true } : {}),
  };
}

function plural(kind: string): string {
  return `${kind}s`;
}

interface Asked {
  readonly id: string;
  readonly request: ResyncRequest;
  readonly isQuiet: boolean;
}

/** Returns how many objects the resync has read. Rejects with `TerminalError` `resync-stands` when it makes no progress. */
async function untilEnded(
  session: ResyncSession,
  { id, request, isQuiet }: Asked,
  { io, clock }: Parts,
): Promise<number> {
  const progress = new Progress({ io, isQuiet });
  let known = 0;
  for (const kind of request.kinds) known += await session.known.count(kind);
  let [seen, movedAtMs] = ['', clock.now()];
  for (;;) {
    const { open, walk, ended } = await session.resyncProgress();
    if (!open.includes(id)) {
      progress.end();
      return ended?.holes.includes(id) === true ? ended.objects : 0;
    }
    const [now, state] = [clock.now(), JSON.stringify(walk)];
    if (state !== seen) [seen, movedAtMs] = [state, now];
    if (walk === undefined) progress.show('waiting for the worker');
    else if (walk.holes.includes(id))
      progress.showCount({ reading: plural(walk.kind), objects: walk.objects }, { known, done: 'read' });
    else progress.show(`waiting for another resync: ${plural(walk.kind)}, ${walk.objects} read`);
    if (now - movedAtMs > PATIENCE_MS) throw stands();
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  }
}

function stands(): TerminalError {
  return new TerminalError('resync-stands', 'the resync has made no progress for five minutes', {
    advice:
      'Check with `slotbridge status` whether the worker runs and reaches the platform. The request stays and continues then.',
  });
}
