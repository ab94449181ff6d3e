// `slotbridge audit` as a page: ops start it, everybody reads it, and the result can be downloaded.
import { toCsv } from '../operate/audit-text.ts';
import { noteAct } from './acts.ts';
import type { Comparison } from './comparison.ts';
import { forEyes } from './eyes.ts';
import { comparePage } from './pages/compare.ts';
import type { ConsoleParts } from './parts.ts';
import { readWhy } from './reason.ts';
import type { Answer, Visit } from './visit.ts';

/** `GET /console/compare` */
export function answerCompare(comparison: Comparison, visit: Visit, notice?: string): Answer {
  const { current } = comparison;
  if (current === undefined) return comparePage(undefined, visit, notice);
  const { summary, ...shown } = current;
  const read = summary && { ...summary, unread: Object.fromEntries(summary.unread) };
  return comparePage(forEyes(visit, { ...shown, summary: read }), visit, notice);
}

/** `POST /console/compare`. One comparison runs at a time: a second request shows the first one. */
export async function startCompare(
  parts: ConsoleParts,
  comparison: Comparison,
  visit: Visit,
): Promise<Answer> {
  const why = readWhy(visit.form);
  if (why === undefined) return answerCompare(comparison, visit, visit.words.letters.whyNeeded);
  await comparison.start(visit.visitor, () => noteAct(parts, visit.visitor, { what: 'compared', why }));
  return { to: '/console/compare' };
}

/** `GET /console/compare.csv`: all differences that were kept. */
export function downloadCompare(comparison: Comparison, visit: Visit): Answer {
  const differences = forEyes(visit, comparison.current?.differences ?? []);
  return { file: 'differences.csv', type: 'text/csv; charset=utf-8', text: `${toCsv(differences)}\r\n` };
}
