/** What was marked while nothing happened, and from each of several like changes until its effect stood in Google. */
export interface Walk {
  readonly idle: string[];
  readonly changes: string[][];
}

/** What a reader of one change opens: the functions that every change runs, and that an idle worker does not run. */
export interface WalkCount {
  readonly functions: number;
  readonly files: number;
  readonly folders: number;
  /** How often a function that runs for the first time is in another folder than the one before it: the fewest of any change. */
  readonly switches: number;
  /** The files in the order in which the first change enters them. */
  readonly order: readonly string[];
}

/** Counts a walk. Marks have the form `<file>#<function>`. */
export function countWalk({ idle, changes }: Walk): WalkCount {
  const ranIdle = new Set(idle);
  const runs = changes.map((marks) => new Set(marks));
  const orders = runs.map((run) =>
    [...run].filter((mark) => !ranIdle.has(mark) && runs.every((other) => other.has(mark))),
  );
  const [marks = []] = orders;
  return {
    functions: marks.length,
    files: new Set(marks.map(fileOf)).size,
    folders: new Set(marks.map(folderOf)).size,
    switches: Math.min(...orders.map(switchesIn)),
    order: [...new Set(marks.map(fileOf))],
  };
}

function switchesIn(marks: readonly string[]): number {
  const folders = marks.map(folderOf);
  return folders.filter((folder, at) => at > 0 && folder !== folders[at - 1]).length;
}

function fileOf(mark: string): string {
  return mark.replace(/#.*$/, '');
}

function folderOf(mark: string): string {
  return fileOf(mark).replace(/\/[^/]*$/, '');
}
