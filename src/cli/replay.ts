import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import type { DeadLetters } from '../engine/dead-letters.ts';
import type { WorkQueue } from '../engine/handler.ts';
import type { Journal } from '../engine/intake-store.ts';
import type { Ledger } from '../engine/ledger.ts';
import { type EntityKey, formatKey, isShortId, parseKey } from '../engine/object.ts';
import { REPLAY_AT_ONCE, ReplayPace } from '../engine/poll-pace.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { DirtyMarks } from '../engine/sweep.ts';
import { countKinds, objectsOfLetters, replayObjects } from '../operate/replay-plan.ts';
import type { Console } from './console.ts';
import { readMoment } from './moment.ts';
import {
  inSession,
  noteCommand,
  type OperatorOptions,
  type OperatorParts,
  onlyOne,
  operatorCommand,
  say,
} from './operator-command.ts';
import { Progress } from './progress.ts';
import { UsageError } from './usage-error.ts';

export interface ReplaySession {
  readonly journal: Journal;
  readonly dirtyMarks: DirtyMarks;
  readonly deadLetters: DeadLetters;
  readonly ledger: Pick<Ledger, 'pending'>;
  readonly queue: WorkQueue;
  readonly acts: ActLog;
  /** As `findObjects`. */
  readonly find: (what: string, id: string) => Promise<readonly EntityKey[]>;
  readonly eventOnPlatform: (eventId: string) => Promise<EntityKey | undefined>;
  /** Takes in an object that is unknown here; false when the platform does not show it. */
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  /** What the mirrors would do about it now, without writing: `created`, `updated`, …, `nothing`. */
  readonly preview: (key: EntityKey) => Promise<string>;
  close(): Promise<void>;
}

interface ReplayOptions extends OperatorOptions {
  readonly event: readonly string[];
  readonly object: readonly string[];
  readonly type: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly deadLetters?: string | true;
  readonly dryRun?: boolean;
}

/** How often the command looks whether the worker has caught up. */
const LOOK_EVERY_MS = 250;

/** `slotbridge replay`: gives objects a turn with their present state; an old state never comes back. */
export function addReplay(program: Command, parts: OperatorParts<ReplaySession> & { clock: Clock }): void {
  operatorCommand(
    program
      .command('replay')
      .description(
        'give objects a turn in their current state, selected by event, object, type, time or dead letter',
      ),
  )
    .option('--event <id>', 'the object of this platform event', collect, [])
    .option('--object <kind/id>', 'this object', collect, [])
    .option(
      '--type <type>',
      'objects with an event of this type: appointment.cancelled, contact.*',
      collect,
      [],
    )
    .option('--from <time>', 'objects with an event taken in since: 2026-11-21T03:00:00Z, or 6h, 2d')
    .option('--to <time>', 'and taken in until (default: now)')
    .option('--dead-letters [code]', 'dead letters, all or those with this code')
    .option('--dry-run', 'print how many, and what would change')
    .action((options: ReplayOptions) =>
      inSession(parts, options, (session) => replay(session, options, parts)),
    );
}

async function replay(
  session: ReplaySession,
  options: ReplayOptions,
  { io, clock }: { io: Console; clock: Clock },
): Promise<void> {
  const keys = await chosen(session, options, clock.now());
  const kinds = countKinds(keys);
  const said = Object.entries(kinds).map(([kind, count]) => counted(count, kind));
  const summary = keys.length === 0 ? 'no object' : said.join(', ');
  if (options.dryRun === true) {
    const changes = await previews(session, keys);
    const lines = Object.entries(changes).map(([action, count]) => `  ${action.padEnd(10)}${count}`);
    const what = keys.length === 0 ? '' : ' What would change now:';
    const text = [`${summary} would get a turn; nothing was done.${what}`, ...lines].join('\n');
    say(io, options, { text, json: { dryRun: true, objects: keys.length, kinds, changes } });
    return;
  }
  const { acts } = session;
  const act = { what: 'replayed', objects: keys.map(formatKey), chosen: keys.length };
  const noted = keys.length === 0 ? undefined : await noteCommand({ io, clock }, acts, act);
  const { taken, unknown } = await handOver(session, keys, { io, clock, quiet: options.json === true });
  if (noted !== undefined) await acts.note({ ...noted, done: taken });
  const missing = unknown.map(formatKey);
  const text = [
    `${counted(taken, 'object')} got a turn (${summary}).`,
    ...missing.map((key) => `  ${key} is unknown to the worker, and the platform does not show it`),
  ].join('\n');
  say(io, options, { text, json: { objects: taken, kinds, unknown: missing } });
}

