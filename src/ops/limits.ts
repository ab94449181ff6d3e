// Which of Google's quotas keep a source from being read. Pure.
import { accountOfCredential } from '../domain/credential-name.ts';
import type { QuotaReport } from './status-report.ts';

/** What is read, and out of which budget. */
export interface GoogleSource {
  readonly budget: string;
  readonly target: string;
  /** Name of the Google account that reads it; undefined: the default one. */
  readonly account: string | undefined;
}

export function calendarSource(calendarId: string, account?: string): GoogleSource {
  return { budget: 'google-calendar:', target: `calendar:${calendarId}`, account };
}

export function sheetSource(spreadsheetId: string, account?: string): GoogleSource {
  return { budget: 'google-sheets-read:', target: `spreadsheet:${spreadsheetId}`, account };
}

/** When the last of them ends, ISO 8601; null when nobody knows. */
export function limitedUntil(limits: readonly QuotaReport[]): string | null {
  return (
    limits
      .flatMap(({ paused_until }) => paused_until ?? [])
      .toSorted()
      .at(-1) ?? null
  );
}

/** Its own rest, and what everybody who is in its budget waits for. */
export function limitsOn(
  { budget, target, account }: GoogleSource,
  quotas: readonly QuotaReport[],
): readonly QuotaReport[] {
  return quotas.filter(
    (quota) =>
      quota.name.startsWith(budget) &&
      accountOfCredential(quota.name.slice(budget.length)) === account &&
      (quota.target === null || quota.target === target) &&
      (quota.paused_until !== null || quota.waiting > 0),
  );
}
