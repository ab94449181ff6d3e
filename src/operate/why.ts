// Explains in words why a mirror takes an object or not, and names the line of the YAML that decides. Only informs people; route.ts decides
// what is done.
import type { Mirror } from '../engine/mirror.ts';
import type { Claim } from '../engine/work.ts';
import { type Judged, linesOf } from '../mapping/filter-lines.ts';
import { entersAtMs } from '../mapping/route.ts';
import { type Around, type KnownClaim, no, type Opinion, pathOf } from '../mapping/shown-kind.ts';
import { kindOf } from './kinds.ts';

export function opinionOf(mirror: Mirror, claim: Claim, around: Around): Opinion {
  const { snapshot } = claim;
  const path = pathOf(mirror);
  if (claim.deleted) return kindOf(mirror).ofDeleted(mirror, around.words);
  if (snapshot === undefined) return no(path('from'), around.words.onlyId);
  const refusal = refusedBy(mirror, { ...claim, snapshot }, around);
  if (refusal !== undefined) return no(path(refusal.setting), refusal.because);
  const because = takenBy(mirror, { ...claim, snapshot }, around);
  return kindOf(mirror).ofTaken(mirror, { ...claim, snapshot }, { ...around, because });
}

interface Refused {
  readonly setting: string;
  readonly because: string;
}

/** The first line of `where` that does not take the object. */
function refusedBy(mirror: Mirror, claim: KnownClaim, around: Around): Refused | undefined {
  const { snapshot } = claim;
  const { directory, nowMs, words } = around;
  const links = claim.links[mirror.name];
  const linked = links !== undefined;
  const subject = { kind: mirror.from, snapshot, directory, customer: claim.customer };
  const refusal = (judged: Judged): Refused | undefined => {
    const line = linesOf(mirror.where).find((each) => each.judge(subject) === judged);
    return line && { setting: `where.${line.setting}`, because: line.tell(subject, words) };
  };
  const refused = refusal('no') ?? (linked ? undefined : refusal('unknown'));
  if (refused !== undefined || linked) return refused;
  const field = mirror.from === 'appointment' ? 'starts_at' : 'created_at';
  const atMs = Date.parse(String(snapshot[field]));
  if ('sinceMs' in mirror.where && atMs < nowMs - mirror.where.sinceMs) {
    return {
      setting: 'where.since',
      because: words.tooOld(field, String(snapshot[field])),
    };
  }
  if (mirror.from !== 'appointment') return undefined;
  const entersMs = entersAtMs(mirror.where, snapshot, { nowMs, linked, directory });
  if (entersMs === undefined) return undefined;
  const enters = new Date(entersMs).toISOString();
  return {
    setting: 'where.until',
    because: words.tooFar(String(snapshot['starts_at']), enters),
  };
}

/** What `where` says about an object that it takes. */
function takenBy(mirror: Mirror, claim: KnownClaim, { directory, words }: Around): string {
  const { snapshot } = claim;
  const lines = linesOf(mirror.where);
  const subject = { kind: mirror.from, snapshot, directory, customer: claim.customer };
  const unknown = lines.find((line) => line.judge(subject) === 'unknown');
  if (unknown !== undefined) return words.stays(unknown.tell(subject, words));
  return words.takenBy(lines.map(({ setting }) => setting));
}
