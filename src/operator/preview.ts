import { WorkerError } from '../domain/errors.ts';
import type { Claim } from '../domain/work.ts';
import type { MirrorTarget } from '../ports/handler.ts';

/**
 * What all mirrors together would do about an object: their different actions in alphabetical order, without `nothing`. The code of an
 * error replaces an action that cannot be determined. Writes nothing.
 */
export async function previewOf(targets: readonly MirrorTarget[], claim: Claim): Promise<string> {
  const actions = new Set<string>();
  for (const target of targets.filter((each) => each.from === claim.key.kind)) {
    try {
      actions.add(await target.preview(claim));
    } catch (error) {
      actions.add(error instanceof WorkerError ? error.code : 'unexpected');
    }
  }
  actions.delete('nothing');
  const [first = 'nothing', ...others] = [...actions].sort();
  return others.length === 0 ? first : [first, ...others].join(' and ');
}
