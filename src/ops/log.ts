// Lines come in as a constant message with fields beside it; they leave as JSON, or in colour on a terminal. A line has been handed
// to the operating system when the call returns, so that even a kill -9 right after it loses nothing.
import { type DestinationStream, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config/config.ts';
import type { Log } from '../ports/runtime.ts';
import { toLoggable } from './loggable.ts';
import { maskText } from './personal-data.ts';

/** Where lines go: one call per line, newline included. */
export interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/**
 * A log for the whole process, to standard output unless a `stream` is given. `auto` is pretty on a terminal and JSON elsewhere.
 * What looks like a secret, a phone, an e-mail or a customer's data is masked; errors are told by class and code.
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
      // Errors are described before pino sees them; its own serializer would take their description for an error.
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
  // A full disk behind a redirect: the mirrors matter more than the lines about them.
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
