import { randomUUID } from 'node:crypto';
import type { Act, Visitor } from '../engine/domain/role.ts';
import type { ActLog } from '../engine/ports/console.ts';
import type { Clock, Log } from '../engine/ports/runtime.ts';
import { csv } from '../operate/csv.ts';
import { digest } from '../operate/personal-data.ts';
import type { Download } from './visit.ts';

/** Also tells the log of each act, which nobody can empty from the console. Who it was is a digest. */
export function loggedActs(acts: ActLog, log: Log): ActLog {
  return {
    newest: (limit) => acts.newest(limit),
    async note(act) {
      const { id, what, role, who, chosen, done } = act;
      log.info({ act: id, what, role, who: digest(who), chosen, done }, 'act in the console');
      await acts.note(act);
    },
  };
}

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
