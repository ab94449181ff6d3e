import { WorkerError } from '../engine/domain/errors.ts';
import { html } from './html.ts';
import type { ConsoleParts } from './parts.ts';
import { keyIn } from './story.ts';
import type { Answer, Visit } from './visit.ts';

/** `GET /console/row/<mirror>/<kind>/<id>`: redirects to the row where it is now. */
export async function answerRowLink(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const slash = visit.rest.indexOf('/');
  const [name, key] = [visit.rest.slice(0, slash), keyIn(visit.rest.slice(slash + 1))];
  if (!parts.hasGoogle || slash < 0 || key === undefined) return rowPage('gone', visit);
  try {
    const place = await parts.rows.placeOf(key, name);
    if (place === undefined) return rowPage('gone', visit);
    const { spreadsheetId, sheetId, row } = place;
    const book = `https://docs.google.com/spreadsheets/d/${encodeURIComponent(spreadsheetId)}/edit`;
    return { to: `${book}#gid=${sheetId}&range=A${row}` };
  } catch (err) {
    if (!(err instanceof WorkerError)) throw err;
    parts.log.debug({ err }, 'row not read');
    return rowPage('unread', visit);
  }
}

function rowPage(why: 'gone' | 'unread', { words }: Visit): Answer {
  const { story, errors } = words;
  return {
    title: story.rowGone,
    status: why === 'gone' ? 404 : 503,
    body: html`<section class="message"><h1>${story.rowGone}</h1><p>${
      why === 'gone' ? story.rowGoneText : story.rowUnreadText
    }</p><p><a href="/console">${errors.back}</a></p></section>`,
  };
}
