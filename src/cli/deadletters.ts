import type { Command } from 'commander';
import { TerminalError } from '../domain/errors.ts';
import { classesOf, formatClasses, formatLetter } from '../ops/letters-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeadLetters, KeptLetter } from '../ports/dead-letters.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import {
  atDesk,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface LettersDesk {
  readonly deadLetters: DeadLetters;
  readonly queue: WorkQueue;
  close(): Promise<void>;
}

/** `slotbridge deadletters`, `… show`, `… retry`, `… discard`. */
export function addDeadLetters(program: Command, parts: OperatorParts<LettersDesk> & { clock: Clock }): void {
  const { io, clock } = parts;
  const letters = operatorCommand(
    program
      .command('deadletters')
      .description('objects that were given up: by cause, and what to do about each'),
  );
  const view = () => ({ color: io.stdout.isTTY === true, nowIso: new Date(clock.now()).toISOString() });
  letters.action((options: OperatorOptions) =>
    atDesk(parts, options, async ({ deadLetters }) => {
      const all = await deadLetters.all();
      const classes = classesOf(all);
      const text = formatClasses(classes, { ...view(), total: all.length });
      say(io, options, { text, json: { count: all.length, classes } });
    }),
  );
  operatorCommand(letters.command('show <name>').description('one of them, whole')).action(
    (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<OperatorOptions>();
      return atDesk(parts, options, async ({ deadLetters }) => {
        const letter = named(await deadLetters.all(), name);
        say(io, options, { text: formatLetter(letter, view()), json: letter });
      });
    },
  );
  operatorCommand(
    letters
      .command('retry [names...]')
      .description('give them a turn again, when the cause is mended')
      .option('--code <code>', 'all with this code')
      .option('--all', 'all of them'),
  ).action((names: string[], _: unknown, command: Command) => {
    const options = command.optsWithGlobals<RetryOptions>();
    return atDesk(parts, options, async (desk) => {
      const chosen = choose(await desk.deadLetters.all(), names, options);
      const retried: string[] = [];
      for (const letter of chosen) {
        if (!(await desk.deadLetters.retry(letter))) continue;
        desk.queue.add([letter.key]);
        retried.push(letter.name);
      }
      const text = `${retried.length} of ${chosen.length} have a turn again; the worker takes them up now, or when it is started.`;
      say(io, options, { text, json: { retried } });
    });
  });
  operatorCommand(
    letters
      .command('discard <names...>')
      .description('give them up for good; the next change of the object begins anew')
      .requiredOption('--why <words>', "kept in the object's history"),
  ).action((names: string[], _: unknown, command: Command) => {
    const options = command.optsWithGlobals<OperatorOptions & { why: string }>();
    return atDesk(parts, options, async ({ deadLetters }) => {
      const all = await deadLetters.all();
      const discarded: string[] = [];
      for (const letter of names.map((name) => named(all, name))) {
        if (await deadLetters.discard(letter, options.why)) discarded.push(letter.name);
      }
      say(io, options, { text: `${discarded.length} discarded.`, json: { discarded } });
    });
  });
}

type RetryOptions = OperatorOptions & { readonly code?: string; readonly all?: boolean };

function choose(
  letters: readonly KeptLetter[],
  names: readonly string[],
  { code, all }: RetryOptions,
): readonly KeptLetter[] {
  if (names.length > 0) return names.map((name) => named(letters, name));
  if (all === true) return letters;
  if (code === undefined) {
    throw new TerminalError('nothing-chosen', 'it was not said which dead letters', {
      advice: 'Name them, or give --code <code>, or --all.',
    });
  }
  const chosen = letters.filter((letter) => letter.reasons.some((reason) => reason.code === code));
  if (chosen.length > 0) return chosen;
  throw new TerminalError('no-such-letter', `no dead letter has the code ${code}`, {
    advice: 'Run `slotbridge deadletters` to see the codes.',
  });
}

/** By its name, or by the object's when that has one only. */
function named(letters: readonly KeptLetter[], name: string): KeptLetter {
  const found = letters.find((letter) => letter.name === name) ?? onlyOf(letters, name);
  if (found !== undefined) return found;
  throw new TerminalError('no-such-letter', `there is no dead letter ${name}`, {
    advice: 'Run `slotbridge deadletters` to see their names.',
  });
}

function onlyOf(letters: readonly KeptLetter[], key: string): KeptLetter | undefined {
  const ofKey = letters.filter((letter) => letter.key === key || letter.key.endsWith(`/${key}`));
  return ofKey.length === 1 ? ofKey[0] : undefined;
}
