// The caller's calendar list, and the colours. A calendar that is shared with a service account does not
// appear in its list automatically: the caller has to insert it.
import { type JsonObject, stringOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { calendarRefusal } from '../refusal.ts';
import type { Calendar } from './calendar.ts';
import { aboutOf } from './desk.ts';
import { type CalendarOffice, notFound } from './office.ts';

export class CalendarLists {
  readonly #office: CalendarOffice;
  readonly #listed = new Map<string, Set<string>>();

  constructor(office: CalendarOffice) {
    this.#office = office;
  }

  list(call: Call): Answer {
    const { email } = call.principal;
    this.#office.reach('primary', call.principal);
    const ids = [email, ...(this.#listed.get(email) ?? [])];
    const items = ids
      .map((id) => this.#office.calendar(id))
      .filter((calendar) => calendar !== undefined)
      .filter((calendar) => calendar.roleOf(email) !== undefined)
      .map((calendar) => entry(calendar, email));
    return {
      body: { kind: 'calendar#calendarList', etag: '"p1"', nextSyncToken: `list-${items.length}`, items },
    };
  }

  get(call: Call): Answer {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    if (!this.#isListed(calendar.id, call.principal.email)) throw notFound();
    return { body: entry(calendar, call.principal.email) };
  }

  insert(call: Call): Answer {
    const id = stringOf(call.body['id']);
    if (id === undefined) throw calendarRefusal(400, { reason: 'required', message: 'Missing calendar id.' });
    const calendar = this.#office.reach(id, call.principal);
    const listed = this.#listed.get(call.principal.email) ?? new Set();
    this.#listed.set(call.principal.email, listed.add(calendar.id));
    return { body: entry(calendar, call.principal.email) };
  }

  delete(call: Call): Answer {
    const id = call.path['calendarId'] ?? '';
    if (!this.#listed.get(call.principal.email)?.delete(id)) throw notFound();
    return { status: 204 };
  }

  colors(): Answer {
    const palette: JsonObject = {};
    for (const [i, background] of backgrounds.entries())
      palette[String(i + 1)] = { background, foreground: '#1d1d1d' };
    return {
      body: { kind: 'calendar#colors', updated: '2012-02-14T00:00:00.000Z', calendar: {}, event: palette },
    };
  }

  #isListed(id: string, email: string): boolean {
    return id === email || (this.#listed.get(email)?.has(id) ?? false);
  }
}

/** Events have eleven colours. */
const backgrounds = [
  '#a4bdfc',
  '#7ae7bf',
  '#dbadff',
  '#ff887c',
  '#fbd75b',
  '#ffb878',
  '#46d6db',
  '#e1e1e1',
  '#5484ed',
  '#51b749',
  '#dc2127',
];

function entry(calendar: Calendar, email: string): JsonObject {
  const shown: JsonObject = {
    kind: 'calendar#calendarListEntry',
    ...aboutOf(calendar),
    accessRole: calendar.roleOf(email),
    selected: true,
    defaultReminders: [],
  };
  if (calendar.id === email) shown['primary'] = true;
  return shown;
}
