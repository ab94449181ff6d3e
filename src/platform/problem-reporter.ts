import { setTimeout as sleep } from 'node:timers/promises';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Problem } from '../engine/work.ts';
import type { PlatformClient } from './client.ts';
import type { Outage, PlatformState } from './http-transport.ts';

type Problems = Pick<ProblemBoard, 'clear'> & {
  raise(problem: Omit<Problem, 'sinceMs' | 'lastAtMs'>): Promise<void>;
};

/** Pause before the board is written again, when a write has failed. Redis is usually back within seconds. */
const TELL_AGAIN_MS = 5_000;

/** Raises the platform's refusals on the problem board, and clears them when the platform accepts the key again. */
export function reportProblems(
  platform: Pick<PlatformClient, 'onState'>,
  problems: Problems,
  againMs = TELL_AGAIN_MS,
): void {
  platform.onState(inTurn((state) => tell(problems, state), againMs));
}

/** Raises `platform-failing` while the platform answers nothing, and clears it with the first answer. */
export function reportOutages(
  platform: Pick<PlatformClient, 'onOutage'>,
  problems: Problems,
  againMs = TELL_AGAIN_MS,
): void {
  platform.onOutage(inTurn((outage) => tellOutage(problems, outage), againMs));
}

/**
 * One write at a time, and again until it succeeds: otherwise an older state would stand on the board until the next change. Skips states
 * that were overtaken meanwhile.
 */
function inTurn<State>(write: (state: State) => Promise<void>, againMs: number): (state: State) => void {
  let newest: { readonly state: State } | undefined;
  let isTelling = false;
  const tellNewest = async () => {
    isTelling = true;
    while (newest !== undefined) {
      const telling = newest;
      try {
        await write(telling.state);
        if (newest === telling) newest = undefined;
      } catch {
        await sleep(againMs, undefined, { ref: false });
      }
    }
    isTelling = false;
  };
  return (state) => {
    newest = { state };
    if (!isTelling) void tellNewest();
  };
}

function tell(problems: Problems, state: PlatformState): Promise<void> {
  if (state.state === 'ok') return problems.clear('platform');
  const { code, message, advice } = state;
  return problems.raise({
    target: 'platform',
    code,
    message,
    ...(advice === undefined ? {} : { advice }),
  });
}

/** A target of its own: an outage must not hide that the key is refused. */
const OUTAGE_TARGET = 'platform-api';

function tellOutage(problems: Problems, outage: Outage | undefined): Promise<void> {
  if (outage === undefined) return problems.clear(OUTAGE_TARGET);
  const { sinceMs, error } = outage;
  const { code, status, requestId } = error;
  const what = status === undefined ? (WORDS[code] ?? WORDS['platform-unreachable']) : `answers ${status}`;
  const since = `${new Date(sinceMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const id = requestId === undefined ? '' : `; last Request-Id ${requestId}`;
  return problems.raise({
    target: OUTAGE_TARGET,
    code: 'platform-failing',
    message: `the platform ${what} since ${since}${id}`,
    names: [
      ...(status === undefined ? [] : [`HTTP ${status}`]),
      ...(requestId === undefined ? [] : [`Request-Id ${requestId}`]),
    ],
    advice: ADVICE[code] ?? WAIT,
  });
}

const WORDS: Readonly<Record<string, string>> = {
  'platform-timeout': 'does not answer in time',
  'platform-unreachable': 'cannot be reached',
};

const WAIT =
  "Nothing is lost, and work continues by itself once the platform answers. If it lasts, tell the platform's support, with the Request-Id.";
const ADVICE: Readonly<Record<string, string>> = {
  'platform-unreachable': `Check this machine's network and platform.base_url. ${WAIT}`,
  'platform-bad-answer': `Check that platform.base_url is the address of the API itself, not of a web page or a proxy. ${WAIT}`,
};
