// Who may use the web console, and what they did there.
import type { EntityKey } from '../domain/entity.ts';
import type { Act, Visitor } from '../domain/role.ts';

/** Links and sessions. Codes and tokens are secrets: only their hashes are kept. */
export interface ConsoleAccess {
  /** A code that signs in once, within `forMs`. */
  offer(visitor: Visitor, forMs: number): Promise<string>;
  /** The code is used up and a session begins, in one step. Undefined when it is unknown, used or too old. */
  enter(code: string, forMs: number): Promise<Entered | undefined>;
  /** Undefined when it has ended. */
  session(token: string): Promise<ConsoleSession | undefined>;
  leave(token: string): Promise<void>;
  /** Ends all sessions and links, or those of one person. Returns how many. */
  revoke(who?: string): Promise<number>;
}

export interface ConsoleSession extends Visitor {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface Entered {
  readonly token: string;
  readonly session: ConsoleSession;
}

/** What people did in the console; bounded, and forgotten after `ACTS_KEPT_MS`. */
export interface ActLog {
  /** Noting an act again, by its id, replaces it: it is noted before it is done, and again with its end. */
  note(act: Act): Promise<void>;
  /** Newest first. */
  newest(limit: number): Promise<readonly Act[]>;
}

/** What of a person was typed: digits of a phone number, or words of a name or an e-mail address in lower case. */
export type PersonAsked = { readonly digits: string } | { readonly words: readonly string[] };

/** Objects that name a person. */
export interface PeopleSearch {
  /** At most so many; which of more is left to chance. */
  search(asked: PersonAsked, limit: number): Promise<readonly EntityKey[]>;
}

/** A worker process that has said that it is there. */
export interface WorkerSeen {
  readonly pid: number;
  readonly version: string | undefined;
  /** When it last said so, epoch milliseconds. */
  readonly atMs: number;
  /** The one that answers. */
  readonly isThis: boolean;
}
