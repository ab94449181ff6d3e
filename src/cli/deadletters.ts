import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import type { DeadLetters } from '../engine/dead-letters.ts';
import { TerminalError } from '../engine/errors.ts';
import type { WorkQueue } from '../engine/handler.ts';
import { isShortId, parseKey } from '../engine/object.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { KeptLetter } from '../engine/work.ts';
import { type Paint, painter } from '../operate/paint.ts';
import { spokenAge } from '../operate/spoken-time.ts';
import { adviceFor } from '../operate/verdict.ts';
import {
  inAuditLog,
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';
import { UsageError } from './usage-error.ts';

export interface LettersSession {
  readonly deadLetters: DeadLetters;
  readonly queue: WorkQueue;
  readonly acts: ActLog;
  close(): Promise<void>;
}

type Parts = OperatorParts<LettersSession> & { readonly clock: Clock };

/** `slotbridge deadletters list`, `… show`, `… retry`, `… discard`. */
export function addDeadLetters(program: Command, parts: Parts): void {
  const letters = program
    .command('deadletters')
    .description('list, retry or discard dead letters: objects that the worker has given up');
  operatorCommand(
    letters.command('list', { isDefault: true }).description('list all by cause, each with what to do'),
  ).action((options: OperatorOptions) => list(parts, options));
  operatorCommand(letters.command('show <name>').description('show one in full')).action(
    (name: string, options: OperatorOptions) => show(parts, options, name),
  );
  operatorCommand(
    letters.command('retry [names...]').description('give dead letters a new turn, after the cause is fixed'),
  )
    .option('--code <code>', 'all dead letters with this code')
    .option('--all', 'all dead letters')
    .action((names: string[], options: RetryOptions) => retry(parts, options, names));
  operatorCommand(
    letters
      .command('discard <names...>')
      .description('discard dead letters permanently; the next change of the object starts again'),
  )
    .requiredOption('--why <words>', "reason, stored in the object's history")
    .action((names: string[], options: OperatorOptions & { why: string }) => discard(parts, options, names));
}

function list(parts: Parts, options: OperatorOptions): Promise<void> {
  return inSession(parts, options, async ({ deadLetters }) => {
    const all = await deadLetters.all();
    const classes = classesOf(all);
    const text = formatClasses(classes, { ...viewOf(parts), total: all.length });
    say(parts.io, options, { text, json: { count: all.length, classes } });
  });
}

function show(parts: Parts, options: OperatorOptions, name: string): Promise<void> {
  return inSession(parts, options, async ({ deadLetters }) => {
    const letter = named(await deadLetters.all(), name);
    say(parts.io, options, { text: formatLetter(letter, viewOf(parts)), json: letter });
  });
}

function retry(parts: Parts, options: RetryOptions, names: readonly string[]): Promise<void> {
  return inSession(parts, options, async ({ deadLetters, queue, acts }) => {
    const chosen = choose(await deadLetters.all(), names, options);
    const retried = await ended({ ...parts, acts }, { what: 'letters-retried', chosen }, async (letter) => {
      const isRetried = await deadLetters.retry(letter);
      if (isRetried) queue.add([letter.key]);
      return isRetried;
    });
    const text = `${retried.length} of ${chosen.length} get a new turn, now or when the worker starts.`;
    say(parts.io, options, { text, json: { retried } });
  });
}

function discard(
  parts: Parts,
  options: OperatorOptions & { readonly why: string },
  names: readonly string[],
): Promise<void> {
  return inSession(parts, options, async ({ deadLetters, acts }) => {
    const all = await deadLetters.all();
    const chosen = names.map((name) => named(all, name));
    const { why } = options;
    const discarded = await ended({ ...parts, acts }, { what: 'letters-discarded', why, chosen }, (letter) =>
      deadLetters.discard(letter, why),
    );
    say(parts.io, options, { text: `${discarded.length} discarded.`, json: { discarded } });
  });
}

/** Ends the letters one by one and returns the names of those that were still there. */
function ended(
  parts: Pick<Parts, 'io' | 'clock'> & { readonly acts: ActLog },
  {
    chosen,
    ...act
  }: { readonly what: string; readonly why?: string; readonly chosen: readonly KeptLetter[] },
  end: (letter: KeptLetter) => Promise<boolean>,
): Promise<readonly string[]> {
  const run = async () => {
    const names: string[] = [];
    for (const letter of chosen) if (await end(letter)) names.push(letter.name);
    return names;
  };
  return inAuditLog(
    parts,
    { ...act, objects: chosen.map(({ key }) => key) },
    { run, done: ({ length }) => length },
  );
}

function viewOf({ io, clock }: Parts) {
  return { color: io.stdout.isTTY === true, nowIso: new Date(clock.now()).toISOString() };
}

type RetryOptions = OperatorOptions & { readonly code?: string; readonly all?: boolean };

function choose(
  letters: readonly KeptLetter[],
  names: readonly string[],
  { code, all }: RetryOptions,
): readonly KeptLetter[] {
  // Retrying too many letters may mail customers, so no selection silently overrides another.
  if ([names.length > 0, all === true, code !== undefined].filter(Boolean).length !== 1) {
    throw new UsageError('nothing-chosen', 'no dead letters were selected, or in more than one way', {
      advice: 'Give names, --code <code> or --all, and only one of them.',
    });
  }
  if (names.length > 0) return names.map((name) => named(letters, name));
  if (all === true) return letters;
  const chosen = letters.filter((letter) => letter.reasons.some((reason) => reason.code === code));
  if (chosen.length > 0) return chosen;
  throw new TerminalError('no-such-letter', `no dead letter has the code ${code}`, {
    advice: 'Run `slotbridge deadletters` to see the codes.',
  });
}

/** Finds a dead letter by its name, or by its object if that has only one. */
function named(letters: readonly KeptLetter[], name: string): KeptLetter {
  const found = letters.find((letter) => letter.name === name) ?? onlyOf(letters, name);
  if (found !== undefined) return found;
  throw new TerminalError('no-such-letter', `there is no dead letter ${name}`, {
    advice: 'Run `slotbridge deadletters` to see their names.',
  });
}

/** The object's key, its id, or the beginning of its id. */
function onlyOf(letters: readonly KeptLetter[], name: string): KeptLetter | undefined {
  const exact = letters.filter(({ key }) => key === name || key.endsWith(`/${name}`));
  const begun = letters.filter(({ key }) => {
    const { id } = parseKey(key) ?? { id: key };
    return (isShortId(name) && id.startsWith(name)) || (name.includes('/') && key.startsWith(name));
  });
  const found = exact.length > 0 ? exact : begun;
  return found.length === 1 ? found[0] : undefined;
}

// Formats dead letters for a person who must decide. Grouped by cause, because one fault usually makes hundreds of letters.

const KEYS_SHOWN_MAX = 5;

/** Letters with the same reason code in the same mirror. */
interface LetterClass {
  readonly code: string;
  readonly mirror: string;
  readonly message: string;
  /** The next step. */
  readonly advice: string;
  readonly count: number;
  readonly names: readonly string[];
  /** ISO 8601, UTC. */
  readonly newest: string;
}

/** By cause, the most frequent first. A letter with several reasons appears in each. */
export function classesOf(letters: readonly KeptLetter[]): readonly LetterClass[] {
  const classes = new Map<string, LetterClass & { names: string[] }>();
  for (const letter of letters) {
    for (const reason of letter.reasons) {
      const { code, mirror, message } = reason;
      const name = JSON.stringify([code, mirror]);
      const at = new Date(letter.atMs).toISOString();
      const known = classes.get(name) ?? {
        ...{ code, mirror, message, advice: adviceFor(reason), count: 0, names: [] },
        newest: at,
      };
      known.names.push(letter.name);
      const newest = known.newest > at ? known.newest : at;
      classes.set(name, { ...known, count: known.count + 1, newest });
    }
  }
  return [...classes.values()].sort((a, b) => b.count - a.count);
}

export function formatClasses(
  classes: readonly LetterClass[],
  options: { readonly color: boolean; readonly nowIso: string; readonly total: number },
): string {
  if (options.total === 0) return 'No dead letters.';
  const paint = painter(options.color);
  return [
    `${counted(options.total, 'dead letter')}, by cause:`,
    ...classes.flatMap((each) => formatClass(each, paint, options.nowIso)),
    '',
    'After fixing the cause: slotbridge deadletters retry --code <code>   (or a name from above)',
    'To discard one:         slotbridge deadletters discard <name> --why "…"',
  ].join('\n');
}

function formatClass(each: LetterClass, paint: Paint, nowIso: string): readonly string[] {
  const shown = each.names.slice(0, KEYS_SHOWN_MAX).map((name) => `    ${name}`);
  const rest = each.names.length - shown.length;
  return [
    '',
    `${paint.wrong(each.code)}  ${counted(each.count, 'letter')}, mirror ${each.mirror}, newest ${spokenAge(each.newest, nowIso)} ago`,
    `  ${each.message}`,
    `  ${paint.advice(`-> ${each.advice}`)}`,
    ...shown,
    ...(rest > 0 ? [`    and ${rest} more; see --json`] : []),
  ];
}

export function formatLetter(
  letter: KeptLetter,
  options: { readonly color: boolean; readonly nowIso: string },
): string {
  const paint = painter(options.color);
  const at = new Date(letter.atMs).toISOString();
  return [
    letter.name,
    `  given up ${spokenAge(at, options.nowIso)} ago (${at}), after ${counted(letter.attempts, 'attempt')}`,
    ...letter.reasons.flatMap((reason) => [
      `  ${paint.wrong(reason.code)}, mirror ${reason.mirror}`,
      `    ${reason.message}`,
      `    ${paint.advice(`-> ${adviceFor(reason)}`)}`,
      ...(reason.target === undefined ? [] : [`    refused by ${reason.target}`]),
      ...(reason.requestId === undefined ? [] : [`    the platform's Request-Id: ${reason.requestId}`]),
    ]),
    `  Full story: slotbridge explain ${letter.key.replace('/', ' ')}`,
  ].join('\n');
}
