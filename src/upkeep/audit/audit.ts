// The platform's truth against what stands in calendars and tabs, read from Google and not from what is remembered. Out comes every
// difference, with its reason. Nothing is written.
import type { Difference, DifferenceKind, DifferenceReason } from '../../domain/difference.ts';
import type { EntityKind } from '../../domain/entity.ts';
import { WorkerError } from '../../domain/errors.ts';
import type { Expectation, Standing } from '../../domain/standing.ts';
import type { Claim } from '../../domain/work.ts';
import type { DeadLetters } from '../../ports/dead-letters.ts';
import type { MirrorPlaces } from '../../ports/mirror-places.ts';
import type { MirrorTarget } from '../../ports/mirror-target.ts';
import { type ObjectShelf, Shelf } from './shelf.ts';
import { eachObject, findObject, keyOf, type TrueObject, type TruthParts } from './truth.ts';

/** What changed just now may be on its way: an event is formed 1 to 3 s after the change (platform API, Delivery rules). */
const UNDER_WAY_MS = 10_000;

export interface AuditParts extends TruthParts {
  readonly targets: readonly MirrorTarget[];
  readonly places: readonly MirrorPlaces[];
  readonly deadLetters: Pick<DeadLetters, 'all'>;
  /** Told now and then how far it is. */
  readonly progress: (step: AuditProgress) => void;
}

export interface AuditProgress {
  readonly reading: string;
  readonly objects: number;
}

export interface AuditResult {
  readonly objects: number;
  /** Events and rows that were read. */
  readonly standing: number;
  /** Places that could not be read: of them nothing is known. Place to code. */
  readonly unread: ReadonlyMap<string, string>;
  /** Objects of which a mirror cannot say what should stand: `<mirror> <key>` to code. */
  readonly unjudged: ReadonlyMap<string, string>;
}

/** Compares everything. Rejects with the three error families when the platform or Redis cannot be read. */
export async function audit(parts: AuditParts, tell: (difference: Difference) => void): Promise<AuditResult> {
  const dead = new Set((await parts.deadLetters.all()).map(({ name }) => name));
  const run = new AuditRun(parts, { dead, tell });
  for (const kind of new Set(parts.targets.map((target) => target.from))) await run.compare(kind);
  return run.result;
}

class AuditRun {
  readonly #parts: AuditParts;
  readonly #dead: ReadonlySet<string>;
  readonly #tell: (difference: Difference) => void;
  readonly #unread = new Map<string, string>();
  readonly #unjudged = new Map<string, string>();
  #objects = 0;
  #standing = 0;

  constructor(
    parts: AuditParts,
    about: { readonly dead: ReadonlySet<string>; readonly tell: (difference: Difference) => void },
  ) {
    this.#parts = parts;
    this.#dead = about.dead;
    this.#tell = about.tell;
  }

  get result(): AuditResult {
    return {
      objects: this.#objects,
      standing: this.#standing,
      unread: this.#unread,
      unjudged: this.#unjudged,
    };
  }

