// Renders the events or the row that the worker would write for one object and one mirror. Makes no requests and writes nothing.
import { COLOR_NAME_OF } from '../../config/schema/colours.ts';
import type { Directory } from '../../domain/directory.ts';
import { type EntityKey, formatKey } from '../../domain/entity.ts';
import type { KnownCustomer } from '../../domain/known-customer.ts';
import type { Mirror } from '../../domain/mirror.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { Claim } from '../../domain/work.ts';
import { kindOf } from '../../mirrors/kinds.ts';
import { renderingProblem } from '../../mirrors/render/failing.ts';
import { TEMPLATE_NAMES } from '../../mirrors/render/names.ts';
import { maskPeople } from '../../mirrors/render/personal.ts';
import { resolveCalendars } from '../../mirrors/route.ts';
import { opinionOf } from '../../mirrors/why.ts';
import { localTime } from '../../ops/local-time.ts';
import type { RenderedField, Rendering } from '../../ops/render-text.ts';
import { sampleFor } from './sample.ts';

/** A template that fails for the object. Line and column count from 1 inside the template. */
export interface FailedTemplate {
  readonly path: readonly string[];
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

export interface RenderedObject {
  readonly key: EntityKey;
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  readonly customer?: KnownCustomer | undefined;
}

/** Shows the object's own values only with `showPeople`. */
export async function renderObject(
  mirror: Mirror,
  object: RenderedObject,
  about: { readonly nowMs: number; readonly showPeople: boolean },
): Promise<Rendering | { readonly failed: readonly FailedTemplate[] }> {
  const { key, directory } = object;
  const masked = !about.showPeople;
  const snapshot = masked ? maskPeople(mirror.from, object.snapshot) : object.snapshot;
  const resolved = mirror.kind === 'calendar' ? resolveCalendars(mirror, directory).resolved : new Map();
  const claim = { ...claimOf(key, object.snapshot), customer: object.customer };
  const opinion = opinionOf(mirror, claim, { directory, resolved, nowMs: about.nowMs });
  const made = await render(mirror, snapshot, directory);
  if ('failed' in made) return made;
  return {
    mirror: mirror.name,
    object: formatKey(key),
    masked,
    opinion,
    ...made,
    notes: [...made.notes, ...(masked ? [MASKED_NOTE] : [])],
  };
}

/** Renders the invented object of the mirror's kind, unmasked: it has no personal data. */
export async function renderSample(
  mirror: Mirror,
): Promise<Rendering | { readonly failed: readonly FailedTemplate[] }> {
  const { snapshot, directory } = sampleFor(mirror);
  const made = await render(mirror, snapshot, directory);
  if ('failed' in made) return made;
  return { mirror: mirror.name, object: `sample ${mirror.from}`, masked: false, ...made };
}

const MASKED_NOTE = 'Personal values appear as ‹field›; --show-people shows them.';

type Made = Pick<Rendering, 'shown' | 'fields' | 'notes'>;

async function render(
  mirror: Mirror,
  snapshot: Snapshot,
  directory: Directory,
): Promise<Made | { readonly failed: readonly FailedTemplate[] }> {
  const kind = await kindOf(mirror).shown();
  const context = kind.context(mirror, snapshot, directory);
  const failed = kind.templates(mirror).flatMap(({ path, source }) => {
    const problem = renderingProblem(source, context);
    return problem === undefined ? [] : [{ path: ['mirrors', mirror.name, ...path], ...problem }];
  });
  if (failed.length > 0) return { failed };
  const fields = TEMPLATE_NAMES[mirror.from].map((name) => ({ name, value: context[name] ?? null }));
  const { shown, notes } = kind.rendered(mirror, { snapshot, directory, context });
  return { shown: shown.map(({ place, values }) => ({ place, values: values.map(told) })), notes, fields };
}

/** A value as people see it: a time in its zone, a colour by its name. */
function told({ name, value }: RenderedField): RenderedField {
  if (typeof value !== 'object' || value === null) return { name, value };
  if ('colorId' in value) return { name, value: COLOR_NAME_OF.get(String(value.colorId)) ?? value.colorId };
  if (!('dateTime' in value && 'timeZone' in value)) return { name, value };
  const { dateTime, timeZone } = value;
  return { name, value: `${localTime(String(dateTime), String(timeZone))} ${String(timeZone)}` };
}

/** The object as if nothing of it were mirrored yet. */
function claimOf(key: EntityKey, snapshot: Snapshot): Claim {
  const revisions = { fence: '', desiredRev: 0, syncedRev: 0 };
  const nothing = { links: {}, sightings: [], pendingSinceMs: undefined, projectId: undefined };
  return { key, snapshot, deleted: false, verify: false, ...revisions, ...nothing };
}
