import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MARK } from './marks.ts';

/** The variable with the folder in which recordings are written, one file for each flow. */
export const RECORDINGS = 'SLOTBRIDGE_WALKS';

/** The turn ends a moment after its effect stands in Google. */
const TURN_ENDS_MS = 400;

/** Records the marks of an idle spell, then of one change, and writes both to `<flow>.json`. */
export async function recording(
  flow: string,
  spells: { readonly idle: () => Promise<unknown>; readonly change: () => Promise<unknown> },
): Promise<void> {
  const idle = await marksWhile(spells.idle);
  const change = await marksWhile(async () => {
    await spells.change();
    await sleep(TURN_ENDS_MS);
  });
  writeFileSync(join(process.env[RECORDINGS] ?? '.', `${flow}.json`), JSON.stringify({ idle, change }));
}

async function marksWhile(spell: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  Reflect.set(globalThis, MARK, (mark: string) => seen.push(mark));
  try {
    await spell();
    return [...seen];
  } finally {
    Reflect.deleteProperty(globalThis, MARK);
  }
}
