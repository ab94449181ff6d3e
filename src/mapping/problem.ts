/** The place of a setting: keys of maps and indexes of lists, from the root of the file. */
export type Path = readonly (string | number)[];

/** `mirrors.contacts.columns."First name"`, `platform.webhook.secrets[0]`; empty for the root. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join('');
}

function formatStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  const dot = index === 0 ? '' : '.';
  // A header or the name of a resource may contain dots and spaces; quotes keep the path unambiguous.
  return /^[\p{L}\p{N}_-]+$/u.test(step) ? dot + step : dot + JSON.stringify(withoutValue(step));
}

/** Without a space after the colon, YAML reads `api_key:sk_…` as one long name. The part after the colon may be a key. */
function withoutValue(step: string): string {
  const colon = step.indexOf(':');
  return colon < 0 || colon === step.length - 1 ? step : `${step.slice(0, colon + 1)}…`;
}

export interface ConfigProblem {
  /** Such as `mirrors.contacts.columns.Name`; empty when the problem concerns the whole file. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly what: string;
  /** What to do about it. */
  readonly fix: string;
}

/** How many problems are printed; the rest are counted, because people fix the first ones before they read on. `problems` holds all. */
const PRINTED_MAX = 200;

/** The file cannot be used. Holds every problem found, in the order of the file, and no value of any variable. */
export class ConfigError extends Error {
  readonly file: string;
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    super(`${count} in ${file}\n${formatProblems(file, problems)}`);
    this.name = 'ConfigError';
    this.file = file;
    this.problems = problems;
  }

  /** For a terminal: `slotbridge.yaml:12:9  mirrors.contacts.columns.Name  what is wrong`, and the fix on the next line. */
  format(): string {
    return formatProblems(this.file, this.problems);
  }
}

/** Collects problems from the stages of loading. */
export class ProblemList {
  readonly #problems: ConfigProblem[] = [];
  #settled = new Set<string>();

  /** Ignores a path that an earlier stage has reported: one cause, one problem. */
  add(path: Path, at: { readonly line: number; readonly column: number }, advice: Advice): void {
    const text = formatPath(path);
    if (this.#settled.has(text)) return;
    this.#problems.push({ path: text, line: at.line, column: at.column, ...advice });
  }

  /** From here on, `add` ignores paths that have a problem. */
  endStage(): void {
    this.#settled = new Set(this.#problems.map((problem) => problem.path));
  }

  isEmpty(): boolean {
    return this.#problems.length === 0;
  }

  toError(file: string): ConfigError {
    const inOrder = this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
    return new ConfigError(file, inOrder);
  }
}

export interface Advice {
  readonly what: string;
  readonly fix: string;
}

function formatProblems(file: string, problems: readonly ConfigProblem[]): string {
  const lines = problems.slice(0, PRINTED_MAX).map((problem) => {
    const where = [`${file}:${problem.line}:${problem.column}`, problem.path].filter((text) => text !== '');
    return `${where.join('  ')}  ${problem.what}\n    ${problem.fix}`;
  });
  if (problems.length > PRINTED_MAX) lines.push(`and ${problems.length - PRINTED_MAX} more`);
  return lines.join('\n');
}

/**
 * Builds a message of the schema: the first line says what is wrong, the second how to fix it. It never contains the value, which may come
 * from a variable. The report replaces `AS_WRITTEN` with the text of the file.
 */
export function complaint(what: string, fix: string): string {
  return `${what}\n${fix}`;
}

export const AS_WRITTEN = '{as written}';

/** For zod's `error`: `wrong` for a value of the wrong kind, `missing` when there is no value. */
export function complain(wrong: string, missing?: string): { error: (issue: { input?: unknown }) => string } {
  const none = missing ?? complaint('is missing or empty', 'add it with a value');
  return { error: (issue) => ((issue.input ?? undefined) === undefined ? none : wrong) };
}

const WRITTEN_SHOWN_MAX = 60;

/** Splits a complaint into its parts. `written` is the text of the file, undefined for anything but a scalar. */
export function readComplaint(message: string, written: string | undefined): Advice {
  const [what = message, fix = 'correct the value'] = message.split('\n');
  return {
    what: what.replace(AS_WRITTEN, () => quote(written)),
    fix: fix.replace(AS_WRITTEN, () => quote(written)),
  };
}

function quote(written: string | undefined): string {
  if (written === undefined) return 'this';
  return JSON.stringify(
    written.length > WRITTEN_SHOWN_MAX ? `${written.slice(0, WRITTEN_SHOWN_MAX)}…` : written,
  );
}

/** Where the file has the settings of its mirrors, for problems that name a line. Equal for all files: a line is no setting. */
export class ConfigLines {
  readonly #lines = new Map<string, number>();

  /** `places`: path to line, counted from 1. */
  constructor(places: Iterable<readonly [Path, number]>) {
    for (const [path, line] of places) this.#lines.set(nameOf(path), line);
  }

  /** The line of the setting, or of the nearest group above it. */
  lineOf(path: Path): number | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const line = this.#lines.get(nameOf(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return undefined;
  }
}

function nameOf(path: Path): string {
  return JSON.stringify(path);
}

/** The known word nearest to a misspelt one, or undefined when none is close enough. Ignores case. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = { word: candidate, distance };
  }
  // Up to a third of the letters may be wrong, and always one.
  return best && best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.word : undefined;
}

/** `did you mean tomato? ` or an empty text, to put before other advice. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  return near === undefined ? '' : `did you mean ${near}? `;
}

/** How many insertions, deletions, replacements and swaps of neighbours turn one word into the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const steps = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      ];
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        steps.push((beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(Math.min(...steps));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
