import { WorkerError } from '../domain/errors.ts';
import { isPrivateField, MASK, maskText } from './personal-data.ts';

const DEPTH_MAX = 6;
/** Largest number of values in a line, over all levels: a log line is for people to read. */
const VALUES_MAX = 500;
const CAUSES_MAX = 4;
const FRAMES_MAX = 4;

/**
 * A copy of a log line's fields that is safe to write. It masks private fields and anything that looks private at any depth, reduces errors
 * to class and code, and bounds everything. This is the second line of defence; the first is not to log such data.
 */
export function toLoggable(fields: object): Record<string, unknown> {
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