  async compare(kind: EntityKind): Promise<void> {
    const targets = this.#parts.targets.filter((target) => target.from === kind);
    const shelf = await this.#read(targets);
    await eachObject(this.#parts, kind, async (object) => {
      await this.#judge(object, targets, shelf.take(object.claim.key.id));
      this.#objects += 1;
      if (this.#objects % 100 === 0) this.#parts.progress({ reading: kind, objects: this.#objects });
    });
    // Too old for the lists, deleted, or never there.
    for (const id of shelf.rest()) {
      const left = shelf.take(id);
      const known = await this.#parts.view.peek({ kind, id });
      if (known?.snapshot !== undefined && (await this.#isRight(known, targets, left.copy()))) continue;
      const object = await findObject(this.#parts, { kind, id });
      if (object !== undefined) await this.#judge(object, targets, left);
      else this.#orphans(`${kind}/${id}`, left, known === undefined ? 'unknown' : 'missed-event');
    }
  }

  /** By what is known here: what is right is not asked of the platform again. */
  async #isRight(claim: Claim, targets: readonly MirrorTarget[], shelf: ObjectShelf): Promise<boolean> {
    let differences = 0;
    const quiet = new AuditRun(this.#parts, {
      dead: this.#dead,
      tell: () => {
        differences += 1;
      },
    });
    await quiet.#judge({ claim, isNews: false }, targets, shelf);
    return differences === 0 && quiet.#unjudged.size === 0;
  }

  async #read(targets: readonly MirrorTarget[]): Promise<Shelf> {
    const shelf = new Shelf();
    const names = targets.map((target) => target.name);
    for (const { mirror, places, standing } of this.#parts.places.filter((each) =>
      names.includes(each.mirror),
    )) {
      for (const place of places) {
        this.#parts.progress({ reading: place, objects: this.#objects });
        try {
          for await (const thing of standing(place)) {
            shelf.put(mirror, thing);
            this.#standing += 1;
          }
        } catch (error) {
          if (!(error instanceof WorkerError)) throw error;
          this.#unread.set(place, error.code);
        }
      }
    }
    return shelf;
  }

  async #judge(object: TrueObject, targets: readonly MirrorTarget[], shelf: ObjectShelf): Promise<void> {
    for (const target of targets) {
      let expected: readonly Expectation[];
      try {
        expected = await target.expected(object.claim);
      } catch (error) {
        if (!(error instanceof WorkerError)) throw error;
        this.#unjudged.set(`${target.name} ${keyOf(object.claim)}`, error.code);
        continue;
      }
      for (const place of new Set(expected.map((each) => each.place))) {
        if (this.#unread.has(place)) continue;
        const rules = expected.filter((each) => each.place === place);
        await this.#comparePlace(object, target.name, { rules, standing: shelf.take(target.name, place) });
      }
    }
    const why = await this.#reasonOf(object, undefined);
    this.#orphans(keyOf(object.claim), shelf, why);
  }

  /** The strictest rule decides; events beside the one that is meant are doubles. */
  async #comparePlace(
    object: TrueObject,
    mirror: string,
    about: { readonly rules: readonly Expectation[]; readonly standing: readonly Standing[] },
  ): Promise<void> {
    const { rules } = about;
    const names = rules.map((each) => each.linked);
    const standing = about.standing.filter((thing) => thing.isOurs || names.includes(thing.name));
    const rule =
      rules.find((each) => each.rule === 'must') ?? rules.find((each) => each.rule === 'may') ?? rules[0];
    if (rule === undefined) return;
    const { place } = rule;
    const found = async (what: DifferenceKind, thing?: Standing, reason?: DifferenceReason) => {
      const why = reason ?? (await this.#reasonOf(object, rule));
      const name = thing === undefined ? {} : { name: thing.name };
      this.#tell({ what, why, key: keyOf(object.claim), mirror, place, ...name });
    };
    if (rule.rule === 'must-not') {
      for (const thing of standing) await found('orphaned', thing);
      return;
    }
    if (rule.rule === 'may' && rule.because !== 'changed-mapping') return;
    const meant =
      standing.find((thing) => rule.isRight(thing.content)) ??
      standing.find((thing) => thing.name === rule.linked) ??
      standing[0];
    for (const thing of standing) if (thing !== meant) await found('doubled', thing);
    if (rule.rule === 'may') {
      if (meant !== undefined) await found('unmapped', meant, 'changed-mapping');
    } else if (meant === undefined) await found('missing');
    else if (!rule.isRight(meant.content)) await found('stale', meant);
  }

  #orphans(key: string, shelf: ObjectShelf, why: DifferenceReason): void {
    for (const { mirror, standing } of shelf.rest()) {
      if (!standing.isOurs) continue;
      this.#tell({ what: 'orphaned', why, key, mirror, place: standing.place, name: standing.name });
    }
  }

  async #reasonOf(object: TrueObject, rule: Expectation | undefined): Promise<DifferenceReason> {
    const key = keyOf(object.claim);
    if (this.#dead.has(key) || [...this.#dead].some((name) => name.endsWith(` ${key}`))) return 'dead-letter';
    if (await this.#isUnderWay(object.claim)) return 'pending';
    if (object.isNews) return 'missed-event';
    if (rule === undefined) return 'unknown';
    return rule.isConfirmed ? 'foreign-edit' : 'failed-write';
  }

  async #isUnderWay({ key, snapshot, desiredRev, syncedRev }: Claim): Promise<boolean> {
    if (desiredRev !== syncedRev && (await this.#parts.view.dueAt(key)) !== undefined) return true;
    return Date.parse(String(snapshot?.['updated_at'])) >= this.#parts.nowMs - UNDER_WAY_MS;
  }
}
