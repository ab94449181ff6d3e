import type { DeadLetterReport } from './status-report.ts';

/** The causes of these letters, the most frequent first. A letter with several reasons counts for each. */
export function causesOf(letters: readonly DeadLetterReport[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const letter of letters) {
    for (const reason of letter.reasons) {
      const name = JSON.stringify([reason.mirror, reason.code, reason.advice]);
      const cause = causes.get(name) ?? { ...reason, keys: [] };
      cause.keys.push(letter.key);
      causes.set(name, cause);
    }
  }
  return [...causes.values()].sort((a, b) => b.keys.length - a.keys.length);
}

/** Why some dead letters do not reach their mirror. */
export interface Cause {
  readonly mirror: string;
  readonly code: string;
  readonly message: string;
  readonly advice: string | null;
  readonly keys: string[];
}
