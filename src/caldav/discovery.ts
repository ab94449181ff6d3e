// Finds the calendars of an account (RFC 6764 and RFC 4791, 6.2). In: the domain of a service, a server, a principal, a home or a calendar.
import { DeferredError, type WorkerError } from '../engine/errors.ts';
import { davPath, infoOf, propfind, queryOf } from './calendar-requests.ts';
import { type DavAccount, type DavAnswer, type DavCallParts, davCall, notCaldav, UNABLE } from './call.ts';
import { componentsOf, parseObject, propertyText } from './content-lines.ts';
import { classifyDavFailure, DavFailure } from './errors.ts';
import {
  caldav,
  childOf,
  childrenOf,
  type DavResponse,
  dav,
  type Multistatus,
  readMultistatus,
} from './xml.ts';

export interface ListedDavCalendar {
  /** Its address, the id of the calendar in the mapping. */
  readonly id: string;
  readonly name: string | undefined;
  readonly mayWrite: boolean | undefined;
  readonly takesEvents: boolean;
  readonly hasSync: boolean;
}

const WELL_KNOWN = '/.well-known/caldav';
const REDIRECTS = [301, 302, 303, 307, 308];
const HOPS_MAX = 5;
const PROPERTIES = '<D:resourcetype/><D:current-user-principal/><C:calendar-home-set/>';
const CALENDARS =
  '<D:resourcetype/><D:displayname/><D:current-user-privilege-set/><D:supported-report-set/><C:supported-calendar-component-set/>';

/** Rejects with one of the three error families; `caldav-no-home` if the server does not say where the calendars are. */
export async function listDavCalendars(
  parts: DavCallParts,
  account: DavAccount,
): Promise<readonly ListedDavCalendar[]> {
  const asking = { parts, account };
  const { found, homes, isCalendar } = await start(asking);
  const listed = new Map<string, ListedDavCalendar>();
  const collect = (multistatus: Multistatus, base: URL) => {
    for (const response of multistatus.responses) {
      const calendar = calendarIn(response, base);
      if (calendar !== undefined) listed.set(calendar.id, calendar);
    }
  };
  // A home also lists itself, where it is a calendar.
  for (const home of isCalendar ? [found] : homes) {
    const { multistatus, url } = await ask(asking, home, {
      properties: CALENDARS,
      depth: isCalendar ? '0' : '1',
    });
    collect(multistatus, url);
  }
  return [...listed.values()];
}

/**
 * Whether a calendar beside this one shows a live event with the UID: people dragged it there, and deleted nothing (rule 14). `searched`:
 * calendars that are not asked again. A calendar that cannot be searched shows nothing.
 */
export async function isBeside(
  parts: DavCallParts,
  account: DavAccount,
  {
    calendarId,
    uid,
    searched,
  }: { readonly calendarId: string; readonly uid: string; readonly searched: readonly string[] },
): Promise<boolean> {
  const home = new URL('..', addressOf(calendarId));
  const listed = await answersOf(parts, account, {
    method: 'PROPFIND',
    url: home,
    body: propfind(CALENDARS),
  });
  const known = new Set(
    [calendarId, ...searched].filter((id) => URL.canParse(id)).map((id) => spelledOf(addressOf(id))),
  );
  const others = listed
    .flatMap((response) => calendarIn(response, home) ?? [])
    // The password goes to no other host.
    .filter(({ id, takesEvents }) => takesEvents && new URL(id).origin === home.origin)
    .filter(({ id }) => !known.has(spelledOf(new URL(id))));
  const body = queryOf(uid);
  for (const { id } of others) {
    const found = await answersOf(parts, account, { method: 'REPORT', url: new URL(id), body });
    if (found.some((response) => isLiveWith(uid, response))) return true;
  }
  return false;
}

