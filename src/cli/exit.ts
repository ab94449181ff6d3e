import { WorkerError } from '../engine/errors.ts';
import { ConfigError } from '../mapping/problem.ts';
import { portHolder } from '../operate/port-held.ts';
import { UsageError } from './usage-error.ts';

/** The exit codes; docs/commands.md documents them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command line was not understood, or makes no sense. */
  usage: 2,
  /** Redis is unusable or unreachable, so the command can neither act nor answer. */
  redis: 3,
  /** The configuration has to be changed (EX_CONFIG of sysexits). */
  config: 78,
} as const;

/** Prints what went wrong as advice, without a stack and without personal data. Returns the exit code. */
export function printFailure(error: unknown, stderr: { write(text: string): unknown }): number {
  if (error instanceof ConfigError) {
    stderr.write(`${error.format()}\n`);
    return EXIT.config;
  }
  if (error instanceof WorkerError) {
    stderr.write(`slotbridge: ${error.message} (${error.code})\n`);
    if (error.advice !== undefined) stderr.write(`  ${error.advice}\n`);
    if (error.requestId !== undefined) stderr.write(`  The platform's Request-Id: ${error.requestId}\n`);
    if (error instanceof UsageError) return EXIT.usage;
    if (error.target === 'mapping') return EXIT.config;
    return error.target === 'redis' ? EXIT.redis : EXIT.failed;
  }
  const { code, port } = error as { code?: unknown; port?: unknown };
  if (code === 'EADDRINUSE' && typeof port === 'number') {
    stderr.write(
      `slotbridge: port ${port} is in use by ${portHolder(port)}\n  Stop that process, or give another port.\n`,
    );
    return EXIT.failed;
  }
  const known = error as { code?: unknown; message?: unknown };
  const reason =
    known.code === undefined
      ? String(known.message ?? error)
      : `${String(known.code)}: ${String(known.message)}`;
  stderr.write(`slotbridge: ${reason}\n`);
  return EXIT.failed;
}
