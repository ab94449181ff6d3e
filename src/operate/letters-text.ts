// Formats dead letters for a person who must decide. Grouped by cause, because one fault usually makes hundreds of letters.
import type { KeptLetter } from '../engine/ports/work.ts';
import { counted } from './idle.ts';
import { adviceFor } from './letter-advice.ts';
import { type Paint, painter } from './paint.ts';
import { spokenAge } from './spoken-time.ts';

const KEYS_SHOWN_MAX = 5;

/** Letters with the same reason code in the same mirror. */
export interface LetterClass {
  readonly code: string;
  readonly mirror: string;
  readonly message: string;
  /** The next step. */
  readonly advice: string;
  readonly count: number;
  readonly names: readonly string[];
  /** ISO 8601, UTC. */
  readonly newest: string;
}

/** By cause, the most frequent first. A letter with several reasons appears in each. */
export function classesOf(letters: readonly KeptLetter[]): readonly LetterClass[] {
  const classes = new Map<string, LetterClass & { names: string[] }>();
  for (const letter of letters) {
    for (const reason of letter.reasons) {
      const { code, mirror, message } = reason;
      const name = JSON.stringify([code, mirror]);
      const at = new Date(letter.atMs).toISOString();
      const known = classes.get(name) ?? {
        ...{ code, mirror, message, advice: adviceFor(reason), count: 0, names: [] },
        newest: at,
      };
      known.names.push(letter.name);
      const newest = known.newest > at ? known.newest : at;
      classes.set(name, { ...known, count: known.count + 1, newest });
    }
  }
  return [...classes.values()].sort((a, b) => b.count - a.count);
}

export function formatClasses(
  classes: readonly LetterClass[],
  options: { readonly color: boolean; readonly nowIso: string; readonly total: number },
): string {
  if (options.total === 0) return 'No dead letters.';
  const paint = painter(options.color);
  return [
    `${counted(options.total, 'dead letter')}, by cause:`,
    ...classes.flatMap((each) => formatClass(each, paint, options.nowIso)),
    '',
    'After fixing the cause: slotbridge deadletters retry --code <code>   (or a name from above)',
    'To discard one:         slotbridge deadletters discard <name> --why "…"',
  ].join('\n');
}

function formatClass(each: LetterClass, paint: Paint, nowIso: string): readonly string[] {
  const shown = each.names.slice(0, KEYS_SHOWN_MAX).map((name) => `    ${name}`);
  const rest = each.names.length - shown.length;
  return [
    '',
    `${paint.wrong(each.code)}  ${counted(each.count, 'letter')}, mirror ${each.mirror}, newest ${spokenAge(each.newest, nowIso)} ago`,
    `  ${each.message}`,
    `  ${paint.advice(`-> ${each.advice}`)}`,
    ...shown,
    ...(rest > 0 ? [`    and ${rest} more; see --json`] : []),
  ];
}

export function formatLetter(
  letter: KeptLetter,
  options: { readonly color: boolean; readonly nowIso: string },
): string {
  const paint = painter(options.color);
  const at = new Date(letter.atMs).toISOString();
  return [
    letter.name,
    `  given up ${spokenAge(at, options.nowIso)} ago (${at}), after ${counted(letter.attempts, 'attempt')}`,
    ...letter.reasons.flatMap((reason) => [
      `  ${paint.wrong(reason.code)}, mirror ${reason.mirror}`,
      `    ${reason.message}`,
      `    ${paint.advice(`-> ${adviceFor(reason)}`)}`,
      ...(reason.target === undefined ? [] : [`    refused by ${reason.target}`]),
      ...(reason.requestId === undefined ? [] : [`    the platform's Request-Id: ${reason.requestId}`]),
    ]),
    `  Full story: slotbridge explain ${letter.key.replace('/', ' ')}`,
  ].join('\n');
}
