// Chooses the spreadsheet and the tabs for `slotbridge init`, and creates what is missing.

import { RetryableError, TerminalError, WorkerError } from '../engine/domain/errors.ts';
import type { SetupTab } from '../mapping/setup/write-yaml.ts';
import type { Console } from './console.ts';
import type { Dialogue, InitGoogle } from './init-parts.ts';
import type { NewSpreadsheet } from './new-spreadsheet.ts';
import { UsageError } from './usage-error.ts';

export const TABS: readonly SetupTab[] = [
  { mirror: 'contacts', tab: 'Contacts' },
  { mirror: 'appointments', tab: 'Appointments' },
];

export interface ChosenSheet {
  readonly spreadsheet: string;
  readonly tabs: readonly SetupTab[];
  readonly missing: readonly SetupTab[];
  /** It is created after everything else is settled. */
  readonly isNew?: true;
}

export async function chooseSheet(
  { given, asker, parts }: Dialogue,
  about: {
    readonly google: InitGoogle;
    readonly fresh: NewSpreadsheet;
    readonly ofSandbox: string | undefined;
    /** The tabs that the YAML does not have yet. */
    readonly tabs?: readonly SetupTab[];
  },
): Promise<ChosenSheet | undefined> {
  const { google, fresh, ofSandbox, tabs: wanted = TABS } = about;
  const mayMake = google.isPerson ? `, ${NEW} to create one` : '';
  const what = wanted.map(({ mirror }) => mirror).join(' and ');
  const question = `Spreadsheet for ${what}, id or address${mayMake} (Enter: none):`;
  const wished = given.spreadsheet ?? (given.createSpreadsheet === true ? NEW : undefined);
  const answered = wished ?? ofSandbox ?? (await asker?.ask(question)) ?? '';
  if (answered === '') return undefined;
  const isNew = answered === NEW;
  if (isNew && !google.isPerson) throw nobodysDrive(google.shareWith);
  const written = isNew ? fresh.madeBefore() : answered;
  if (written === undefined) return { spreadsheet: NEW_SHOWN, tabs: wanted, missing: wanted, isNew: true };
  const spreadsheet = idOfSpreadsheet(written);
  const titles = await google.tabs(spreadsheet).catch((error: unknown) => {
    const isSharing = error instanceof WorkerError && error.code === 'spreadsheet-not-shared';
    throw isSharing ? notAnEditor(spreadsheet, google.shareWith, error) : error;
  });
  const there = titles.map((title) => title.toLowerCase());
  const missing = wanted.filter(({ tab }) => !there.includes(tab.toLowerCase()));
  if (missing.length === 0) return { spreadsheet, tabs: wanted, missing };
  const names = missing.map(({ tab }) => tab).join(' and ');
  const mayCreate =
    (isNew ? true : given.createTabs) ??
    (await asker?.confirm(`Create the missing tabs ${names}?`, 'yes')) ??
    false;
  if (mayCreate) return { spreadsheet, tabs: wanted, missing };
  const tabs = wanted.filter((tab) => !missing.includes(tab));
  parts.io.stdout.write(`Skipped because their tabs are missing: ${names}.\n`);
  return tabs.length === 0 ? undefined : { spreadsheet, tabs, missing: [] };
}

/** The answer that asks for a new spreadsheet. */
const NEW = 'new';
/** Placeholder in the YAML until the spreadsheet exists. */
const NEW_SHOWN = 'a-new-spreadsheet';

export async function makeSpreadsheet(fresh: NewSpreadsheet, io: Console): Promise<string> {
  const { id, title } = await fresh.make();
  io.stdout.write(`Created the spreadsheet ${title}: https://docs.google.com/spreadsheets/d/${id}\n`);
  return id;
}

export async function createTabs(
  { spreadsheet, missing }: ChosenSheet,
  google: InitGoogle,
  io: Console,
): Promise<readonly string[]> {
  if (missing.length === 0) return [];
  const { SETUP_COLUMNS } = await import('../mapping/setup/write-yaml.ts');
  const tabs = missing.map(({ mirror, tab }) => ({
    title: tab,
    headers: Object.keys(SETUP_COLUMNS[mirror]),
  }));
  const titles = tabs.map(({ title }) => title);
  try {
    await google.createTabs(spreadsheet, tabs);
  } catch (error) {
    if (error instanceof RetryableError)
      io.stderr.write(`Possibly created in the spreadsheet: ${titles.join(', ')}. The next run uses them.\n`);
    throw error;
  }
  io.stdout.write(`Created in the spreadsheet: ${titles.join(', ')}.\n`);
  return titles;
}

/** Takes the id out of a copied address. */
export function idOfSpreadsheet(text: string): string {
  return /\/d\/([\w-]+)/.exec(text)?.[1] ?? text;
}

function notAnEditor(id: string, shareWith: string, cause: Error): TerminalError {
  return new TerminalError('spreadsheet-not-shared', `the worker may not write to the spreadsheet ${id}`, {
    advice: `Nothing was written. Share it with ${shareWith} as editor, or correct its id.`,
    cause,
  });
}

/** A service account has no Drive that people see, and since 2025 no storage in it (Google Drive, storage of service accounts). */
function nobodysDrive(shareWith: string): TerminalError {
  return new UsageError('account-has-no-drive', 'a service account has no Drive for a new spreadsheet', {
    advice: `Nothing was written. Create one at https://sheets.new, share it with ${shareWith} as editor, and give its address with --spreadsheet.`,
  });
}
