import type { Command } from 'commander';
import type { ResyncRequest } from '../engine/coverage.ts';
import { TerminalError } from '../engine/errors.ts';
import type { Clock } from '../engine/runtime.ts';
import { counted } from '../operate/waiting.ts';
import type { ResyncProgress } from '../platform/resync-walk.ts';
import { readMoment } from './moment.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { UsageError } from './usage-error.ts';

export interface ResyncSession {
  /** Returns the id of the hole that represents the resync until it has ended. */
  readonly requestResync: (request: ResyncRequest) => Promise<string>;
  readonly resyncProgress: () => Promise<ResyncProgress>;
  close(): Promise<void>;
}

interface ResyncOptions extends OperatorOptions {
  readonly from?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly wait?: boolean;
}

const LISTS = ['appointments', 'contacts', 'conversations', 'messages'] as const;
const KINDS = ['appointment', 'contact', 'conversation', 'message'] as const;
const LOOK_EVERY_MS = 500;
/** Shortest pause between two lines of progress elsewhere than on a terminal; a line is printed only when something has changed. */
const LINE_EVERY_MS = 5_000;
/** How long the command waits without progress: after that, the worker does not run, or the platform makes it wait. */
const PATIENCE_MS = 60_000;

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
  const id = await session.requestResync(request);
  if (options.wait !== true) {
    const text = `Requested. The worker reads ${request.kinds.map(plural).join(', ')} behind its live work; see \`slotbridge cursor\`.`;
    say(parts.io, options, { text, json: { id, request } });
    return;
  }
  const objects = await untilEnded(session, id, { options, parts });
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

/** Returns how many objects the resync has read. Rejects with `TerminalError` `resync-stands` when it makes no progress. */
async function untilEnded(
  session: ResyncSession,
  id: string,
  { options, parts: { io, clock } }: { readonly options: ResyncOptions; readonly parts: Parts },
): Promise<number> {
  const isTerminal = io.stdout.isTTY === true && options.json !== true;
  let [shown, shownAtMs, movedAtMs] = ['', 0, clock.now()];
  for (;;) {
    const { open, walk, ended } = await session.resyncProgress();
    if (!open.includes(id)) {
      if (isTerminal) io.stdout.write('\r\u001b[K');
      return ended?.holes.includes(id) === true ? ended.objects : 0;
    }
    const line = describe(id, walk);
    const now = clock.now();
    if (line !== shown) {
      movedAtMs = now;
      if (isTerminal) io.stdout.write(`\r\u001b[K${line}`);
      else if (options.json !== true && now - shownAtMs >= LINE_EVERY_MS) {
        io.stdout.write(`${line}\n`);
        shownAtMs = now;
      }
      shown = line;
    }
    if (now - movedAtMs > PATIENCE_MS) throw stands();
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  }
}

function describe(id: string, walk: ResyncProgress['walk']): string {
  if (walk === undefined) return 'waiting for the worker';
  if (!walk.holes.includes(id))
    return `waiting for another resync: ${plural(walk.kind)}, ${walk.objects} read`;
  return `${plural(walk.kind)}: ${counted(walk.objects, 'object')} read so far`;
}

function stands(): TerminalError {
  return new TerminalError('resync-stands', 'the resync has made no progress for a minute', {
    advice:
      'Check with `slotbridge status` whether the worker runs and reaches the platform. The request stays and continues then.',
  });
}
