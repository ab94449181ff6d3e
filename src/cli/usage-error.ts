import { TerminalError } from '../domain/errors.ts';

/** What was written on the command line cannot be meant so: nothing was done. Exit code 2. */
export class UsageError extends TerminalError {}
