// Makes one spreadsheet for `slotbridge init`, and never a second one. Google takes no key with the request, so a note beside the YAML is
// written before it leaves.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RetryableError, TerminalError } from '../domain/errors.ts';

export interface NewSpreadsheet {
  /** Id of the one that an earlier run has made and not used. Throws `TerminalError` when nobody knows whether there is one. */
  madeBefore(): string | undefined;
  make(): Promise<{ readonly id: string; readonly title: string }>;
  /** The YAML names it now. */
  forget(): void;
}

interface Note {
  readonly title: string;
  /** Absent: it was asked for, and no answer came. */
  readonly id?: string;
}

export function newSpreadsheet(
  file: string,
  google: { createSpreadsheet(title: string): Promise<string> },
): NewSpreadsheet {
  const path = `${file}.spreadsheet`;
  const keep = (note: Note) => writeFileSync(path, `${JSON.stringify(note)}\n`);
  const forget = () => rmSync(path, { force: true });
  return {
    madeBefore() {
      const note = readNote(path);
      if (note !== undefined && note.id === undefined) throw inDoubt(note.title, path);
      return note?.id;
    },
    async make() {
      // The time in the title helps to find it in a Drive.
      const title = `Slotbridge ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
      mkdirSync(dirname(path), { recursive: true });
      keep({ title });
      let id: string;
      try {
        id = await google.createSpreadsheet(title);
      } catch (error) {
        if (error instanceof RetryableError) throw inDoubt(title, path, error);
        // Google has refused: no spreadsheet was made.
        forget();
        throw error;
      }
      keep({ title, id });
      return { id, title };
    },
    forget,
  };
}

function readNote(path: string): Note | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { title, id } = JSON.parse(text) as Partial<Note>;
    return { title: String(title), ...(typeof id === 'string' ? { id } : {}) };
  } catch {
    // The process died while it wrote the first note or the second.
    return { title: 'Slotbridge …' };
  }
}

function inDoubt(title: string, path: string, cause?: Error): TerminalError {
  return new TerminalError(
    'spreadsheet-in-doubt',
    `Google was asked for the spreadsheet "${title}", and gave no answer: it may be there`,
    {
      advice: `Look for it at https://drive.google.com. If it is there, give its address with --spreadsheet. If it is not, remove ${path} and run the command again.`,
      ...(cause && { cause }),
    },
  );
}
