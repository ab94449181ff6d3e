import type { z } from 'zod';
import { readComplaint } from './complaint.ts';
import type { ConfigDocument } from './document.ts';
import type { KnownKeys } from './kinds/section.ts';
import type { Path } from './path.ts';
import type { Advice, ProblemList } from './problem.ts';
import { didYouMean } from './suggest.ts';

/** Turns issues of the schema into problems with a place in the file. */
export function reportIssues(
  issues: readonly z.core.$ZodIssue[],
  document: ConfigDocument,
  problems: ProblemList,
): void {
  for (const issue of issues) {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code !== 'unrecognized_keys') {
      problems.add(path, document.placeOf(path), readComplaint(issue.message, document.writtenAt(path)));
      continue;
    }
    const keys = JSON.parse(issue.message) as KnownKeys;
    for (const key of issue.keys) {
      const own: Path = [...path, key];
      problems.add(own, document.placeOfKey(own), adviseUnknown(key, keys));
    }
  }
}

function adviseUnknown(key: string, { known, hints }: KnownKeys): Advice {
  const hint = Object.hasOwn(hints, key) ? hints[key] : undefined;
  if (hint !== undefined) return { what: 'is not possible here', fix: hint };
  return { what: 'is not a setting', fix: `${didYouMean(key, known)}known here: ${known.join(', ')}` };
}