async function chosen(
  session: ReplaySession,
  options: ReplayOptions,
  nowMs: number,
): Promise<readonly EntityKey[]> {
  const { deadLetters } = options;
  const code = deadLetters === true ? undefined : deadLetters;
  const dead = deadLetters === undefined ? [] : await objectsOfLetters(session.deadLetters, code);
  const request = {
    events: options.event,
    objects: [...(await Promise.all(options.object.map((name) => wholeName(session, name)))), ...dead],
    types: options.type,
    ...(options.from === undefined ? {} : { fromMs: readMoment(options.from, nowMs) }),
    ...(options.to === undefined ? {} : { toMs: readMoment(options.to, nowMs) }),
  };
  const names = [...request.events, ...request.objects, ...request.types];
  const isOfTime = request.fromMs !== undefined || request.toMs !== undefined;
  if (names.length === 0 && !isOfTime && deadLetters === undefined) {
    throw new UsageError('nothing-chosen', 'no objects were selected', {
      advice: 'Give --event, --object, --type, --from or --dead-letters. Add --dry-run to only count.',
    });
  }
  return replayObjects(request, {
    journal: session.journal,
    eventOnPlatform: session.eventOnPlatform,
    nowMs,
  });
}

/** `kind/id` with the whole id, where only its beginning was given. */
async function wholeName(session: ReplaySession, name: string): Promise<string> {
  const { kind, id } = parseKey(name) ?? { kind: undefined, id: name };
  if (!isShortId(id)) return name;
  const found = (await session.find('any', id)).filter((key) => kind === undefined || key.kind === kind);
  return found.length === 0 ? name : formatKey(onlyOne(found, `the id ${id}`));
}

async function previews(session: ReplaySession, keys: readonly EntityKey[]): Promise<Record<string, number>> {
  const changes: Record<string, number> = {};
  for (const key of keys) {
    const action = await session.preview(key);
    changes[action] = (changes[action] ?? 0) + 1;
  }
  return changes;
}

/** Hands objects over in batches, behind live work. The next batch follows when the worker has caught up. */
async function handOver(
  session: ReplaySession,
  keys: readonly EntityKey[],
  parts: { io: Console; clock: Clock; quiet: boolean },
): Promise<{ taken: number; unknown: readonly EntityKey[] }> {
  const unknown: EntityKey[] = [];
  const progress = new Progress({ io: parts.io, isQuiet: parts.quiet });
  for (let at = 0; at < keys.length; at += REPLAY_AT_ONCE) {
    const batch = keys.slice(at, at + REPLAY_AT_ONCE);
    const strangers = await session.dirtyMarks.markDirty(batch, { read: true });
    for (const key of strangers) if (!(await session.introduce(key))) unknown.push(key);
    session.queue.add(batch.map(formatKey));
    const handed = { reading: 'replay', objects: at + batch.length };
    progress.showCount(handed, { known: keys.length, done: 'handed over' });
    if (at + REPLAY_AT_ONCE < keys.length) await untilWorkedDown(session, parts.clock);
  }
  progress.end();
  return { taken: keys.length - unknown.length, unknown };
}

async function untilWorkedDown(session: ReplaySession, clock: Clock): Promise<void> {
  const pace = new ReplayPace();
  while (!pace.mayGoOn((await session.ledger.pending()).objects, clock.now()))
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
