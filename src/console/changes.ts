// Changes of objects as they happen: the newest as a page, the following ones as server-sent events.
import type { Change } from '../engine/ports/console.ts';
import { isWanted, readChangeFilter } from './change-filter.ts';
import { CHANGES_HELD_MAX, ChangeReader, changeAtIn, changeAtText, type News } from './change-hub.ts';
import { forEyes } from './eyes.ts';
import { changeRows, changesPage } from './pages/changes.ts';
import type { ConsoleParts } from './parts.ts';
import type { PageStream } from './stream.ts';
import type { Answer, Visit } from './visit.ts';

/** Most changes that are read to find those that a filter shows. */
const READ_MAX = 1_000;

/** `GET /console/changes` */
export async function answerChanges(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const newest = await parts.changes.newest(READ_MAX);
  const filter = readChangeFilter(visit.query);
  const shown = newest.flatMap((change) => seenBy(visit, change) ?? []).slice(-CHANGES_HELD_MAX);
  const after = changeAtText(newest.at(-1)?.at ?? { id: '0-0', nth: 0 });
  return changesPage({ shown, filter, after, mirrors: parts.mirrors }, visit);
}

/**
 * A reader for the same query. It starts after the last change that the page shows: `after`, or the last event of a browser that
 * reconnects.
 */
export function changeReader(
  { clock }: Pick<ConsoleParts, 'clock'>,
  visit: Visit,
  about: { readonly stream: PageStream; readonly lastEvent: string | undefined },
): ChangeReader {
  return new ChangeReader(about.stream, {
    after: changeAtIn(about.lastEvent ?? visit.query.getAll('after').at(-1) ?? ''),
    see: (change) => seenBy(visit, change),
    frame: (news) => frameOf(news, { ...visit, nowMs: clock.now() }),
  });
}

/** A person without the right to see people searches masked texts, so a filter reveals no more than the list. */
function seenBy(visit: Visit, change: Change): Change | undefined {
  const seen = { ...change, ...forEyes(visit, { key: change.key, entry: change.entry }) };
  return isWanted(seen, readChangeFilter(visit.query)) ? seen : undefined;
}

function frameOf({ changes, missed, at }: News, visit: Visit): string {
  const data = {
    rows: String(changeRows(changes, visit)),
    missed: missed === 0 ? '' : visit.words.changes.missed(missed),
  };
  return `id: ${changeAtText(at)}\nevent: rows\ndata: ${JSON.stringify(data)}\n\n`;
}
