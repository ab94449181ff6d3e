import type { Directory } from '../../domain/directory.ts';
import type { PlatformKind } from '../../domain/entity.ts';
import type { KnownCustomer } from '../../domain/known-customer.ts';
import type { Snapshot } from '../../domain/snapshot.ts';

/** `unknown`: what the line is about is not known of the object. Then what is mirrored stays, and nothing new is taken. */
export type Judged = 'yes' | 'no' | 'unknown';

/** What a filter looks at. */
export interface Subject {
  readonly kind: PlatformKind;
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  /** The appointment's customer; undefined while nobody knows. */
  readonly customer?: KnownCustomer | undefined;
}

/** One line of a `where`. */
export interface Line {
  /** The setting below `where`: `status`, `metadata.channel`. */
  readonly setting: string;
  /**
   * What a refusal means for what is mirrored already. `place`: an object never changes it, so the YAML was edited. `status` and
   * `content`: the object may have changed.
   */
  readonly about: 'place' | 'status' | 'content';
  readonly judge: (subject: Subject) => Judged;
  /** Why, as one clause without personal data. */
  readonly tell: (subject: Subject) => string;
  /** Absent: the line can judge whatever an object says. */
  readonly assertReadable?: (subject: Subject) => void;
}

export function judgeAll(lines: readonly Line[], subject: Subject): Judged {
  let judged: Judged = 'yes';
  for (const line of lines) {
    const own = line.judge(subject);
    if (own === 'no') return 'no';
    if (own === 'unknown') judged = 'unknown';
  }
  return judged;
}
