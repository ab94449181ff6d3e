import type { Advice } from './problem.ts';

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
