/** What was marked while nothing happened, and from one change until its effect stood in Google. */
export interface Walk {
  readonly idle: readonly string[];
  readonly change: readonly string[];
}

/** What a reader of one change opens. Functions that also run while the worker is idle do not count. */
export interface WalkCount {
  readonly functions: number;
  readonly files: number;
  readonly folders: number;
  /** How often a function that runs for the first time is in another folder than the one before it. */
  readonly switches: number;
  /** The files in the order in which they are first entered. */
  readonly order: readonly string[];
}

/** Counts a walk. Marks have the form `<file>#<function>`. */
export function countWalk({ idle, change }: Walk): WalkCount {
  const ranIdle = new Set(idle);
  const first = [...new Set(change.filter((mark) => !ranIdle.has(mark)))];
  const folders = first.map(folderOf);
  return {
    functions: first.length,
    files: new Set(first.map(fileOf)).size,
    folders: new Set(folders).size,
    switches: folders.filter((folder, at) => at > 0 && folder !== folders[at - 1]).length,
    order: [...new Set(first.map(fileOf))],
  };
}

function fileOf(mark: string): string {
  return mark.replace(/#.*$/, '');
}

function folderOf(mark: string): string {
  return fileOf(mark).replace(/\/[^/]*$/, '');
}
