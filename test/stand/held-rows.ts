import { HeldRows, type HeldRowsParts } from '../../src/engine/edit-guard.ts';
import type { Clock } from '../../src/engine/runtime.ts';
import type { openTestStore } from './store.ts';

type Store = Pick<
  ReturnType<typeof openTestStore>,
  'memory' | 'tally' | 'problems' | 'ledger' | 'dirtyMarks'
>;

/** What people type in bulk waits here, over real stores. `mortal`: as for the other parts of the stand. */
export function heldRowsOf(
  store: Store,
  clock: Clock,
  mortal: <Part extends object>(part: Part) => Part = (part) => part,
): HeldRows {
  const { problems, ledger: view, dirtyMarks } = store;
  const parts: Omit<HeldRowsParts, 'memory' | 'tally'> = {
    ...{ problems, view, dirtyMarks, clock },
    queue: { add: () => undefined },
  };
  return new HeldRows({ ...parts, memory: mortal(store.memory), tally: mortal(store.tally) });
}
