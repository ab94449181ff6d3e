import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Walk } from './count.ts';
import { MARK } from './marks.ts';

/** The variable with the folder in which recordings are written, one file for each flow. */
export const RECORDINGS = 'SLOTBRIDGE_WALKS';

/** The turn ends a moment after its effect stands in Google. */
const TURN_ENDS_MS = 400;

/** How often a flow is walked. What one change runs and another does not is chance. */
const CHANGES = 3;

/** Records `CHANGES` changes, each after an idle spell, and writes the marks of all spells to `<flow>.json`. */
export async function recording(
  flow: string,
  spells: { readonly idle: () => Promise<unknown>; readonly change: () => Promise<unknown> },
): Promise<void> {
  const walk: Walk = { idle: [], changes: [] };
  for (let round = 0; round < CHANGES; round += 1) {
    walk.idle.push(...(await marksWhile(spells.idle)));
    walk.changes.push(
      await marksWhile(async () => {
        await spells.change();
        await sleep(TURN_ENDS_MS);
      }),
    );
  }
  writeFileSync(join(process.env[RECORDINGS] ?? '.', `${flow}.json`), JSON.stringify(walk));
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
