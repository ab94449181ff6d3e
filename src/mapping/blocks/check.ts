import { foldedText } from '../../engine/domain/plain-text.ts';
import type { ConfigDocument } from '../document.ts';
import type { ProblemList } from '../problem.ts';
import { MIRROR_NAME } from '../schema/mirror.ts';
import type { WrittenConfig } from '../schema/root.ts';

/** Checks entries across settings: their names, and that each person is in only one entry. */
export function checkBlocks(written: WrittenConfig, document: ConfigDocument, problems: ProblemList): void {
  const entryOf = new Map<string, string>();
  for (const [name, { people }] of Object.entries(written.blocks ?? {})) {
    const path = ['blocks', name];
    if (!MIRROR_NAME.test(name)) {
      problems.add(path, document.placeOfKey(path), {
        what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
        fix: 'rename it, for example private-time',
      });
    }
    for (const resource of Object.keys(people)) {
      const folded = foldedText(resource);
      const other = entryOf.get(folded);
      entryOf.set(folded, other ?? name);
      if (other === undefined) continue;
      const own = [...path, 'people', resource];
      problems.add(own, document.placeOfKey(own), {
        what: `is also in ${other === name ? 'this entry' : other}`,
        fix: 'name each person once, with all of their calendars',
      });
    }
  }
}
