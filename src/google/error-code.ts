import { WorkerError } from '../domain/errors.ts';

/** The code of an error of the three families; undefined for anything else. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof WorkerError ? error.code : undefined;
}
