import type { DeadLetter } from '../domain/work.ts';

/** A dead letter as it is kept: an object's own, or that of one mirror's row of it. */
export interface KeptLetter extends DeadLetter {
  /** `appointment/<id>`, or `<mirror> appointment/<id>` for a row that Google refuses. Unique. */
  readonly name: string;
}

/** What an operator does about dead letters. */
export interface DeadLetters {
  /** Newest first. */
  all(): Promise<readonly KeptLetter[]>;
  /** The object has a turn again, from its first attempt. False when the letter was gone already. */
  retry(letter: KeptLetter): Promise<boolean>;
  /** Given up for good, with a word why, which stays in the object's history. The object's next change begins anew. */
  discard(letter: KeptLetter, why: string): Promise<boolean>;
}
