import type { Directory } from '../engine/domain/directory.ts';
import type { Mirror } from '../engine/domain/mirror.ts';
import type { Snapshot } from '../engine/domain/object.ts';
import type { WhyWords } from '../engine/domain/why-words.ts';
import type { Claim } from '../engine/domain/work.ts';
import type { ShownKind } from './render/shown-kind.ts';
import type { CalendarBySubject } from './route.ts';

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
