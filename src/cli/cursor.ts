import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import type { Coverage, Hole } from '../engine/coverage.ts';
import type { CalendarCursor } from '../engine/poll-pace.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import { spokenAge, spokenTime } from '../operate/spoken-time.ts';
import type { ResyncProgress } from '../platform/resync-walk.ts';
import {
  inAuditLog,
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface CursorSession {
  readonly cursors: () => Promise<Cursors>;
  /** Has the worker read a source again from its beginning. Rejects with `TerminalError` `source-unknown`. */
  readonly resetCursor: (source: string) => Promise<string>;
  readonly acts: ActLog;
  close(): Promise<void>;
}

export interface Cursors {
  readonly feed: Coverage;
  readonly calendars: readonly (CalendarCursor & { readonly calendar: string })[];
  readonly holes: readonly Hole[];
  readonly resync: ResyncProgress;
}

type Parts = OperatorParts<CursorSession> & { readonly clock: Clock };

/** `slotbridge cursor show`, `slotbridge cursor reset`: how far each source has been read, and how to have it read again. */
export function addCursor(program: Command, parts: Parts): void {
  const cursor = program
    .command('cursor')
    .description('show how far each source was read, or read one again');
  operatorCommand(
    cursor
      .command('show', { isDefault: true })
      .description('show what is proved for each source, open walks, and holes with their causes'),
  ).action((options: OperatorOptions) => show(parts, options));
  operatorCommand(
    cursor
      .command('reset <source>')
      .description(
        'read a source again: feed for all lists of the platform, or the id of a watched calendar',
      ),
  ).action((source: string, options: OperatorOptions) => reset(parts, options, source));
}

function show(parts: Parts, options: OperatorOptions): Promise<void> {
  return inSession(parts, options, async (session) => {
    const cursors = await session.cursors();
    const at = new Date(parts.clock.now()).toISOString();
    say(parts.io, options, { text: format(cursors, at), json: cursors });
  });
}

function reset(parts: Parts, options: OperatorOptions, source: string): Promise<void> {
  return inSession(parts, options, async (session) => {
    const text = await inAuditLog(
      { ...parts, acts: session.acts },
      { what: 'cursor-reset', about: { source } },
      { run: () => session.resetCursor(source), done: () => 1 },
    );
    say(parts.io, options, { text, json: { source, told: text } });
  });
}

function format({ feed, calendars, holes, resync }: Cursors, at: string): string {
  const { walk, ended } = resync;
  return [
    `feed: ${covered(feed, at)}`,
    ...(feed.open === undefined
      ? []
      : [`  a walk is open: ${counted(feed.open.pages, 'page')}, begun ${ago(feed.open.startedAtMs, at)}`]),
    ...calendars.flatMap((each) => [
      `calendar ${each.calendar}: ${covered(each, at)}`,
      ...(each.open === undefined
        ? []
        : [`  a ${each.open.isFull ? 'full list' : 'sync'} is open: ${counted(each.open.pages, 'page')}`]),
    ]),
    holes.length === 0 ? 'holes: none' : `holes: ${holes.length}, each closes when its resync is done`,
    ...holes.map(
      (hole) =>
        `  ${hole.id}: ${hole.cause}, ${from(hole.fromMs, at)} to ${until(hole.toMs, at)}, found ${ago(hole.foundAtMs, at)}`,
    ),
    walk === undefined
      ? `resync: none open${ended === undefined ? '' : `; the last one read ${counted(ended.objects, 'object')}`}`
      : `resync: at ${walk.kind}s, ${counted(walk.objects, 'object')} read, for ${walk.holes.join(', ')}`,
  ].join('\n');
}

function covered(
  { coveredUntilMs, provedAtMs }: Pick<Coverage, 'coveredUntilMs' | 'provedAtMs'>,
  at: string,
): string {
  if (coveredUntilMs === undefined || provedAtMs === undefined) return 'never read completely';
  return `read up to ${spokenTime(iso(coveredUntilMs), at)}, proved ${ago(provedAtMs, at)}`;
}

function ago(ms: number, at: string): string {
  return `${spokenAge(iso(ms), at)} ago`;
}

function from(ms: number | undefined, at: string): string {
  return ms === undefined ? 'the beginning' : spokenTime(iso(ms), at);
}

function until(ms: number | undefined, at: string): string {
  return ms === undefined ? 'now, still growing' : spokenTime(iso(ms), at);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
