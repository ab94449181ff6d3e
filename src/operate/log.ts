// Takes lines as a constant message with fields, and writes them as JSON, or in colour on a terminal. When a call returns, the operating
// system has the line, so not even a kill -9 right afterwards loses it.
import { type DestinationStream, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { WorkerError } from '../engine/errors.ts';
import type { Log } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { isPrivateField, MASK, maskText } from './personal-data.ts';

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
  const plain = unbrokenLines(options.stream ?? standardOutput());
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

/** Control characters and separators that JSON may leave as they are, and a reader of lines may split at. */
const BREAKERS = /[\u007f-\u009f\u2028\u2029]/g;

/** Readers of JSON read the escapes back as the characters. */
function unbrokenLines(stream: LogStream): LogStream {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return { write: (line) => stream.write(line.replace(BREAKERS, escaped)) };
}

/** Characters kept for a full disk, and written once it has room. Further lines are lost. */
const UNWRITTEN_MAX = 1_000_000;

function standardOutput(): LogStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: UNWRITTEN_MAX });
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

const DEPTH_MAX = 6;
/** Largest number of values in a line, over all levels: a log line is for people to read. */
const VALUES_MAX = 500;
const CAUSES_MAX = 4;
const FRAMES_MAX = 4;

/**
 * A copy of a log line's fields that is safe to write. It masks private fields and anything that looks private at any depth, reduces errors
 * to class and code, and bounds everything. This is the second line of defence; the first is not to log such data.
 */
function toLoggable(fields: object): Record<string, unknown> {
  const budget = { left: VALUES_MAX };
  try {
    return fields instanceof Error ? { err: describeError(fields) } : copyObject(fields, 0, budget);
  } catch {
    // A getter or a proxy may throw. Logging must not break the code that logs.
    return { unloggable: true };
  }
}

interface Budget {
  left: number;
}

function copyObject(value: object, depth: number, budget: Budget): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    if (budget.left <= 0) {
      copy['cut'] = true;
      break;
    }
    copy[maskText(name)] =
      isPrivateField(name) && !isNothing(item) ? MASK : copyValue(item, depth + 1, budget);
  }
  return copy;
}

function copyValue(value: unknown, depth: number, budget: Budget): unknown {
  budget.left -= 1;
  switch (typeof value) {
    case 'string':
      return maskText(value);
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : copyAny(value, depth, budget);
    case 'function':
    case 'symbol':
      return undefined;
    default:
      return value;
  }
}

function copyAny(value: object, depth: number, budget: Budget): unknown {
  if (value instanceof Error) return describeError(value);
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : null;
  if (value instanceof URL) return maskText(`${value.origin}${value.pathname}`);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return `[${value.size} entries]`;
  if (depth >= DEPTH_MAX) return '[deeper]';
  if (!Array.isArray(value)) return copyObject(value, depth, budget);
  const items: unknown[] = [];
  for (const item of value) {
    if (budget.left <= 0) return [...items, '[more]'];
    items.push(copyValue(item, depth + 1, budget));
  }
  return items;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * Only the worker's own errors guarantee that their message may be shown. Messages of Redis, Google or the JSON parser may quote personal
 * data, so other errors show only class, code and stack frames.
 */
function describeError(error: Error, causes = 0): Record<string, unknown> {
  const own =
    error instanceof WorkerError
      ? {
          type: identifier(error.name),
          family: error.family,
          code: error.code,
          message: maskText(error.message),
          ...present({ target: error.target, status: error.status, requestId: error.requestId }),
          ...present({ advice: error.advice }),
        }
      : { type: identifier(error.name), ...present({ code: codeOf(error) }), at: framesOf(error) };
  if (!(error.cause instanceof Error) || causes >= CAUSES_MAX) return own;
  return { ...own, cause: describeError(error.cause, causes + 1) };
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'string' ? maskText(value) : value]),
  );
}

/** Replaces a name that may contain other text. */
function identifier(name: string): string {
  return /^\w{1,64}$/.test(name) ? name : 'Error';
}

function codeOf(error: Error): string | number | undefined {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^[\w-]{1,64}$/.test(code) ? code : undefined;
}

/** The stack starts with the message, which is removed. If the message cannot be found, the whole stack is omitted. */
function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const head = stack.indexOf(error.message);
  if (head < 0) return [];
  const frames = stack.slice(head + error.message.length).split('\n');
  return frames
    .filter((frame) => frame.startsWith('    at '))
    .slice(0, FRAMES_MAX)
    .map((frame) => maskText(frame.trim().slice('at '.length)));
}
