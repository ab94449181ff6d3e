import type { LetterCause } from '../engine/ports/work.ts';
import type { ConsoleParts } from './parts.ts';

/** Letters with the same reason code in the same mirror. `message` and `advice` are those of the newest. */
export interface ShownClass {
  readonly code: string;
  readonly mirror: string;
  readonly message: string;
  readonly advice?: string;
  readonly count: number;
  /** ISO 8601, UTC. */
  readonly newest: string;
}

interface Counted {
  readonly code: string;
  readonly mirror: string;
  readonly count: number;
  readonly newest: string;
  readonly newestAtMs: number;
}

/** By code and mirror, the most frequent first. Only the newest letter of each class is read. `more`: how many classes are left out. */
export async function readClasses(
  { deadLetters }: Pick<ConsoleParts, 'deadLetters'>,
  causes: readonly LetterCause[],
  { limit, text }: { readonly limit: number; readonly text: (text: string) => string },
): Promise<{ readonly classes: readonly ShownClass[]; readonly more: number }> {
  const counted = countClasses(causes);
  const shown = counted.slice(0, limit);
  const letters = await deadLetters.named(shown.map(({ newest }) => newest));
  const byName = new Map(letters.map((letter) => [letter.name, letter]));
  const classes = shown.map(({ code, mirror, count, newest, newestAtMs }): ShownClass => {
    // The letter may have been ended meanwhile.
    const reasons = byName.get(newest)?.reasons ?? [];
    const { message = '', advice } =
      reasons.find((each) => each.code === code && each.mirror === mirror) ?? {};
    return {
      ...{ code, mirror, count, newest: new Date(newestAtMs).toISOString() },
      message: text(message),
      ...(advice === undefined ? {} : { advice: text(advice) }),
    };
  });
  return { classes, more: counted.length - shown.length };
}

function countClasses(causes: readonly LetterCause[]): readonly Counted[] {
  const classes = new Map<string, Counted>();
  for (const { reasons, count, newest, newestAtMs } of causes) {
    for (const { code, mirror } of reasons) {
      const name = JSON.stringify([code, mirror]);
      const known = classes.get(name) ?? { code, mirror, count: 0, newest, newestAtMs };
      const last = newestAtMs > known.newestAtMs ? { newest, newestAtMs } : {};
      classes.set(name, { ...known, ...last, count: known.count + count });
    }
  }
  return [...classes.values()].sort((a, b) => b.count - a.count);
}
