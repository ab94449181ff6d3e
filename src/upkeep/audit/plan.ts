// What a YAML would change against what is remembered of calendars and tabs: every object that the mirrors may take is asked of its targets,
// and nothing is written.
import type { EntityKind } from '../../domain/entity.ts';
import { WorkerError } from '../../domain/errors.ts';
import type { ObjectLinks } from '../../domain/link.ts';
import { calendarPlace, sheetPlace } from '../../domain/standing.ts';
import type { Claim } from '../../domain/work.ts';
import type { MirrorTarget } from '../../ports/handler.ts';
import { eachObject, keyOf, type TruthParts, windowOf } from './truth.ts';

export interface PlannedChange {
  /** `kept`: the mapping does not take it any more, and an edit of the YAML takes nothing away. Else a code stands for what cannot be told. */
  readonly action: 'created' | 'updated' | 'moved' | 'removed' | 'kept' | string;
  readonly key: string;
  readonly mirror: string;
}

/** Events or rows of a mirror or a place that the YAML does not name any more: they stay where they are. */
export interface Leftover {
  readonly mirror: string;
  readonly place: string;
  readonly count: number;
}

export interface PlanParts extends TruthParts {
  readonly targets: readonly MirrorTarget[];
  readonly progress: (step: { readonly reading: string; readonly objects: number }) => void;
}

/** Rejects with the three error families when the platform or Redis cannot be read. */
export async function planChanges(
  parts: PlanParts,
  tell: (change: PlannedChange) => void,
): Promise<{ readonly objects: number; readonly leftovers: readonly Leftover[] }> {
  let objects = 0;
  for (const kind of new Set(parts.targets.map((target) => target.from))) {
    const targets = parts.targets.filter((target) => target.from === kind);
    await eachObject(parts, { kind, from: windowOf(parts, kind) }, async ({ claim }) => {
      objects += 1;
      if (objects % 100 === 0) parts.progress({ reading: kind, objects });
      for (const target of targets) {
        const action = await changeOf(target, claim);
        if (action !== 'nothing') tell({ action, key: keyOf(claim), mirror: target.name });
      }
    });
  }
  return { objects, leftovers: await findLeftovers(parts) };
}

async function changeOf(target: MirrorTarget, claim: Claim): Promise<string> {
  try {
    const action = await target.preview(claim);
    if (action !== 'nothing' && action !== 'queued') return action;
    const expected = await target.expected(claim);
    const isKept = expected.some(({ because }) => because === 'changed-mapping');
    if (action === 'nothing') return isKept ? 'kept' : 'nothing';
    if (isKept) return 'kept';
    if (expected.some(({ rule }) => rule === 'must-not')) return 'removed';
    return claim.links[target.name] === undefined ? 'created' : 'updated';
  } catch (error) {
    if (error instanceof WorkerError) return error.code;
    throw error;
  }
}

const KINDS: readonly EntityKind[] = ['appointment', 'contact', 'conversation', 'message', 'lead'];

async function findLeftovers({ known, mirrors }: PlanParts): Promise<readonly Leftover[]> {
  const named = new Set(
    mirrors.flatMap((mirror) =>
      mirror.kind === 'sheet'
        ? [mirror, ...(mirror.archive === undefined ? [] : [mirror.archive])].map(
            (tab) => `${mirror.name} ${sheetPlace(tab)}`,
          )
        : mirror.calendars.map(({ calendarId }) => `${mirror.name} ${calendarPlace(calendarId)}`),
    ),
  );
  const counts = new Map<string, Leftover>();
  for (const kind of KINDS) {
    await known.each(kind, async (claims) => {
      for (const { mirror, place } of claims.flatMap(({ links }) => spotsOf(links))) {
        const spot = `${mirror} ${place}`;
        if (named.has(spot)) continue;
        counts.set(spot, { mirror, place, count: (counts.get(spot)?.count ?? 0) + 1 });
      }
    });
  }
  return [...counts.values()];
}

function spotsOf(links: ObjectLinks): readonly { readonly mirror: string; readonly place: string }[] {
  return Object.entries(links).flatMap(([mirror, { calendars = [], sheet }]) => [
    ...calendars.map(({ calendarId }) => ({ mirror, place: calendarPlace(calendarId) })),
    ...(sheet === undefined || sheet.hash === 'cleared' ? [] : [{ mirror, place: sheetPlace(sheet) }]),
  ]);
}
