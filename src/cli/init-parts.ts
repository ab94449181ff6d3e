// What the files of `slotbridge init` share.

import type { Directory } from '../engine/mirror.ts';
import type { KindName } from '../mapping/calendar-kinds.ts';
import type { GivenAnswers, SeenCalendar } from '../mapping/setup/write-yaml.ts';
import type { Asker } from './ask.ts';
import type { LoadChecks } from './config-file.ts';
import type { Console } from './console.ts';

export interface InitWiring {
  /** What the key can see. Rejects when the platform refuses the key. */
  readonly readDirectory: (platform: { baseUrl: string; apiKey: string }) => Promise<Directory>;
  /** Throws for a credential file that cannot be used. */
  readonly openGoogle: (google: {
    credentials: string;
    actAs?: string | undefined;
    url: string | undefined;
  }) => Promise<InitGoogle>;
  /** The calendars that an account of another kind sees and may write to. `account`: its settings. */
  readonly calendarsOf: (login: {
    readonly kind: KindName;
    readonly name: string;
    readonly account: object;
  }) => Promise<readonly SeenCalendar[]>;
  /** The addresses that the sandbox of this folder has published; undefined when it has published none. */
  readonly sandbox: () => Promise<{ readonly platformUrl: string; readonly googleUrl: string } | undefined>;
  /** Runs another command of this program on the YAML that was written. Resolves with its exit code. */
  readonly run: (args: readonly string[], env: Console['env']) => Promise<number>;
}

export interface InitGoogle {
  /** The address with which calendars and spreadsheets have to be shared. */
  readonly shareWith: string;
  /** True for a person's account: a spreadsheet that it creates is in that person's Drive. */
  readonly isPerson: boolean;
  /** Undefined: the credential may not read the list. */
  calendars(): Promise<readonly SeenCalendar[] | undefined>;
  tabs(spreadsheetId: string): Promise<readonly string[]>;
  /** After a `RetryableError` the spreadsheet may exist all the same. */
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
  /** Absent: no questions can be asked. */
  readonly asker: Asker | undefined;
  readonly parts: InitParts;
}
