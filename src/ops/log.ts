// Takes lines as a constant message with fields, and writes them as JSON, or in colour on a terminal. When a call returns, the operating
// system has the line, so not even a kill -9 right afterwards loses it.
import { type DestinationStream, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config/config.ts';
import type { Log } from '../ports/runtime.ts';
import { toLoggable } from './loggable.ts';
import { maskText } from './personal-data.ts';

/** Where lines are written: one call per line, including the newline. */
export interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/**
 * A log for the whole process, to standard output unless a `stream` is given. `auto` means pretty on a terminal and JSON elsewhere. Masks
 * anything that looks like a secret, a phone, an e-mail or a customer's data. Errors are logged by class and code.
 */
export function createLog(options: Config['log'] & { readonly stream?: LogStream }): Log {
  const isTerminal = (options.stream ?? process.stdout).isTTY === true;
  const isPretty = options.format === 'pretty' || (options.format === 'auto' && isTerminal);
  const plain = options.stream ?? standardOutput();
  const engine = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      // Errors are converted before pino sees them; pino's own serializer would treat the result as an error again.
      serializers: { err: (described: unknown) => described },
    },
    isPretty ? prettily(plain, isTerminal) : plain,
  );
  const write = (level: 'debug' | 'info' | 'warn' | 'error', fields: object, message: string): void => {
    if (engine.isLevelEnabled(level)) engine[level](toLoggable(fields), maskText(message));
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

function standardOutput(): LogStream {
  const stream = pino.destination({ dest: 1, sync: true });
  // The disk behind a redirect may be full. The mirrors matter more than the log, so the error is ignored.
  stream.on('error', () => {});
  return { write: (line) => stream.write(line) };
}

/** pino-pretty's own stream is asynchronous and would lose the last lines before a kill. */
function prettily(plain: LogStream, isTerminal: boolean): DestinationStream {
  const format = prettyFactory({
    colorize: isTerminal && process.env['NO_COLOR'] === undefined,
    ignore: 'pid',
    singleLine: true,
    translateTime: "UTC:HH:MM:ss.l'Z'",
  });
  return { write: (line: string) => void plain.write(format(line)) };
}
