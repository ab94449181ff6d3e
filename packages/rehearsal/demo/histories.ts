// What `slotbridge explain` says about each object that differs: a race may not happen again, so its one run has to show the cause.
import type { Verdict } from './judge/judge.ts';
import { differencesOf } from './report.ts';
import { explained } from './write-commands.ts';

/** Each costs a process, and the cause of many differences is usually one. */
const OBJECTS_EXPLAINED_MAX = 10;

/** Empty when nothing differs. `commands`: the script of `writeCommands`. */
export async function historiesOf(verdict: Verdict, commands: string): Promise<string> {
  const told: string[] = [];
  for (const id of differingIds(verdict).slice(0, OBJECTS_EXPLAINED_MAX))
    told.push(await explained(commands, id));
  return told.length === 0 ? '' : `\nWhat the worker knows of them:\n\n${told.join('\n')}\n`;
}

/** Ids of the platform's objects and of people's events, as the differences name them. */
export function differingIds(verdict: Verdict): readonly string[] {
  const lines = [...differencesOf(verdict).map(({ id }) => id), ...(verdict.besides ?? [])];
  return [...new Set(lines.flatMap((line) => [...line.matchAll(NAMED)].map(([id]) => id)))];
}

const NAMED = /(?<=\bevent )\S+(?= in |$)|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
