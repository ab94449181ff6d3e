// Determines which of Google's quotas prevent a source from being read. Pure.
import { accountOfCredential } from '../domain/credential-name.ts';
import type { QuotaReport } from './status-report.ts';

/** A source in Google, and the budget that reading it spends. */
export interface GoogleSource {
  readonly budget: string;
  readonly target: string;
  /** Name of the Google account that reads it; undefined means the default account. */
  readonly account: string | undefined;
}

export function calendarSource(calendarId: string, account?: string): GoogleSource {
  return { budget: 'google-calendar:', target: `calendar:${calendarId}`, account };
}

export function sheetSource(spreadsheetId: string, account?: string): GoogleSource {
  return { budget: 'google-sheets-read:', target: `spreadsheet:${spreadsheetId}`, account };
}

/** When the last of the limits ends, ISO 8601; null if unknown. */
export function limitedUntil(limits: readonly QuotaReport[]): string | null {
  return (
    limits
      .flatMap(({ paused_until }) => paused_until ?? [])
      .toSorted()
      .at(-1) ?? null
  );
}

/** The limits on this source: its own, and those of its whole budget. */
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
