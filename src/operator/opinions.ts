import type { Config } from '../config/config.ts';
import type { Directory } from '../domain/directory.ts';
import type { Claim } from '../domain/work.ts';
import { resolveCalendars } from '../mirrors/route.ts';
import { opinionOf } from '../mirrors/why.ts';
import type { MirrorOpinion } from '../ops/explain.ts';

/** What every mirror of the object's kind makes of it, by the mapping as it is in the file now. */
export function opinionsOf(
  claim: Claim,
  parts: { readonly config: Config; readonly directory: Directory; readonly nowMs: number },
): readonly MirrorOpinion[] {
  const { config, directory, nowMs } = parts;
  return config.mirrors
    .filter((mirror) => mirror.from === claim.key.kind)
    .map((mirror) => {
      const resolved = mirror.kind === 'calendar' ? resolveCalendars(mirror, directory).resolved : new Map();
      return { mirror: mirror.name, ...opinionOf(mirror, claim, { directory, resolved, nowMs }) };
    });
}
