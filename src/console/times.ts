/**
 * In which zone times are shown. `branch`: appointments in that of their branch, all else in the browser's. `mine`: everything in the
 * browser's. `utc`: everything in UTC.
 */
export type Times = (typeof TIMES_SHOWN)[number];

export const TIMES_SHOWN = ['branch', 'mine', 'utc'] as const;

export function timesNamed(name: string | null): Times | undefined {
  return TIMES_SHOWN.find((times) => times === name);
}
