// One request to a CalDAV server. In: account, address and body. Out: the answer, or one of the three error families. No retries, and no redirects
// that a caller does not follow itself: the password goes to no other host.
import { DeferredError, TerminalError, WorkerError } from '../engine/errors.ts';
import { fetchOutside, ProxyRefused, retryAfterMs } from '../engine/proxy.ts';
import type { Budget, BudgetRank } from '../engine/quotas.ts';
import type { Clock } from '../engine/runtime.ts';
import {
  clear,
  type Direction,
  giveBack,
  type KnownProblems,
  type TargetBreakers,
  targetPaused,
} from '../google/call.ts';
import { classifyDavFailure, DavFailure, type FailedCall, NOT_FOUND, reasonsIn } from './errors.ts';

/** A login to a server; `caldav.accounts` in the YAML. */
export interface DavAccount {
  readonly name: string;
  /** Where discovery begins: a server, a principal or a calendar home. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface DavCallParts {
  readonly budget: Budget;
  readonly breakers: TargetBreakers;
  readonly problems: KnownProblems;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

export interface DavCall {
  readonly account: DavAccount;
  /** `calendar:<address>`, or `caldav:<account>`. */
  readonly target: string;
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default `read`. */
  readonly direction?: Direction;
  readonly rank?: BudgetRank | undefined;
  /** The call names one event: a 404 says nothing about the calendar. */
  readonly isItem?: boolean;
  /** Statuses that are answers, not failures. */
  readonly takes: readonly number[];
}

export interface DavAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** What servers say if an address cannot be listed or searched. What is really wrong, the polls show. */
export const UNABLE = [200, 301, 302, 303, 307, 308, 400, 403, 404, 405, 409, 410, 412, 422, 500, 501];

const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const AGENT = 'slotbridge (CalDAV)';

/** Rejects only with one of the three error families. A refusal that hits every call is a problem until a call works again. */
export async function davCall(parts: DavCallParts, call: DavCall): Promise<DavAnswer> {
  const { target, account, direction = 'read', isItem = false } = call;
  const { problems, breakers, budget } = parts;
  const credential = `caldav:${account.name}`;
  const both = target === credential ? [target] : [credential, target];
  const asked = { problems, direction };
  const turns: string[] = [];
  let place: ReturnType<TargetBreakers['begin']> | undefined;
  try {
    for (const each of both) {
      const leave = await problems.mayTry(each, direction);
      if (leave === false) throw targetPaused(each);
      if (leave === 'turn') turns.push(each);
    }
    place = breakers.begin(target, direction);
    const admission = await budget.spend(credential, { rank: call.rank, target });
    void budget.answered(admission).catch(() => undefined);
  } catch (error) {
    place?.forgone();
    await giveBack(problems, turns);
    throw error;
  }
  const failed: FailedCall = { target, account: credential, direction, isItem };
  try {
    const answer = await exchange(call, parts.timeoutMs);
    if (!call.takes.includes(answer.status)) throw failureOf(answer, parts.clock.now());
    place.ended();
    await clear(asked, both);
    return answer;
  } catch (thrown) {
    const error = thrown instanceof WorkerError ? thrown : classifyDavFailure(asFailure(thrown), failed);
    if (place.ended(error)) await raiseFailing(problems, target);
    // The server knows who asked, and has looked at the event.
    const { status = 0 } = error;
    if (isItem && [404, 409, 410, 412].includes(status)) await clear(asked, both);
    else if (status !== 0 && status !== 401 && status < 500) await clear(asked, [credential]);
    if (error instanceof TerminalError || error.code === NOT_FOUND) await giveBack(problems, turns);
    if (error instanceof DeferredError && error.advice !== undefined)
      await raise(problems, error, { call, credential });
    throw error;
  }
}

/** A server may close a connection that it kept (SOGo): a read is then sent once more. */
async function exchange(call: DavCall, timeoutMs: number): Promise<DavAnswer> {
  try {
    return await exchangeOnce(call, timeoutMs);
  } catch (thrown) {
    const isClosed = CLOSED.includes(asFailure(thrown).reasons[0] ?? '');
    if (!isClosed || call.direction === 'write') throw thrown;
    return exchangeOnce(call, timeoutMs);
  }
}

const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

async function exchangeOnce(call: DavCall, timeoutMs: number): Promise<DavAnswer> {
  const { user, password } = call.account;
  const login = Buffer.from(`${user}:${password}`, 'utf8').toString('base64');
  const answer = await fetchOutside(call.url, {
    method: call.method,
    headers: { authorization: `Basic ${login}`, 'user-agent': AGENT, ...call.headers },
    ...(call.body !== undefined && { body: call.body }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: answer.status, headers: answer.headers, body: await textOf(answer) };
}

/** Frees the connection of an answer that is too long. */
async function textOf(answer: Response): Promise<string> {
  if (answer.body === null) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) throw new DavFailure({ reasons: ['too-large'] });
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function failureOf({ status, headers, body }: DavAnswer, nowMs: number): DavFailure {
  const isPage = status >= 200 && status < 300;
  return new DavFailure({
    ...{ status, isPage, ...reasonsIn(body), retryAfterMs: retryAfterMs(headers, nowMs) ?? 0 },
  });
}

function asFailure(thrown: unknown): DavFailure {
  if (thrown instanceof DavFailure) return thrown;
  if (thrown instanceof ProxyRefused) return new DavFailure({ reasons: [thrown.code] });
  const { name, code, cause } = thrown as {
    name?: string;
    code?: unknown;
    cause?: { code?: unknown; name?: unknown };
  };
  const said = cause?.code ?? (typeof code === 'string' ? code : undefined) ?? name;
  // Without the cause: its message may hold the address with a name.
  return new DavFailure({ reasons: [String(said ?? 'unknown')] });
}

/** The answer is not what the protocol says: most often the page of a proxy or of a login. */
export function notCaldav(
  status: number,
  { target, account }: Pick<DavCall, 'target' | 'account'>,
): WorkerError {
  const call: FailedCall = { target, account: `caldav:${account.name}`, direction: 'read', isItem: false };
  return classifyDavFailure(new DavFailure({ status, isPage: true }), call);
}

async function raise(
  problems: KnownProblems,
  { code, message, advice = '', status, target: of }: DeferredError,
  { call, credential }: { readonly call: DavCall; readonly credential: string },
): Promise<void> {
  const target = of ?? call.target;
  const isOfWrites =
    call.direction === 'write' && (status === 403 || status === 507) && target !== credential;
  const problem = { target, code, message, advice, ...(isOfWrites && { refuses: 'writes' as const }) };
  await problems.raise(problem).catch(() => undefined);
}

async function raiseFailing(problems: KnownProblems, target: string): Promise<void> {
  const problem = {
    ...{ target, code: 'calendar-failing' },
    message: 'the CalDAV server returns errors or no timely answer for the calendar',
    advice: 'Nothing to do: the worker retries every 15 s. Check the server.',
  };
  await problems.raise(problem).catch(() => undefined);
}