/** Empty if the server cannot say. */
async function answersOf(
  parts: DavCallParts,
  account: DavAccount,
  { method, url, body }: { readonly method: string; readonly url: URL; readonly body: string },
): Promise<readonly DavResponse[]> {
  const answer = await davCall(parts, {
    ...{ account, target: `caldav:${account.name}`, method, url: url.href, body },
    headers: { 'content-type': 'application/xml; charset=utf-8', depth: '1' },
    takes: [207, ...UNABLE],
  });
  return (answer.status === 207 ? readMultistatus(answer.body) : undefined)?.responses ?? [];
}

/** A server finds parts of a UID, too. */
function isLiveWith(uid: string, { found }: DavResponse): boolean {
  const parsed = parseObject(found.get(caldav('calendar-data'))?.text ?? '');
  const events = parsed === undefined ? [] : componentsOf(parsed, 'VEVENT');
  return events.some(
    (event) =>
      propertyText(event, 'UID')?.trim() === uid &&
      propertyText(event, 'STATUS')?.trim().toUpperCase() !== 'CANCELLED',
  );
}

function addressOf(calendarId: string): URL {
  return new URL(calendarId.endsWith('/') ? calendarId : `${calendarId}/`);
}

function spelledOf(address: URL): string {
  return address.host + davPath(address.pathname, address);
}

interface Asking {
  readonly parts: DavCallParts;
  readonly account: DavAccount;
}

interface Started {
  readonly found: URL;
  readonly homes: readonly URL[];
  readonly isCalendar: boolean;
}

/** The address of the YAML first: a path names something. A bare server is asked where CalDAV is, and then itself. */
async function start(asking: Asking): Promise<Started> {
  const given = new URL(asking.account.url);
  const tries = given.pathname === '/' ? [new URL(WELL_KNOWN, given), given] : [given];
  let refused: unknown;
  for (const url of tries) {
    try {
      const started = await startAt(asking, url);
      if (started !== undefined) return started;
    } catch (error) {
      // A page or nothing at one address says nothing about the other; a wrong password is wrong everywhere.
      if (!isElsewhere(error)) throw error;
      refused ??= error;
    }
  }
  if (refused !== undefined && tries.length === 1) throw refused;
  throw noHome(asking.account, refused);
}

async function startAt(asking: Asking, url: URL): Promise<Started | undefined> {
  const first = await ask(asking, url, { properties: PROPERTIES, depth: '0' });
  const own = first.multistatus.responses[0];
  if (own === undefined) return undefined;
  const types = own.found.get(dav('resourcetype'));
  if (types !== undefined && childOf(types, caldav('calendar')) !== undefined)
    return { found: first.url, homes: [], isCalendar: true };
  const homes = homesIn(own, first.url, asking.account);
  if (homes.length > 0) return { found: first.url, homes, isCalendar: false };
  const principal = own.found.get(dav('current-user-principal'));
  if (principal !== undefined && childOf(principal, dav('unauthenticated')) !== undefined)
    throw classifyDavFailure(new DavFailure({ status: 401 }), failed(asking.account));
  const href = childOf(principal, dav('href'))?.text.trim();
  if (href !== undefined && href !== '') {
    const at = new URL(href, first.url);
    if (isSameService(at, asking.account)) {
      const { multistatus, url: base } = await ask(asking, at, { properties: PROPERTIES, depth: '0' });
      const [answer] = multistatus.responses;
      const named = answer === undefined ? [] : homesIn(answer, base, asking.account);
      if (named.length > 0) return { found: base, homes: named, isCalendar: false };
    }
  }
  // The address itself may be the home.
  const { multistatus, url: base } = await ask(asking, first.url, { properties: CALENDARS, depth: '1' });
  const hasCalendars = multistatus.responses.some((response) => calendarIn(response, base) !== undefined);
  return hasCalendars ? { found: base, homes: [base], isCalendar: false } : undefined;
}

