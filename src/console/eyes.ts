import { maskText } from '../ops/personal-data.ts';
import type { Visit } from './visit.ts';

/**
 * What of a report somebody may see. Ids of calendars are addresses of people, and foreign messages may quote one: whoever may not see
 * people gets every text masked as a log line is.
 */
export function forEyes<T>(visit: Pick<Visit, 'may'>, report: T): T {
  return visit.may('see-people') ? report : (masked(report) as T);
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [maskText(name), masked(item)]));
}
