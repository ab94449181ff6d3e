import { startRadicale } from '@slotbridge/rehearsal/demo/caldav/radicale';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { describe } from 'vitest';
import { findCalendarServers, versionOfServer } from '../../../scripts/setup/calendar-servers.mjs';
import { startCyrus } from './cyrus.ts';
import { startDavical } from './davical.ts';
import { startSogo } from './sogo.ts';
import { startXandikos } from './xandikos.ts';

export type ServerName = keyof ReturnType<typeof findCalendarServers>;

const STARTS: Readonly<Record<ServerName, () => Promise<CalendarServer>>> = {
  radicale: startRadicale,
  xandikos: startXandikos,
  davical: startDavical,
  cyrus: startCyrus,
  sogo: startSogo,
};

const found = findCalendarServers();

/** Like `describe`, and skipped where the server is not installed. The runner shows the reason. */
export function describeOn(name: ServerName, tests: (start: () => Promise<CalendarServer>) => void): void {
  if (found[name]) describe(`on ${name}`, () => tests(STARTS[name]));
  else describe.skip(`skipped: no ${name} here`, () => tests(STARTS[name]));
}

/** Only for this version: what another one does is a finding, and no failure of the worker. */
export function describeVersion(
  { name, version }: { readonly name: ServerName; readonly version: string },
  tests: (start: () => Promise<CalendarServer>) => void,
): void {
  const here = versionOfServer(name);
  if (!found[name] || here === version) describeOn(name, tests);
  else
    describe.skip(`skipped: ${name} is ${here ?? 'of another source'} here, not ${version}`, () =>
      tests(STARTS[name]));
}
