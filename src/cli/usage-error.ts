import { TerminalError } from '../engine/errors.ts';

/** The command line makes no sense, and the command did nothing. Exit code 2. */
export class UsageError extends TerminalError {}
