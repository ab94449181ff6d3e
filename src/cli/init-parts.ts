// What the files of `slotbridge init` share.
import type { GivenAnswers } from '../config/setup/answers-file.ts';
import type { SeenCalendar } from '../config/setup/propose-calendars.ts';
import type { Directory } from '../domain/directory.ts';
import type { Asker } from './ask.ts';
import type { LoadChecks } from './config-file.ts';
import type { Console } from './console.ts';

export interface InitWiring {
  /** What the key sees. Rejects when the platform refuses it. */
  readonly readDirectory: (platform: { baseUrl: string; apiKey: string }) => Promise<Directory>;
  /** Throws for a credential file that cannot be used. */
  readonly openGoogle: (google: {
    credentials: string;
    actAs?: string | undefined;
    url: string | undefined;
  }) => Promise<InitGoogle>;
  /** Where the sandbox of this folder says that it listens; undefined when it says nothing. */
  readonly sandbox: () => Promise<{ readonly platformUrl: string; readonly googleUrl: string } | undefined>;
  /** Another command of this program, over the YAML that was written. Resolves with its exit code. */
  readonly run: (args: readonly string[], env: Console['env']) => Promise<number>;
}

export interface InitGoogle {
  /** Whom calendars and spreadsheets have to be shared with. */
  readonly shareWith: string;
  /** A spreadsheet that the account makes stands in somebody's Drive. */
  readonly isPerson: boolean;
  /** Undefined: the credential may not read the list. */
  calendars(): Promise<readonly SeenCalendar[] | undefined>;
  tabs(spreadsheetId: string): Promise<readonly string[]>;
  /** After a `RetryableError` it may exist nevertheless. */
  createSpreadsheet(title: string): Promise<string>;
  createTabs(
    spreadsheetId: string,
    tabs: readonly { readonly title: string; readonly headers: readonly string[] }[],
  ): Promise<void>;
}

export interface InitParts {
  readonly io: Console;
  readonly checks: LoadChecks;
  readonly wiring: InitWiring;
  readonly onBroken: () => void;
}

export interface Dialogue {
  readonly given: GivenAnswers;
  /** Absent: nothing can be asked. */
  readonly asker: Asker | undefined;
  readonly parts: InitParts;
}
