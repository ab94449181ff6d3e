import type { EntityKind } from '../domain/entity.ts';
import type { ObjectLinks } from '../domain/link.ts';

/** Links that change their mirror, because an edit of the YAML has renamed, split or joined mirrors. */
export interface LinkMoves {
  /**
   * Asks for every known object what its links shall be; undefined leaves them as they are. A handler at work on an object that is changed
   * is fenced off. Returns how many objects were changed. Calling it again changes nothing more.
   */
  rearrange(decide: (kind: EntityKind, links: ObjectLinks) => ObjectLinks | undefined): Promise<number>;
  /** Forgets which rows were confirmed in a tab; the next look makes the index again from the links. */
  forgetRows(place: {
    readonly mirror: string;
    readonly spreadsheetId: string;
    readonly tab: string;
  }): Promise<void>;
}
