import type { Directory, Mirror } from '../engine/mirror.ts';
import type { Snapshot } from '../engine/object.ts';
import type { WhyWords } from '../engine/planned.ts';
import type { Claim } from '../engine/work.ts';
import type { CalendarBySubject } from './route.ts';
import type { TemplateContext } from './template.ts';

/** What callers can ask of a mirror of any kind to show what it would write. */
export interface ShownKind<M extends Mirror> {
  /** Every template of the mapping, and its path below the mirror. */
  templates(mirror: M): readonly PlacedTemplate[];
  /** What these templates see of an object. */
  context(mirror: M, snapshot: Snapshot, directory: Directory): TemplateContext;
  /** What the worker would write. The caller has checked that the templates render. */
  rendered(mirror: M, object: RenderedObject): RenderedPlaces;
}

export interface RenderedObject {
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  readonly context: TemplateContext;
}

export interface RenderedPlaces {
  /** A value is a cell, a moment in its zone or a `colorId`. */
  readonly shown: readonly {
    readonly place: string;
    readonly values: readonly { readonly name: string; readonly value: unknown }[];
  }[];
  /** Remarks about what is shown. */
  readonly notes: readonly string[];
}

export interface PlacedTemplate {
  readonly path: readonly string[];
  readonly source: string;
}

/** What callers can ask of a mirror without knowing its kind. */
export interface MirrorKind<M extends Mirror> {
  /** The mirror's opinion on an object that the platform has deleted. */
  ofDeleted(mirror: M, words: WhyWords): Opinion;
  /** Its opinion on an object that every line of `where` takes. */
  ofTaken(mirror: M, claim: KnownClaim, around: AroundTaken): Opinion;
  /** Loads the template engine. Callers that only need an opinion do without it. */
  shown(): Promise<ShownKind<M>>;
}

/** Whether a mirror takes an object, and why. */
export interface Opinion {
  readonly taken: boolean;
  /** Path of the setting that decides, such as `mirrors.staff-calendars.where.status`. */
  readonly rule: string;
  /** One clause, without personal data. */
  readonly because: string;
}

export interface Around {
  readonly directory: Directory;
  /** Subject to calendar; only for calendar mirrors. */
  readonly resolved: CalendarBySubject;
  readonly nowMs: number;
  /** In the language in which `because` is told. */
  readonly words: WhyWords;
}

export interface AroundTaken extends Around {
  /** Which lines of `where` take it. */
  readonly because: string;
}

export type KnownClaim = Claim & { readonly snapshot: Snapshot };

/** Path of one of the mirror's settings. */
export function pathOf({ name }: Mirror): (setting: string) => string {
  return (setting) => `mirrors.${name}.${setting}`;
}

export function no(rule: string, because: string): Opinion {
  return { taken: false, rule, because };
}
