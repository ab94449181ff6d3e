import type { Directory } from '../../domain/directory.ts';
import type { PlatformKind } from '../../domain/entity.ts';
import type { KnownCustomer } from '../../domain/known-customer.ts';
import type { Snapshot } from '../../domain/snapshot.ts';

/** `unknown`: the worker does not know what the line needs. Then mirrored objects stay, and no new ones are taken. */
export type Judged = 'yes' | 'no' | 'unknown';

/** The input of a filter. */
export interface Subject {
  readonly kind: PlatformKind;
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  /** The appointment's customer; undefined while unknown. */
  readonly customer?: KnownCustomer | undefined;
}

/** One line of a `where`. */
export interface Line {
  /** The setting below `where`: `status`, `metadata.channel`. */
  readonly setting: string;
  /**
   * What a refusal means for an object that is already mirrored. `place`: an object never changes it, so the YAML was edited. `status` and
   * `content`: the object may have changed.
   */
  readonly about: 'place' | 'status' | 'content';
  readonly judge: (subject: Subject) => Judged;
  /** The reason, as one clause without personal data. */
  readonly tell: (subject: Subject) => string;
  /** Absent: the line can judge every object. */
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
