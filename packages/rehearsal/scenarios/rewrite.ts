// `slotbridge test --update`: writes what happened into `expect`. Every other byte of the file stays.
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isCollection, isMap, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml';
import { TerminalError } from '../../../src/engine/errors.ts';
import { type Edit, GONE } from './judge.ts';
import type { Scenario } from './read.ts';
import type { Verdict } from './run.ts';
import { scenarioFile } from './schema.ts';

/** What became of a scenario that failed. */
export type Update = { readonly isWritten: true } | { readonly isWritten: false; readonly why: string };

const YAML = { merge: true, stringKeys: true, logLevel: 'silent' } as const;
/** Long lines stay long. */
const AS_WRITTEN = { lineWidth: 0 } as const;

/** Before anything runs. Throws a `TerminalError` for a file that cannot be replaced. */
export function assertWritable(scenarios: readonly Scenario[]): void {
  for (const file of new Set(scenarios.map((each) => each.file))) {
    try {
      if (!statSync(file).isFile()) throw new Error('no regular file');
      accessSync(file, constants.W_OK);
    } catch (cause) {
      throw notWritten(file, cause);
    }
  }
}

/** Each file is replaced at once, or stays. The map has every scenario that failed. */
export function updateFiles(
  scenarios: readonly Scenario[],
  verdicts: readonly Verdict[],
): ReadonlyMap<Verdict, Update> {
  const updates = new Map<Verdict, Update>();
  const failed = scenarios.flatMap((scenario, nth) => {
    const verdict = verdicts[nth];
    return verdict === undefined || verdict.passed ? [] : [{ scenario, verdict }];
  });
  for (const file of new Set(failed.map(({ scenario }) => scenario.file))) {
    let text = failed.find(({ scenario }) => scenario.file === file)?.scenario.source ?? '';
    const before = text;
    const written: Verdict[] = [];
    // From the last one up: a change moves only what is below it.
    for (const { scenario, verdict } of failed.filter((each) => each.scenario.file === file).toReversed()) {
      const changed =
        verdict.brokenOff === undefined
          ? updated(
              text,
              scenario.index,
              verdict.differences.map(({ edit }) => edit),
            )
          : { why: 'it broke off' };
      if ('why' in changed) updates.set(verdict, { isWritten: false, why: changed.why });
      else {
        text = changed.text;
        written.push(verdict);
      }
    }
    const why = text === before ? undefined : replace(file, before, text);
    for (const verdict of written)
      updates.set(verdict, why === undefined ? { isWritten: true } : { isWritten: false, why });
  }
  return updates;
}

/** Says why not, if people have changed the file meanwhile. */
function replace(file: string, before: string, after: string): string | undefined {
  // A link stays a link.
  const path = realpathSync(file);
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(fresh, after, { flag: 'wx', mode: statSync(path).mode });
    if (readFileSync(path, 'utf8') !== before) return 'the file has changed meanwhile: run the command again';
    renameSync(fresh, path);
    return undefined;
  } catch (cause) {
    throw notWritten(file, cause);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function notWritten(file: string, cause: unknown): TerminalError {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'no regular file';
  return new TerminalError('scenario-not-writable', `${file} cannot be written (${reason})`, {
    ...{ advice: 'Make the file and its folder writable, or leave --update out.', cause },
  });
}

type Changed = { readonly text: string } | { readonly why: string };

/** The text of the file with another expectation of one scenario. */
export function updated(text: string, index: number, edits: readonly Edit[]): Changed {
  for (const edit of edits)
    for (const fields of ['set' in edit ? edit.set : {}, 'add' in edit ? edit.add : {}])
      for (const [field, value] of Object.entries(fields))
        if (value === undefined)
          return { why: `${edit.path.join(', ')}: what was found as ${field} is no time of a scenario` };
  const node = parseDocument(text, YAML).getIn(['scenarios', index, 'expect'], true) as Node | undefined;
  if (!isMap(node) || !node.range) return { why: 'its expect is an alias: write it out' };
  const own = cutOut(text, node);
  const document = parseDocument(own.text, YAML);
  if (document.errors.length > 0) return { why: 'its expect uses aliases: write them out' };
  // Entries are removed from the last one up, because the others keep their numbers.
  const removed = edits.filter((edit) => 'isRemoved' in edit);
  for (const edit of edits) {
    if ('number' in edit) document.setIn(edit.path, edit.number);
    if ('set' in edit)
      for (const [field, value] of Object.entries(edit.set)) {
        if (value === GONE) document.deleteIn([...edit.path, field]);
        else document.setIn([...edit.path, field], value);
      }
    if ('add' in edit) {
      const entry = document.createNode(edit.add);
      if (isMap(entry)) entry.flow = true;
      const list = document.getIn(edit.path, true);
      if (isSeq(list)) {
        if (list.items.length === 0) list.flow = false;
        list.add(entry);
      } else document.setIn(edit.path, document.createNode([entry]));
    }
  }
  for (const { path } of removed.toReversed()) document.deleteIn(path);
  emptyListsInFlow(document.contents);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const fresh = own.back(document.toString(AS_WRITTEN).replaceAll('\n', newline));
  return isSameBut(text, fresh, index)
    ? { text: fresh }
    : { why: 'its expect is written in a way that cannot be changed by a machine' };
}

/** `expect` as a document of its own: whole lines, or a group in braces. Both keep comments. */
function cutOut(text: string, node: Node): { readonly text: string; back(fresh: string): string } {
  const [from = 0, to = 0] = node.range ?? [];
  if (isCollection(node) && node.flow === true)
    return {
      text: text.slice(from, to),
      back: (fresh) =>
        text.slice(0, from) +
        fresh.trimEnd().replaceAll('\n', `\n${' '.repeat(columnAt(text, from))}`) +
        text.slice(to),
    };
  let last = from;
  visit(node, {
    Node: (_key, each) => {
      if (isScalar(each) || (isCollection(each) && each.flow === true))
        last = Math.max(last, each.range?.[1] ?? 0);
    },
  });
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const isLineOver = text[last - 1] === '\n';
  const newline = text.indexOf('\n', last);
  const end = isLineOver ? last : newline === -1 ? text.length : newline + 1;
  const margin = ' '.repeat(from - start);
  const lines = text.slice(start, end).split('\n');
  return {
    text: lines
      .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line.trimStart()))
      .join('\n'),
    back: (fresh) => text.slice(0, start) + fresh.replaceAll(/^(?=.)/gm, margin) + text.slice(end),
  };
}

function columnAt(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** A list that has lost its last entry is written as `[]`. */
function emptyListsInFlow(root: unknown): void {
  visit(root as Node, {
    Seq: (_key, list) => {
      if (list.items.length === 0) list.flow = true;
    },
  });
}

/** Whether the new text is a scenario file that differs only in that expectation. */
function isSameBut(before: string, after: string, index: number): boolean {
  const rest = (text: string) => {
    const value = parseDocument(text, YAML).toJS() as { scenarios: { expect: unknown }[] };
    const scenarios = value.scenarios.map((each, nth) => (nth === index ? { ...each, expect: null } : each));
    return JSON.stringify({ ...value, scenarios });
  };
  const fresh = parseDocument(after, YAML);
  return (
    fresh.errors.length === 0 && scenarioFile.safeParse(fresh.toJS()).success && rest(before) === rest(after)
  );
}