function homesIn({ found }: DavResponse, base: URL, account: DavAccount): readonly URL[] {
  const set = found.get(caldav('calendar-home-set'));
  const hrefs = set === undefined ? [] : childrenOf(set, dav('href')).map(({ text }) => text.trim());
  return hrefs
    .filter((href) => href !== '')
    .map((href) => new URL(href, base))
    .filter((url) => isSameService(url, account));
}

function calendarIn({ href, found }: DavResponse, base: URL): ListedDavCalendar | undefined {
  const types = found.get(dav('resourcetype'));
  if (types === undefined || childOf(types, caldav('calendar')) === undefined) return undefined;
  const { name, mayWrite, takesEvents, hasSync } = infoOf({ href, found, status: undefined, refusals: [] });
  const url = new URL(href, base);
  const id = url.href.endsWith('/') ? url.href : `${url.href}/`;
  return { id, name, mayWrite, takesEvents, hasSync };
}

/** Follows redirects to the same host and to https only: the password goes along. */
async function ask(
  { parts, account }: Asking,
  url: URL,
  { properties, depth }: { readonly properties: string; readonly depth: string },
): Promise<{ readonly multistatus: Multistatus; readonly url: URL }> {
  let at = url;
  for (let hops = 0; hops <= HOPS_MAX; hops += 1) {
    const answer: DavAnswer = await davCall(parts, {
      ...{ account, target: `caldav:${account.name}`, method: 'PROPFIND', url: at.href },
      headers: { 'content-type': 'application/xml; charset=utf-8', depth },
      ...{ body: propfind(properties), takes: [207, 200, ...REDIRECTS] },
    });
    const location = answer.headers.get('location');
    if (REDIRECTS.includes(answer.status) && location !== null && location !== '') {
      const next = new URL(location, at);
      const isSafe =
        next.hostname === at.hostname && (next.protocol === 'https:' || next.protocol === at.protocol);
      if (!isSafe) throw refusedRedirect(account);
      at = next;
      continue;
    }
    const multistatus = answer.status === 207 ? readMultistatus(answer.body) : undefined;
    if (multistatus === undefined)
      throw notCaldav(answer.status, { target: `caldav:${account.name}`, account });
    return { multistatus, url: at };
  }
  throw refusedRedirect(account);
}

/** The same host, or one of the same domain: services spread accounts over several hosts. */
export function isSameService(url: URL, account: Pick<DavAccount, 'url'>): boolean {
  const given = new URL(account.url);
  if (url.protocol !== 'https:' && url.protocol !== given.protocol) return false;
  const domain = given.hostname.split('.').slice(-2).join('.');
  const isName = /[a-z]/i.test(domain) && domain.includes('.');
  return url.hostname === given.hostname || (isName && url.hostname.endsWith(`.${domain}`));
}

function isElsewhere(error: unknown): boolean {
  const code = (error as Partial<WorkerError>).code ?? '';
  return [
    'caldav-not-caldav',
    'calendar-not-shared',
    'calendar-forbidden',
    'caldav-refused',
    'caldav-unavailable',
  ].includes(code);
}

function failed({ name }: DavAccount) {
  return { target: `caldav:${name}`, account: `caldav:${name}`, direction: 'read', isItem: false } as const;
}

const PAUSE_MS = 20_000;

function noHome({ name }: DavAccount, cause: unknown): DeferredError {
  return new DeferredError(
    'caldav-no-home',
    'the server does not say where the calendars of the account are',
    {
      ...{ target: `caldav:${name}`, retryAfterMs: PAUSE_MS, cause },
      advice:
        'Write the address of the calendars as url of the account. Calendar programs show it, for example https://cloud.clinic.example/remote.php/dav/calendars/anna/.',
    },
  );
}

function refusedRedirect({ name }: DavAccount): DeferredError {
  return new DeferredError('caldav-redirected', 'the CalDAV server leads to another host or to plain http', {
    ...{ target: `caldav:${name}`, retryAfterMs: PAUSE_MS },
    advice:
      'Write the address to which it leads as url of the account, if it is right: the password is sent there.',
  });
}
