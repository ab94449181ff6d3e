import type { Directory } from '../../domain/directory.ts';
import type { Mirror } from '../../domain/mirror.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { TemplateContext } from './context.ts';

/** What is asked of a mirror without knowing of which kind it is, when what it would write is shown. */
export interface ShownKind<M extends Mirror> {
  /** Every template of the mapping, and where it stands below the mirror. */
  templates(mirror: M): readonly PlacedTemplate[];
  /** What these templates see of an object. */
  context(mirror: M, snapshot: Snapshot, directory: Directory): TemplateContext;
  /** What the worker would write; the templates have been found to render. */
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
  /** Things to know about what is shown. */
  readonly notes: readonly string[];
}

export interface PlacedTemplate {
  readonly path: readonly string[];
  readonly source: string;
}
