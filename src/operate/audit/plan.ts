// Plans what a YAML would change, compared with the stored state of calendars and tabs. Asks the targets about every object that the
// mirrors may take. Writes nothing.
import type { Directory } from '../../engine/domain/directory.ts';
import { WorkerError } from '../../engine/domain/errors.ts';
import { openEdit, spotsOf } from '../../engine/domain/link.ts';
import { namedPlaces } from '../../engine/domain/mirror.ts';
import type { EntityKind } from '../../engine/domain/object.ts';
import { contentHash } from '../../engine/domain/object.ts';
import type { PlannedStep } from '../../engine/domain/planned.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { MirrorTarget } from '../../engine/ports/handler.ts';
import { type Heir, inherit } from '../mapping-change/heirs.ts';
import { GatheredClasses } from './classes.ts';
import { claimKeyOf, eachObject, listedFrom, type TruthParts } from './truth.ts';

/** One step in one place, for one object. */
export interface PlannedChange extends Omit<PlannedStep, 'action'> {
  /**
   * `kept`: the mapping no longer takes the object, and an edit of the YAML removes nothing. An error code if the action cannot be
   * determined.
   */
  readonly action: PlannedStep['action'] | string;
  readonly key: string;
  readonly mirror: string;
  readonly object: PlannedObject;
  /** Hash of the step and of its source: the object as the platform shows it, and its stored state. */
  readonly hash: string;
}

/** What people know an object by. */
export interface PlannedObject {
  /** ISO 8601. An object without a start has its creation here. */
  readonly at?: string;
  /** IANA zone; absent: UTC. */
  readonly zone?: string;
  readonly service?: string;
  readonly resources?: readonly string[];
  readonly status?: string;
  /** Personal data. */
  readonly name?: string;
}

/** Events or rows of a mirror or place that the YAML no longer names. They stay where they are. */
export interface Leftover {
  readonly mirror: string;
  readonly place: string;
  readonly count: number;
}

/** Events or rows that are already right, or are left as people have them. */
export type Stay = Leftover;

export interface PlanResult {
  readonly objects: number;
  readonly stays: readonly Stay[];
  readonly leftovers: readonly Leftover[];
  /** Objects with a change by people that waits for a decision. Any other decision was made, and no mapping makes it again. */
  readonly undecided: number;
}

export interface PlanParts extends TruthParts {
  readonly targets: readonly MirrorTarget[];
  readonly directory: Directory;
  /** The mirrors of the YAML, as heirs of what other mirrors wrote. */
  readonly heirs: readonly Heir[];
  readonly progress: (step: { readonly reading: string; readonly objects: number }) => void;
}

/** Rejects with the three error families when the platform or Redis cannot be read. */
export async function planChanges(
  parts: PlanParts,
  tell: (change: PlannedChange) => void,
): Promise<PlanResult> {
  let objects = 0;
  const stays = new Map<string, Stay>();
  const told = new Set<string>();
  const kinds = new Set(parts.targets.map((target) => target.from));
  kinds.delete('class');
  const planOne = async (found: Claim, kind: EntityKind): Promise<void> => {
    const claim = withHeirs(found, parts.heirs);
    objects += 1;
    if (objects % 100 === 0) parts.progress({ reading: kind, objects });
    for (const target of parts.targets.filter(({ from }) => from === claim.key.kind)) {
      for (const step of await stepsOf(target, claim)) {
        for (const place of [step.place, step.from])
          if (place !== undefined) told.add(`${claimKeyOf(claim)} ${target.name} ${place}`);
        if (step.action !== 'same') tell(changeOf(step, { claim, mirror: target.name, parts }));
        else {
          const spot = `${target.name} ${step.place}`;
          const count = (stays.get(spot)?.count ?? 0) + 1;
          stays.set(spot, { mirror: target.name, place: step.place, count });
        }
      }
    }
  };
  for (const kind of kinds) {
    const classes = new GatheredClasses(parts);
    await eachObject(parts, { kind, from: listedFrom(parts, kind) }, async (object) => {
      if (kind === 'appointment') classes.add(object);
      if (object.isErased !== true) await planOne(object.claim, kind);
    });
    const planned = new Set<string>();
    for await (const { claim } of classes.objects()) {
      planned.add(claimKeyOf(claim));
      await planOne(claim, kind);
    }
    if (kind === 'appointment') await eachFormerClass(parts, planned, (claim) => planOne(claim, kind));
  }
  return { objects, stays: [...stays.values()], ...(await findLeftovers(parts, told)) };
}

