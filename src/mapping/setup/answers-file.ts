import { parse } from 'yaml';
import { TerminalError } from '../../engine/domain/errors.ts';

/** Answers that `slotbridge init` takes instead of asking. */
export interface GivenAnswers {
  readonly sandbox?: boolean;
  readonly platformUrl?: string;
  readonly keyFile?: string;
  readonly credentials?: string;
  /** Name of a further Google account, and its key file. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** Resource, by name or id, and calendar; `branch:anna@clinic.example` is a calendar of another account. */
  readonly calendars?: Readonly<Record<string, string>>;
  readonly spreadsheet?: string;
  readonly createTabs?: boolean;
  readonly createSpreadsheet?: boolean;
  readonly staffMoves?: boolean;
  readonly publicUrl?: string;
  /** The address of a sandbox that stands in for Google. */
  readonly googleUrl?: string;
}

const KEYS = {
  sandbox: ['sandbox', 'boolean'],
  platform_url: ['platformUrl', 'string'],
  key_file: ['keyFile', 'string'],
  credentials: ['credentials', 'string'],
  accounts: ['accounts', 'object'],
  calendars: ['calendars', 'object'],
  spreadsheet: ['spreadsheet', 'string'],
  create_tabs: ['createTabs', 'boolean'],
  create_spreadsheet: ['createSpreadsheet', 'boolean'],
  staff_moves: ['staffMoves', 'boolean'],
  public_url: ['publicUrl', 'string'],
  google_url: ['googleUrl', 'string'],
} as const satisfies Record<string, readonly [keyof GivenAnswers, string]>;

/**
 * Reads YAML or JSON. Throws `TerminalError` `answers-unusable` for an unknown answer: otherwise `init` would ask again for one that was
 * misspelt.
 */
export function readAnswers(text: string): GivenAnswers {
  const value = parsed(text);
  const found: Record<string, unknown> = {};
  for (const [key, answer] of Object.entries(value)) {
    const [name, type] = (KEYS as Record<string, readonly [string, string]>)[key] ?? [];
    if (name === undefined) throw unusable(`unknown answer ${JSON.stringify(key)}`);
    if (typeof answer !== type || answer === null) throw unusable(`${key} must be ${SPOKEN[type ?? '']}`);
    found[name] = answer;
  }
  assertTexts(found['calendars'], 'calendars must name one calendar for each resource');
  assertTexts(found['accounts'], 'accounts must name one key file for each account');
  return found;
}

function assertTexts(group: unknown, what: string): void {
  if (Object.values((group ?? {}) as object).some((text) => typeof text !== 'string')) throw unusable(what);
}

const SPOKEN: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  object: 'group',
};

function parsed(text: string): object {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw unusable('it is no YAML');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw unusable('it holds no group of answers');
}

function unusable(what: string): TerminalError {
  return new TerminalError('answers-unusable', `the answers cannot be used: ${what}`, {
    advice: `Known are ${Object.keys(KEYS).join(', ')}.`,
  });
}
