import type { Directory } from '../../engine/domain/directory.ts';
import type { Mirror } from '../../engine/domain/mirror.ts';
import type { Snapshot } from '../../engine/domain/object.ts';
import type { TemplateContext } from './context.ts';

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
