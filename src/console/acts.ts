import { randomUUID } from 'node:crypto';
import type { Act, Visitor } from '../domain/role.ts';
import { csv } from '../ops/csv.ts';
import type { ActLog } from '../ports/console.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Download } from './visit.ts';

/** Notes what a person is about to do. Resolves with the act, which the caller notes again with its result. */
export async function noteAct(
  { acts, clock }: { readonly acts: ActLog; readonly clock: Clock },
  { role, who }: Visitor,
  about: Pick<Act, 'what'> & Partial<Pick<Act, 'why' | 'about' | 'chosen'>>,
): Promise<Act> {
  const act: Act = { id: randomUUID(), atMs: clock.now(), role, who, why: '', about: {}, ...about };
  await acts.note(act);
  return act;
}

/** The audit log as a CSV file. */
export function actsFile(newest: readonly Act[]): Download {
  const rows = newest.map(({ atMs, who, role, what, why, about, chosen, done }) => [
    ...[new Date(atMs).toISOString(), who, role, what, why],
    Object.entries(about)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
    ...[chosen, done].map((count) => (count === undefined ? '' : String(count))),
  ]);
  const text = csv(['when', 'who', 'role', 'what', 'why', 'about', 'chosen', 'done'], rows);
  return { file: 'acts.csv', type: 'text/csv; charset=utf-8', text: `${text}\r\n` };
}
