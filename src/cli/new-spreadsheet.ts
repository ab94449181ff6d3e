// Creates one spreadsheet for `slotbridge init`, and never a second one. Google accepts no idempotency key here, so the command writes a
// note beside the YAML before it sends the request.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { RetryableError, TerminalError } from '../engine/errors.ts';
import { writePrivateFile } from './private-file.ts';

export interface NewSpreadsheet {
  /** Id of a spreadsheet that an earlier run created but did not use. Throws `TerminalError` when it is unknown whether one exists. */
  madeBefore(): string | undefined;
  make(): Promise<{ readonly id: string; readonly title: string }>;
  /** To be called once the YAML names the spreadsheet. */
  forget(): void;
}

interface Note {
  readonly title: string;
  /** Absent: the request was sent, and no answer came. */
  readonly id?: string;
}

export function newSpreadsheet(
  file: string,
  google: { createSpreadsheet(title: string): Promise<string> },
): NewSpreadsheet {
  const path = `${file}.spreadsheet`;
  const keep = (note: Note) => writePrivateFile(path, `${JSON.stringify(note)}\n`);
  const forget = () => rmSync(path, { force: true });
  return {
    madeBefore() {
      const note = readNote(path);
      if (note !== undefined && note.id === undefined) throw inDoubt(note.title, path);
      return note?.id;
    },
    async make() {
      // The time in the title helps people to find the spreadsheet in their Drive.
      const title = `Slotbridge ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
      mkdirSync(dirname(path), { recursive: true });
      keep({ title });
      let id: string;
      try {
        id = await google.createSpreadsheet(title);
      } catch (error) {
        if (error instanceof RetryableError) throw inDoubt(title, path, error);
        // Google refused, so no spreadsheet exists.
        forget();
        throw error;
      }
      try {
        keep({ title, id });
      } catch (cause) {
        throw unkept({ title, id }, path, cause);
      }
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
    // The process died while it wrote one of the notes.
    return { title: 'Slotbridge …' };
  }
}

/** On a full disk, say. The note of the request still stands, so that no second spreadsheet is created. */
function unkept({ title, id }: Required<Note>, path: string, cause: unknown): TerminalError {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new TerminalError(
    'spreadsheet-unkept',
    `the spreadsheet "${title}" was created, but its id could not be saved (${reason}): ${id}`,
    {
      advice: `Make it possible to write ${path}. Then run the command again with --spreadsheet ${id} --create-tabs instead of --create-spreadsheet.`,
      cause,
    },
  );
}

function inDoubt(title: string, path: string, cause?: Error): TerminalError {
  return new TerminalError(
    'spreadsheet-in-doubt',
    `Google did not answer the request to create the spreadsheet "${title}": it may exist`,
    {
      advice: `Look for it at https://drive.google.com. If it exists, give its address with --spreadsheet. If not, remove ${path} and run the command again.`,
      ...(cause && { cause }),
    },
  );
}
