import type { Directory } from '../domain/directory.ts';
import type { Mirror } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Claim } from '../domain/work.ts';
import type { ShownKind } from './render/shown-kind.ts';
import type { CalendarBySubject } from './route.ts';

/** What is asked of a mirror without knowing of which kind it is. */
export interface MirrorKind<M extends Mirror> {
  /** What it makes of an object that the platform has deleted. */
  ofDeleted(mirror: M): Opinion;
  /** The same of an object that every line of `where` takes. */
  ofTaken(mirror: M, claim: KnownClaim, around: AroundTaken): Opinion;
  /** Loads the engine of templates: who only asks why does without. */
  shown(): Promise<ShownKind<M>>;
}

/** What a mirror makes of an object. */
export interface Opinion {
  readonly taken: boolean;
  /** Path of the setting that decides, `mirrors.staff-calendars.where.status`. */
  readonly rule: string;
  /** One clause, without personal data. */
  readonly because: string;
}

export interface Around {
  readonly directory: Directory;
  /** Subject to calendar; only for calendar mirrors. */
  readonly resolved: CalendarBySubject;
  readonly nowMs: number;
}

export interface AroundTaken extends Around {
  /** Which lines of `where` take it. */
  readonly because: string;
}

export type KnownClaim = Claim & { readonly snapshot: Snapshot };

/** The path of one of its settings. */
export function pathOf({ name }: Mirror): (setting: string) => string {
  return (setting) => `mirrors.${name}.${setting}`;
}

export function no(rule: string, because: string): Opinion {
  return { taken: false, rule, because };
}
