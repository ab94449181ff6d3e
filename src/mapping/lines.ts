import type { Path } from './path.ts';

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
