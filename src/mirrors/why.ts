// Explains in words why a mirror takes an object or not, and names the line of the YAML that decides. Only informs people; route.ts decides
// what is done.
import type { Directory } from '../domain/directory.ts';
import type { Mirror } from '../domain/mirror.ts';
import type { Claim } from '../domain/work.ts';
import type { Judged } from './filter/line.ts';
import { linesOf } from './filter/lines.ts';
import { kindOf } from './kinds.ts';
import { type Around, type KnownClaim, no, type Opinion, pathOf } from './mirror-kind.ts';
import { entersAtMs } from './route.ts';

export function opinionOf(mirror: Mirror, claim: Claim, around: Around): Opinion {
  const { snapshot } = claim;
  const path = pathOf(mirror);
  if (claim.deleted) return kindOf(mirror).ofDeleted(mirror);
  if (snapshot === undefined) return no(path('from'), 'only its id is known so far');
  const refusal = refusedBy(mirror, { ...claim, snapshot }, around);
  if (refusal !== undefined) return no(path(refusal.setting), refusal.because);
  const because = takenBy(mirror, { ...claim, snapshot }, around.directory);
  return kindOf(mirror).ofTaken(mirror, { ...claim, snapshot }, { ...around, because });
}

interface Refused {
  readonly setting: string;
  readonly because: string;
}

/** The first line of `where` that does not take the object. */
function refusedBy(mirror: Mirror, claim: KnownClaim, around: Around): Refused | undefined {
  const { snapshot } = claim;
  const { directory, nowMs } = around;
  const links = claim.links[mirror.name];
  const linked = links !== undefined;
  const subject = { kind: mirror.from, snapshot, directory, customer: claim.customer };
  const refusal = (judged: Judged): Refused | undefined => {
    const line = linesOf(mirror.where).find((each) => each.judge(subject) === judged);
    return line && { setting: `where.${line.setting}`, because: line.tell(subject) };
  };
  const refused = refusal('no') ?? (linked ? undefined : refusal('unknown'));
  if (refused !== undefined || linked) return refused;
  const field = mirror.from === 'appointment' ? 'starts_at' : 'created_at';
  const atMs = Date.parse(String(snapshot[field]));
  if ('sinceMs' in mirror.where && atMs < nowMs - mirror.where.sinceMs) {
    return {
      setting: 'where.since',
      because: `its ${field} is ${String(snapshot[field])}, longer ago than is taken up`,
    };
  }
  if (mirror.from !== 'appointment') return undefined;
  const entersMs = entersAtMs(mirror.where, snapshot, { nowMs, linked, directory });
  if (entersMs === undefined) return undefined;
  const enters = new Date(entersMs).toISOString();
  return {
    setting: 'where.until',
    because: `it starts at ${String(snapshot['starts_at'])}, further ahead than is taken up; it enters on ${enters}`,
  };
}

/** What `where` says about an object that it takes. */
function takenBy(mirror: Mirror, claim: KnownClaim, directory: Directory): string {
  const { snapshot } = claim;
  const lines = linesOf(mirror.where);
  const subject = { kind: mirror.from, snapshot, directory, customer: claim.customer };
  const unknown = lines.find((line) => line.judge(subject) === 'unknown');
  if (unknown !== undefined) return `it stands there, and stays although ${unknown.tell(subject)}`;
  const named = lines.map(({ setting }) => setting);
  return ['every line of where takes it', ...(named.length === 0 ? [] : [named.join(', ')])].join(': ');
}
