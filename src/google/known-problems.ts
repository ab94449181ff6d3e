import type { ProblemBoard, RaisedProblem } from '../engine/problem-board.ts';
import type { Clock } from '../engine/runtime.ts';

/** How old this process's knowledge of the shared board may be. */
const BOARD_AGE_MS_MAX = 10_000;

export type Direction = 'read' | 'write';

/** What a call to Google needs of the problem board. Where only writes are refused, reads go freely and clear nothing. */
export interface TargetProblems extends Pick<ProblemBoard, 'raise' | 'giveBack'> {
  mayTry(target: string, direction: Direction): ReturnType<ProblemBoard['mayTry']>;
  clear(target: string, direction: Direction): Promise<void>;
}

/**
 * A problem board that is cheap enough for every call: it calls the real board only for targets with a known problem. It also knows
 * problems of other processes, because the process that raised one may be dead, and any caller that succeeds must clear it. It reads the
 * board at most every 10 s; until then, a problem that another process raised costs one refused call.
 */
export class KnownProblems implements TargetProblems {
  readonly #board: ProblemBoard;
  readonly #clock: Clock;
  #known = new Map<string, Pick<RaisedProblem, 'refuses'>>();
  /** Raised since the last read began, which may not show them. */
  #raised = new Map<string, Pick<RaisedProblem, 'refuses'>>();
  #readAtMs = Number.NEGATIVE_INFINITY;

  /** `clock`: monotonic. */
  constructor(board: ProblemBoard, clock: Clock) {
    this.#board = board;
    this.#clock = clock;
  }

  async raise(problem: RaisedProblem): Promise<void> {
    this.#known.set(problem.target, problem);
    this.#raised.set(problem.target, problem);
    await this.#board.raise(problem);
  }

  async clear(target: string, direction: Direction): Promise<void> {
    if (!(await this.#stands(target, direction))) return;
    await this.#board.clear(target);
    this.#known.delete(target);
    this.#raised.delete(target);
  }

  /**
   * For calls whose outcome says nothing about the target or its account: they raise and clear nothing. They wait while a problem exists,
   * and leave its retries to other calls.
   */
  asBystander(): TargetProblems {
    return {
      raise: async () => {},
      clear: async () => {},
      giveBack: async () => {},
      mayTry: async (target, direction) => ((await this.#stands(target, direction)) ? false : 'free'),
    };
  }

  async mayTry(target: string, direction: Direction): Promise<'free' | 'turn' | false> {
    return (await this.#stands(target, direction)) ? this.#board.mayTry(target) : 'free';
  }

  async giveBack(target: string): Promise<void> {
    await this.#board.giveBack(target);
  }

  /** True when the target has a known problem that concerns this direction. */
  async #stands(target: string, direction: Direction): Promise<boolean> {
    if (this.#clock.now() - this.#readAtMs >= BOARD_AGE_MS_MAX) await this.#read();
    const known = this.#known.get(target);
    return known !== undefined && (known.refuses === undefined || direction === 'write');
  }

  async #read(): Promise<void> {
    // Set before the answer, so that concurrent callers do not read again.
    this.#readAtMs = this.#clock.now();
    this.#raised = new Map();
    try {
      const problems = await this.#board.list();
      this.#known = new Map([
        ...problems.map((problem) => [problem.target, problem] as const),
        ...this.#raised,
      ]);
    } catch (error) {
      this.#readAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }
}

/** Why a calendar, a spreadsheet or Google as a whole refuses the worker, and the step that fixes it. */
export const DENIALS = {
  'calendar-not-shared': {
    message: 'the calendar does not exist or is not shared with the worker',
    advice:
      "Share the calendar with the worker's service account, or correct its id in the mapping. To share: Google Calendar, Settings of the calendar, Shared with, 'Make changes to events'.",
  },
  'calendar-read-only': {
    message: 'the worker can read the calendar, but not write to it',
    advice:
      "Give the worker's service account 'Make changes to events' (Google Calendar, Settings of the calendar, Shared with).",
  },
  'calendar-forbidden': {
    message: 'Google does not let the worker use the calendar',
    advice:
      "Share the calendar with the worker's service account with 'Make changes to events'. In a Workspace, check that sharing outside the organization is allowed.",
  },
  'spreadsheet-not-shared': {
    message: 'the spreadsheet does not exist or is not shared with the worker',
    advice:
      "Share the spreadsheet with the worker's service account as Editor (Google Sheets, Share), or correct its id in the mapping.",
  },
  'google-delegation-needed': {
    message: 'Google allows this to service accounts only with domain-wide delegation',
    advice:
      'Set google.act_as and allow domain-wide delegation for the service account (Workspace admin console, Security, API controls).',
  },
  'google-scope-missing': {
    message: "the worker's credential lacks a scope",
    advice:
      'Allow the scopes calendar.events and spreadsheets: for domain-wide delegation in the Workspace admin console, for a person by signing in again.',
  },
  'google-api-disabled': {
    message: "the API is not enabled in the project of the worker's credential",
    advice:
      "Enable the Google Calendar API and the Google Sheets API in the Google Cloud project of the worker's service account (APIs and services, Library).",
  },
} as const;

type Denial = keyof typeof DENIALS;

/**
 * Interprets a 404, or a 403 that is not about a quota, by Google's reason. A wrong mapping would treat a permission as a quota or the
 * reverse.
 */
export function denialOf(status: 403 | 404, reason: string | undefined, target: string): Denial {
  const isSpreadsheet = target.startsWith('spreadsheet:');
  if (status === 404) return isSpreadsheet ? 'spreadsheet-not-shared' : 'calendar-not-shared';
  switch (reason) {
    case 'forbiddenForServiceAccounts':
      return 'google-delegation-needed';
    case 'insufficientPermissions':
    case 'ACCESS_TOKEN_SCOPE_INSUFFICIENT':
      return 'google-scope-missing';
    case 'accessNotConfigured':
    case 'SERVICE_DISABLED':
      return 'google-api-disabled';
    case 'requiredAccessLevel':
    case 'insufficientAccess':
      return isSpreadsheet ? 'spreadsheet-not-shared' : 'calendar-read-only';
    default:
      return isSpreadsheet ? 'spreadsheet-not-shared' : 'calendar-forbidden';
  }
}

const CLOSED: readonly string[] = [
  'calendar-not-shared',
  'calendar-read-only',
  'calendar-forbidden',
] satisfies readonly Denial[];

/** True when Google refuses a single calendar while the credential itself works. */
export function isCalendarDenied(code: string): boolean {
  return CLOSED.includes(code);
}
