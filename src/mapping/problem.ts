import { formatPath, type Path } from './path.ts';

/** One mistake in the file. */
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
