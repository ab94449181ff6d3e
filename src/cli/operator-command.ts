import type { Command } from 'commander';
import { TerminalError, type WorkerError } from '../engine/errors.ts';
import { type EntityKey, formatKey, isShortId } from '../engine/object.ts';
import type { Act, ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { type AboutAct, noteAct } from '../operate/acts.ts';
import { spokenDuration } from '../operate/spoken-time.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig, readStateConfig } from './config-file.ts';
import type { Console } from './console.ts';
import type { MappingSession } from './mapping-at-work.ts';

/** What operator commands work on: the state in Redis, and the platform where it has to be asked. */
export interface OperatorParts<Session extends { close(): Promise<void> }> {
  readonly io: Console;
  readonly checks: LoadChecks;
  /** The command works without the mapping, so also while the YAML is broken. */
  readonly needsOnlyState?: boolean;
  /** A worker has to do what the command asks for. */
  readonly leavesWork?: boolean;
  /** Works beside a running worker, and without one. */
  readonly open: (config: Config, waiting: Waits) => Promise<Session>;
}

interface Waits {
  readonly onWait: (wait: Wait) => void;
  readonly onLost: (lost: WorkerError, ms: number) => void;
}

interface Wait {
  readonly whose: 'platform' | 'google';
  readonly ms: number;
}

export interface OperatorOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** Adds the options that all operator commands have. */
export function operatorCommand(command: Command): Command {
  return command.option(...CONFIG_OPTION).option('--json', 'print JSON');
}

/** Opens the session, runs, and always closes it. */
export async function inSession<Session extends { close(): Promise<void> } & Partial<MappingSession>>(
  parts: OperatorParts<Session>,
  options: OperatorOptions,
  run: (session: Session, config: Config) => Promise<void>,
): Promise<void> {
  const warn = (line: string) => parts.io.stderr.write(`warning: ${line}\n`);
  const read = parts.needsOnlyState === true ? readStateConfig : readConfig;
  const config = await read(options.config, { env: parts.io.env, checks: parts.checks, warn });
  const onWait = ({ whose, ms }: Wait) => {
    const limit = whose === 'platform' ? "the platform's limit" : "Google's limit";
    parts.io.stderr.write(`waits ${spokenDuration(Math.ceil(ms / 1000))} for ${limit}\n`);
  };
  const onLost = ({ code, message }: WorkerError, ms: number) => {
    parts.io.stderr.write(`waits ${spokenDuration(Math.ceil(ms / 1000))}: ${message} (${code})\n`);
  };
  const session = await parts.open(config, { onWait, onLost });
  try {
    if (parts.leavesWork === true && (await session.whoseMapping?.()) === 'none')
      warn(
        `no worker has used this Redis yet (prefix ${config.redis.prefix}). If one runs, it uses another: compare redis.url and redis.prefix.`,
      );
    await run(session, config);
  } finally {
    await session.close();
  }
}

/** Prints a text or, with `--json`, one JSON object. */
export function say(io: Console, options: OperatorOptions, told: { text: string; json: unknown }): void {
  io.stdout.write(`${options.json === true ? JSON.stringify(told.json) : told.text}\n`);
}

/** Longest name of a person in the audit log. */
export const WHO_CHARS_MAX = 60;

/** Notes what a command is about to do in the audit log, under the login name of whoever runs it. A worker then logs it. */
export function noteCommand(
  { io, clock }: { readonly io: Console; readonly clock: Clock },
  acts: ActLog,
  about: AboutAct,
): Promise<Act> {
  const who = (userOf(io.env) || 'ops').slice(0, WHO_CHARS_MAX);
  return noteAct({ acts, clock }, { role: 'ops', who }, about);
}

/**
 * Does something, and notes it in the audit log before and after. `objects`: what it concerns, by `formatKey`. If that is nothing, there is
 * no entry.
 */
export async function inAuditLog<Result>(
  parts: { readonly io: Console; readonly clock: Clock; readonly acts: ActLog },
  about: AboutAct,
  act: { readonly run: () => Promise<Result>; readonly done: (result: Result) => number },
): Promise<Result> {
  const chosen = about.objects?.length ?? 1;
  if (chosen === 0) return act.run();
  const begun = await noteCommand(parts, parts.acts, { ...about, chosen });
  const result = await act.run();
  await parts.acts.note({ ...begun, done: act.done(result) });
  return result;
}

/** The login name of whoever runs the command. */
export function userOf(env: Console['env']): string | undefined {
  return env['SUDO_USER'] ?? env['USER'];
}

export function onlyOne(found: readonly EntityKey[], asked: string): EntityKey {
  const [only, ...others] = found;
  if (only === undefined) {
    throw new TerminalError('object-unknown', `no object is known by ${asked}`, {
      advice:
        "Give its kind: slotbridge explain appointment <id>. For events older than worker.journal, give the object's id. An event that no rule of bookings took is unknown. Give it another colour: the current rules then judge it.",
    });
  }
  if (others.length === 0) return only;
  throw new TerminalError(
    'object-ambiguous',
    `several objects are meant by ${asked}: ${found.map(formatKey).join(' and ')}`,
    {
      advice: 'Give the kind and the whole id.',
    },
  );
}

/** The id of the contact whose id begins like this; an id that nothing is known of stays as it is. */
export async function wholeContact(
  session: { readonly find: (what: string, id: string) => Promise<readonly EntityKey[]> },
  id: string,
): Promise<string> {
  if (!isShortId(id)) return id;
  const found = (await session.find('any', id)).filter(({ kind }) => kind === 'contact');
  return onlyOne(found, `the id ${id}`).id;
}
