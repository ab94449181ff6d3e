// Reading again: people start it, and the worker carries it out. A resync reads the platform's lists. A replay reads the objects of a
// chosen time.
import type { Hole, ResyncRequest } from '../engine/domain/coverage.ts';
import { countKinds, replayObjects } from '../operate/replay-plan.ts';
import { noteAct } from './acts.ts';
import { againPage, confirmReplay } from './pages/again.ts';
import type { ConsoleParts } from './parts.ts';
import { readWhy } from './reason.ts';
import { LIST_KINDS, readReplayForm, readResyncForm } from './replay-form.ts';
import type { Answer, Visit } from './visit.ts';

/** Most objects of one replay; for more there is the command, which has a terminal to wait in. */
const OBJECTS_MAX = 20_000;
/** How long a count of objects stays valid. */
const COUNTED_FOR_MS = 60_000;

/** `GET /console/again` */
export async function answerAgain(parts: ConsoleParts, visit: Visit, notice?: string): Promise<Answer> {
  const [run, progress, holes] = await Promise.all([
    parts.replays.current(),
    parts.resyncs.progress(),
    parts.resyncs.asked(),
  ]);
  const resyncs = await Promise.all(
    holes.map(async (hole) => ({ hole, expected: await expectedOf(parts, hole, visit.nowMs) })),
  );
  return againPage({ run, resyncs, progress, notice, told: visit.query.get('told') }, visit);
}

/** `POST /console/again/resync`. The same request twice starts one walk. */
export async function startResync(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { words, form } = visit;
  const request = readResyncForm(form);
  const why = readWhy(form);
  if (why === undefined) return answerAgain(parts, visit, words.letters.whyNeeded);
  if (request === undefined) return answerAgain(parts, visit, words.again.unclear);
  const asked = await parts.resyncs.request(request);
  if (asked === undefined) return answerAgain(parts, visit, words.again.busy);
  if (!asked.isKnown) await noteAct(parts, visit.visitor, { what: 'resync', why, about: about(request) });
  return { to: `/console/again?told=${asked.isKnown ? 'known' : 'started'}` };
}

/** `GET /console/again/replay`: shows how many objects a replay would give a turn, and asks for a reason. */
export async function confirmReplayOf(parts: ConsoleParts, visit: Visit, notice?: string): Promise<Answer> {
  const fields = notice === undefined ? visit.query : visit.form;
  const request = readReplayForm(fields, visit.nowMs);
  if (request === undefined) return answerAgain(parts, visit, visit.words.again.unclear);
  const keys = await chosenBy(parts, request);
  const kinds = countKinds(keys);
  return confirmReplay({ request, kinds, count: keys.length, most: OBJECTS_MAX, notice }, visit);
}

/** `POST /console/again/replay`. One replay runs at a time: a second request shows the first one. */
export async function startReplay(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { words, form } = visit;
  const request = readReplayForm(form, visit.nowMs);
  const why = readWhy(form);
  const shown = Number(form.get('count') || Number.NaN);
  if (request === undefined) return answerAgain(parts, visit, words.again.unclear);
  if (why === undefined) return confirmReplayOf(parts, visit, words.letters.whyNeeded);
  const keys = await chosenBy(parts, request);
  if (!(keys.length <= shown) || keys.length > OBJECTS_MAX)
    return confirmReplayOf(parts, visit, words.again.changed);
  if (keys.length === 0) return answerAgain(parts, visit, words.again.nothing);
  const { types, fromMs, toMs } = request;
  const acted = {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    ...(types.length === 0 ? {} : { types: types.join(', ') }),
  };
  const note = () =>
    noteAct(parts, visit.visitor, { what: 'replayed', why, about: acted, chosen: keys.length });
  const begun = await parts.replays.start(keys, note);
  return begun === 'started'
    ? { to: '/console/again?told=started' }
    : answerAgain(parts, visit, words.again.busy);
}

/** `POST /console/again/stop` */
export async function stopReplay(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const isStopped = await parts.replays.stop();
  if (isStopped) await noteAct(parts, visit.visitor, { what: 'replay-stopped' });
  return { to: `/console/again${isStopped ? '?told=stopped' : ''}` };
}

function chosenBy(
  { journal, clock }: ConsoleParts,
  request: { readonly types: readonly string[]; readonly fromMs: number; readonly toMs: number },
) {
  return replayObjects(
    { events: [], objects: [], ...request },
    { journal, eventOnPlatform: async () => undefined, nowMs: clock.now() },
  );
}

function about({ kinds, fromMs, toMs, force }: ResyncRequest): Record<string, string> {
  return {
    lists: kinds.map((kind) => `${kind}s`).join(', '),
    ...(fromMs === undefined ? {} : { from: new Date(fromMs).toISOString() }),
    ...(toMs === undefined ? {} : { to: new Date(toMs).toISOString() }),
    ...(force === true ? { force: 'yes' } : {}),
  };
}

const counted = new WeakMap<
  ConsoleParts,
  { readonly atMs: number; readonly counts: ReadonlyMap<string, number> }
>();

/** About how many objects a walk will show: as many as are known of its lists. */
async function expectedOf(parts: ConsoleParts, { request }: Hole, nowMs: number): Promise<number> {
  let known = counted.get(parts);
  if (known === undefined || nowMs - known.atMs > COUNTED_FOR_MS) {
    const counts = new Map<string, number>();
    for (const kind of LIST_KINDS) counts.set(kind, await parts.known.count(kind));
    known = { atMs: nowMs, counts };
    counted.set(parts, known);
  }
  const { counts } = known;
  return (request?.kinds ?? []).reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
}
