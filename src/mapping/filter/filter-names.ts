import type { Directory } from '../../engine/domain/directory.ts';
import type { Where } from '../../engine/domain/mirror.ts';
import type { ProblemBoard } from '../../engine/ports/operator.ts';
import { filterNames } from './lines.ts';

/** Raises a problem for each name in a filter that the platform's lists do not have. Such a name takes nothing new. */
export async function reportFilterNames(
  filters: readonly { readonly name: string; readonly where: Where; readonly at?: string }[],
  directory: Directory,
  problems: Pick<ProblemBoard, 'raise' | 'clear'>,
): Promise<void> {
  for (const filter of filters) {
    for (const { setting, name, isKnown } of filterNames(filter.where, directory)) {
      const target = `mapping:${filter.name}/${filter.at ?? 'where'}.${setting}/${name}`;
      if (isKnown) await problems.clear(target);
      else await problems.raise({ target, code: 'filter-name-unknown', ...WORDS });
    }
  }
}

const WORDS = {
  message:
    'a name in a filter, a colour or a class of the mapping is not on the active lists of the platform',
  advice:
    'Run `slotbridge check --live`, which suggests the right name. What is mirrored stays; nothing new is taken, coloured or shown as a class by that name.',
};
