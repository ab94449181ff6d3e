import { maskAll, maskText } from '../operate/personal-data.ts';
import type { Visit } from './visit.ts';

/**
 * The parts of a report that the visitor may see. Ids of calendars are addresses of people, and messages from elsewhere may quote one.
 * Without the right to see people, every text is masked as in a log line.
 */
export function forEyes<T>(visit: Pick<Visit, 'may'>, report: T): T {
  return visit.may('see-people') ? report : maskAll(report);
}

/** The same for single texts. Each text is masked only once. */
export function textForEyes(visit: Pick<Visit, 'may'>): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (visit.may('see-people')) return text;
    const told = known.get(text) ?? maskText(text);
    known.set(text, told);
    return told;
  };
}
