// What was stopped as too much at once and waits for a person. The page shows what would happen. After a count and a reason it approves
// that, as `slotbridge approve` does. Waiting dead letters then get a turn immediately.
import { formatKey, parseKey } from '../engine/domain/object.ts';
import {
  approveParked,
  declineParked,
  digestOf,
  mayDecline,
  type Waiting,
  waitingApprovals,
} from '../operate/approvals.ts';
import { noteAct } from './acts.ts';
import { textForEyes } from './eyes.ts';
import { look } from './found.ts';
import { endLetters } from './letters.ts';
import { approvalsPage, confirmApproval } from './pages/approvals.ts';
import type { ConsoleParts } from './parts.ts';
import { readWhy } from './reason.ts';
import type { Answer, Visit } from './visit.ts';

/** Objects shown with their details; the others are named. */
const OBJECTS_SHOWN_MAX = 20;

/** `GET /console/approvals` */
export async function answerApprovals(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const text = textForEyes(visit);
  const waiting = (await waitingApprovals(parts)).map((each) => ({ ...each, place: text(each.place) }));
  const until = Number(visit.query.get('until') || Number.NaN);
  return approvalsPage(waiting, visit, Number.isSafeInteger(until) ? until : undefined);
}

/** `GET /console/approvals/allow?name=…&kind=…`: what an approval would do, and to which objects. */
export async function confirmAllow(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  return confirm(parts, visit, { waiting: await waitingFor(parts, visit.query) });
}

/** `POST /console/approvals/allow`. Approves or declines no more than the page showed. A second person finds that nothing waits. */
export async function allow(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { form, words } = visit;
  const waiting = await waitingFor(parts, form);
  const why = readWhy(form);
  const shown = Number(form.get('count') || Number.NaN);
  if (waiting === undefined) return confirm(parts, visit, { waiting });
  if (why === undefined) return confirm(parts, visit, { waiting, notice: words.letters.whyNeeded });
  if (!(waiting.count <= shown) || form.get('digest') !== digestOf(waiting))
    return confirm(parts, visit, { waiting, notice: words.approvals.changed });
  const about = { approval: waiting.name };
  if (form.get('verdict') === 'decline' && mayDecline(waiting)) {
    const declined = await noteAct(parts, visit.visitor, {
      what: 'declined',
      why,
      about,
      chosen: waiting.count,
    });
    await declineParked(parts, waiting);
    await parts.acts.note({ ...declined, done: waiting.count });
    return { to: '/console/approvals' };
  }
  const act = await noteAct(parts, visit.visitor, { what: 'approved', why, about, chosen: waiting.count });
  const untilMs = await approveParked(parts, waiting);
  const { letters } = waiting;
  const turns = letters.length === 0 ? 0 : await endLetters(parts, letters, { action: 'retry', why });
  await parts.acts.note({ ...act, done: letters.length === 0 ? waiting.count : turns });
  return { to: untilMs === undefined ? '/console/approvals' : `/console/approvals?until=${untilMs}` };
}

async function waitingFor(parts: ConsoleParts, fields: URLSearchParams): Promise<Waiting | undefined> {
  const [name, kind] = [fields.get('name'), fields.get('kind')];
  return (await waitingApprovals(parts)).find((each) => each.name === name && each.kind === kind);
}

async function confirm(
  parts: ConsoleParts,
  visit: Visit,
  { waiting, notice }: { readonly waiting: Waiting | undefined; readonly notice?: string },
): Promise<Answer> {
  const own = waiting?.kind === 'contacts' ? [] : (waiting?.members ?? []);
  const all = [...new Set([...own, ...(waiting?.letters ?? []).map(({ key }) => key)])];
  const keys = all.slice(0, OBJECTS_SHOWN_MAX);
  const objects = await Promise.all(
    keys.flatMap((name) => {
      const key = parseKey(name);
      return key === undefined || formatKey(key) !== name ? [] : [look(parts, key, visit)];
    }),
  );
  return confirmApproval({ waiting, objects, others: all.slice(OBJECTS_SHOWN_MAX), notice }, visit);
}
