import { WorkerError } from '../domain/errors.ts';
import type { Claim } from '../domain/work.ts';
import type { MirrorTarget } from '../ports/handler.ts';

/**
 * What all mirrors together would do about an object: the first of these that one of them would do. Codes stand for what cannot be
 * told; nothing is written.
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

/** What stands for the platform's lists while it is away: ids are not given names then. */