/** Classes that calendars show, but to which no listed appointment belongs under this YAML. */
async function eachFormerClass(
  { known, classes }: PlanParts,
  planned: ReadonlySet<string>,
  plan: (claim: Claim) => Promise<void>,
): Promise<void> {
  if (classes === undefined) return;
  await known.each('class', async (claims) => {
    const former = claims.filter(
      (claim) => !planned.has(claimKeyOf(claim)) && spotsOf(claim.links).length > 0,
    );
    for (const claim of former) await plan(await classes.read(claim));
  });
}

/** Hands over links as a start with this YAML would before its first write: mirrors may have been renamed, split or joined. */
function withHeirs(claim: Claim, heirs: readonly Heir[]): Claim {
  const links = inherit(claim.key.kind, claim.links, heirs);
  return links === undefined ? claim : { ...claim, links };
}

type Step = Omit<PlannedStep, 'action'> & { readonly action: string };

/** The action is an error code where it cannot be determined. */
async function stepsOf(target: MirrorTarget, claim: Claim): Promise<readonly Step[]> {
  try {
    return await target.planned(claim);
  } catch (error) {
    if (error instanceof WorkerError) return [{ action: error.code, place: '' }];
    throw error;
  }
}

function changeOf(
  step: Step,
  { claim, mirror, parts }: { readonly claim: Claim; readonly mirror: string; readonly parts: PlanParts },
): PlannedChange {
  const key = claimKeyOf(claim);
  // The content of its row or event follows from the rest.
  const { row: _, event: __, ...decided } = step;
  const made = [key, mirror, decided, claim.snapshot ?? null, claim.deleted, claim.links[mirror] ?? null];
  return { ...step, key, mirror, object: describeObject(claim, parts.directory), hash: contentHash(made) };
}

function describeObject({ snapshot }: Claim, { branches, resources }: Directory): PlannedObject {
  if (snapshot === undefined) return {};
  const text = (field: string) => {
    const value = snapshot[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const ids = Array.isArray(snapshot['resource_ids']) ? snapshot['resource_ids'].map(String) : [];
  const all: Record<keyof PlannedObject, string | readonly string[] | undefined> = {
    at: text('starts_at') ?? text('created_at'),
    zone: text('timezone') ?? branches.get(String(snapshot['branch_id']))?.timezone,
    service: text('service_name'),
    resources: ids.length === 0 ? undefined : ids.map((id) => resources.get(id)?.name ?? id),
    status: text('status'),
    name: text('customer_name') ?? text('name'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const KINDS: readonly EntityKind[] = ['appointment', 'class', 'contact', 'conversation', 'message', 'lead'];

/** `told`: object, mirror and place of every step of the plan. Those are not leftovers. */
async function findLeftovers(
  { known, mirrors, heirs }: PlanParts,
  told: ReadonlySet<string>,
): Promise<Pick<PlanResult, 'leftovers' | 'undecided'>> {
  const named = new Set(
    mirrors.flatMap((mirror) => namedPlaces(mirror).map(({ place }) => `${mirror.name} ${place}`)),
  );
  const counts = new Map<string, Leftover>();
  let undecided = 0;
  for (const kind of KINDS) {
    await known.each(kind, async (claims) => {
      undecided += claims.filter(isUndecided).length;
      const spots = claims
        .map((claim) => withHeirs(claim, heirs))
        .flatMap((claim) => spotsOf(claim.links).map((spot) => ({ ...spot, key: claimKeyOf(claim) })));
      for (const { key, mirror, place } of spots) {
        const spot = `${mirror} ${place}`;
        if (named.has(spot) || told.has(`${key} ${spot}`)) continue;
        counts.set(spot, { mirror, place, count: (counts.get(spot)?.count ?? 0) + 1 });
      }
    });
  }
  return { leftovers: [...counts.values()], undecided };
}

function isUndecided({ links, rowEdits = [] }: Claim): boolean {
  const calendars = Object.values(links).flatMap((each) => each.calendars ?? []);
  return rowEdits.length > 0 || calendars.some((link) => openEdit(link) !== undefined);
}
