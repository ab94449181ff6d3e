// The requests that concern one calendar: list, changes, objects, writes. It knows addresses, versions and texts, and nothing of events.

import { DeferredError, RetryableError, WorkerError } from '../engine/errors.ts';
import { pathSpelled } from '../engine/ids.ts';
import { inParts } from '../engine/object.ts';
import type { BudgetRank } from '../engine/quotas.ts';
import type { CalendarIndex } from './calendar-index.ts';
import {
  type DavAccount,
  type DavAnswer,
  type DavCall,
  type DavCallParts,
  davCall,
  notCaldav,
  UNABLE,
} from './call.ts';
import { parseObject } from './content-lines.ts';
import {
  CHANGED,
  classifyDavFailure,
  DavFailure,
  LOST_TOKEN,
  NOT_FOUND,
  UID_TAKEN,
  withoutNamespace,
} from './errors.ts';
import { CAREFUL, type Quirks, quirksOf } from './known-servers.ts';
import {
  caldav,
  childOf,
  childrenOf,
  type DavResponse,
  dav,
  escapeXml,
  type Multistatus,
  readMultistatus,
} from './xml.ts';
import { zoneOf } from './zone-lines.ts';

export interface DavObject {
  readonly href: string;
  /** Exactly as the server wrote it; empty if it gave none. */
  readonly etag: string;
  readonly text: string;
}

export interface CalendarInfo {
  readonly name: string | undefined;
  /** IANA zone; undefined if the calendar has none, or calls it by a name of its own. */
  readonly zone: string | undefined;
  /** Undefined when the server does not say. */
  readonly mayWrite: boolean | undefined;
  readonly takesEvents: boolean;
  readonly hasSync: boolean;
  readonly syncToken: string | undefined;
  /** The principal whose calendar it is; undefined when the server does not say. */
  readonly owner: string | undefined;
}

/** Addresses with their versions. */
export interface Listing {
  readonly etags: ReadonlyMap<string, string>;
}

export interface SyncAnswer {
  /** With their versions. */
  readonly changed: ReadonlyMap<string, string>;
  readonly gone: readonly string[];
  readonly token: string | undefined;
  readonly answeredAtMs: number | undefined;
}

const XML = { 'content-type': 'application/xml; charset=utf-8' };
const NAMESPACES =
  'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:CS="http://calendarserver.org/ns/"';
/** Objects of one request: xandikos took 3.8 s for 100. */
const OBJECTS_AT_ONCE = 25;
/** Parts of one sync answer (507, RFC 6578, 3.6). */
const PARTS_MAX = 1_000;
const INFO_FOR_MS = 10 * 60_000;
const OWNER_FOR_MS = 86_400_000;

export interface DavParts extends DavCallParts {
  /** Notes the worker's own writes. Absent: nobody reads changes. */
  readonly index?: Pick<CalendarIndex, 'noteWrite'>;
  /** Shared by all ranks of the process. */
  readonly memory: DavMemory;
}

/** What one process knows of calendars. */
export class DavMemory {
  readonly infos = new Map<string, { readonly info: CalendarInfo; readonly atMs: number }>();
  readonly quirks = new Map<string, Quirks>();
  /** Calendars whose server takes none of its own weak versions as a condition. */
  readonly unconditional = new Set<string>();
  /** Whether a calendar's server says of each update that it made the object (201). */
  readonly saysMade = new Map<string, boolean>();
  /** Addresses of mail of a calendar's owner. */
  readonly owners = new Map<
    string,
    { readonly addresses: ReadonlySet<string>; readonly atMs: number; readonly forMs: number }
  >();
  /** Objects of a calendar that are listed and not shown, with the time since when. */
  readonly hidden = new Map<string, ReadonlyMap<string, number>>();
  readonly #objects = new Map<string, DavObject & { readonly atMs: number }>();
  #chars = 0;

  object(calendarId: string, href: string): (DavObject & { readonly atMs: number }) | undefined {
    return this.#objects.get(`${calendarId} ${href}`);
  }

  keep(calendarId: string, object: DavObject, atMs: number): void {
    this.forget(calendarId, object.href);
    this.#objects.set(`${calendarId} ${object.href}`, { ...object, atMs });
    this.#chars += object.text.length;
    for (const [key, { text }] of this.#objects) {
      if (this.#chars <= CHARS_KEPT_MAX) break;
      this.#objects.delete(key);
      this.#chars -= text.length;
    }
  }

  forget(calendarId: string, href: string): void {
    const key = `${calendarId} ${href}`;
    this.#chars -= this.#objects.get(key)?.text.length ?? 0;
    this.#objects.delete(key);
  }
}

/** Text of objects that a process keeps, so that a write need not read first. */
const CHARS_KEPT_MAX = 16_000_000;

export class DavCalendar {
  readonly id: string;
  readonly account: DavAccount;
  readonly #parts: DavParts;
  readonly #rank: BudgetRank | undefined;
  readonly #url: URL;

  constructor(
    parts: DavParts,
    at: { readonly id: string; readonly account: DavAccount; readonly rank?: BudgetRank | undefined },
  ) {
    this.#parts = parts;
    this.id = at.id;
    this.account = at.account;
    this.#rank = at.rank;
    this.#url = new URL(at.id.endsWith('/') ? at.id : `${at.id}/`);
  }

  get #target(): string {
    return `calendar:${this.id}`;
  }

  get #memory(): DavMemory {
    return this.#parts.memory;
  }

  /** Whether writes need no read before and after them. Unknown servers need both. */
  get quirks(): Quirks {
    if (this.#memory.unconditional.has(this.id)) return CAREFUL;
    return this.#memory.quirks.get(this.id) ?? CAREFUL;
  }

  /** A weak version never matches (RFC 9110, 13.1.1); a server whose versions only a proxy weakens knows the strong one. */
  #ifMatch(etag: string): Readonly<Record<string, string>> {
    const isWeak = etag.startsWith('W/');
    if (etag === '' || (isWeak && this.#memory.unconditional.has(this.id))) return {};
    return { 'if-match': isWeak ? etag.slice('W/'.length) : etag };
  }

  /** The condition failed. If the version is still this weak one, the server takes none of these: it is then read before and after each write. */
  async #doubt(href: string, etag: string): Promise<void> {
    if (!etag.startsWith('W/')) return;
    const now = await this.get(href);
    if (now !== 'absent' && now.etag === etag) this.#memory.unconditional.add(this.id);
    this.#memory.forget(this.id, href);
  }

  hrefOfName(name: string): string {
    return this.pathOf(name);
  }

  pathOf(href: string): string {
    return davPath(href, this.#url);
  }

  /** What the calendar says about itself. Rejects with `calendar-not-shared` if there is no calendar at this address. */
  async info({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<CalendarInfo> {
    const known = this.#memory.infos.get(this.id);
    const nowMs = this.#parts.clock.now();
    if (!fresh && known !== undefined && Math.abs(nowMs - known.atMs) < INFO_FOR_MS) return known.info;
    const body = propfind(INFO_PROPERTIES);
    const { multistatus } = await this.#multistatus({ method: 'PROPFIND', depth: '0', body });
    const own = this.#self(multistatus);
    const info = infoOf(own);
    this.#memory.infos.set(this.id, { info, atMs: nowMs });
    this.#learn(info.syncToken);
    return info;
  }

  /** Whose invitations and answers the calendar holds, in lower case: the owner's addresses (RFC 6638, 2.4.1), and the login. */
  async own(): Promise<ReadonlySet<string>> {
    const known = this.#memory.owners.get(this.id);
    const nowMs = this.#parts.clock.now();
    if (known !== undefined && Math.abs(nowMs - known.atMs) < known.forMs) return known.addresses;
    const { owner } = await this.info();
    const url = owner !== undefined && URL.canParse(owner, this.#url.href) && new URL(owner, this.#url);
    // The password goes to no other host.
    const told = url && url.origin === this.#url.origin ? await this.#addressesAt(url) : [];
    const addresses = new Set([this.account.user.toLowerCase(), ...(told ?? [])]);
    const forMs = told === undefined ? INFO_FOR_MS : OWNER_FOR_MS;
    this.#memory.owners.set(this.id, { addresses, atMs: nowMs, forMs });
    return addresses;
  }

  /** Undefined if nobody answers: the calendar itself may all the same. */
  async #addressesAt(principal: URL): Promise<readonly string[] | undefined> {
    const answer = await this.#call({
      ...{ method: 'PROPFIND', url: principal.href, headers: { ...XML, depth: '0' } },
      ...{ body: propfind('<C:calendar-user-address-set/>'), takes: [207, ...UNABLE] },
    }).catch((error: unknown) => {
      if (error instanceof WorkerError) return undefined;
      throw error;
    });
    if (answer === undefined) return undefined;
    const { status, body } = answer;
    const { responses = [] } = (status === 207 ? readMultistatus(body) : undefined) ?? {};
    const sets = responses.flatMap(({ found }) => found.get(caldav('calendar-user-address-set')) ?? []);
    const hrefs = sets.flatMap((set) => childrenOf(set, dav('href')).map(({ text }) => text.trim()));
    return hrefs.flatMap((href) => /^mailto:(\S+)$/i.exec(href)?.[1]?.toLowerCase() ?? []);
  }

  /** All objects with their versions. Proves that the calendar itself answers. */
  async list(): Promise<Listing> {
    const body = propfind('<D:getetag/><D:resourcetype/>');
    const { multistatus } = await this.#multistatus({ method: 'PROPFIND', depth: '1', body });
    this.#self(multistatus);
    const etags = new Map<string, string>();
    let isCut = false;
    for (const response of multistatus.responses) {
      const href = this.pathOf(response.href);
      const { status = 200 } = response;
      if (this.#isSelf(href)) isCut ||= status === 507;
      // A failure of the server about an object proves no absence.
      else if (!isCollection(response) && (status < 300 || status >= 500)) etags.set(href, etagIn(response));
    }
    if (!isCut) return { etags };
    const whole = await this.changesSince('');
    if (typeof whole !== 'string') return { etags: whole.changed };
    throw new RetryableError('caldav-unavailable', 'the CalDAV server lists a part of the calendar only', {
      target: this.#target,
    });
  }

  /** The names of all objects: the last parts of their addresses. */
  async names(): Promise<ReadonlySet<string>> {
    const { etags } = await this.list();
    return new Set([...etags.keys()].map((href) => href.slice(href.lastIndexOf('/') + 1)));
  }

  /** As if the server had refused a write. */
  refusal(reason: string): WorkerError {
    return classifyDavFailure(new DavFailure({ status: 403, reasons: [reason] }), {
      ...{ target: this.#target, account: `caldav:${this.account.name}`, direction: 'write', isItem: false },
    });
  }

  /**
   * Changes since a token of the server. `lost`: everything must be listed. `refused`: as well, because the server does not know the token
   * that it gave: it was put back to an earlier state, or has forgotten.
   */
  async changesSince(token: string): Promise<SyncAnswer | 'lost' | 'refused'> {
    const changed = new Map<string, string>();
    const gone = new Set<string>();
    let next: string | undefined = token;
    let answeredAtMs: number | undefined;
    for (let part = 0; part < PARTS_MAX; part += 1) {
      const answer = await this.#syncPart(next ?? token);
      if (typeof answer === 'string') return answer;
      const { multistatus, atMs } = answer;
      answeredAtMs ??= atMs;
      let isCut = false;
      for (const response of multistatus.responses) {
        const href = this.pathOf(response.href);
        if (this.#isSelf(href)) {
          isCut ||= response.status === 507;
          continue;
        }
        if (isCollection(response)) continue;
        const isGone = response.status === 404 || response.status === 410;
        if (isGone) gone.add(href);
        else changed.set(href, etagIn(response));
        (isGone ? changed : gone).delete(href);
      }
      const isSame = multistatus.syncToken === next;
      next = multistatus.syncToken ?? next;
      // The rest would never be told.
      if (isCut && (isSame || multistatus.syncToken === undefined)) return 'lost';
      if (!isCut) break;
    }
    this.#learn(next);
    if (isEarlier(next, token)) return 'refused';
    return { changed, gone: [...gone], token: next, answeredAtMs };
  }

  /**
   * The present token of the server; undefined where it has none. Read before a list, so that nothing falls between. It comes from a report:
   * the calendar's own property is a second ahead on SOGo.
   */
  async token(): Promise<string | undefined> {
    const { hasSync } = await this.info({ fresh: true });
    if (!hasSync) return undefined;
    const answer = await this.changesSince('');
    return typeof answer === 'string' ? undefined : answer.token;
  }

  async #syncPart(
    token: string,
  ): Promise<{ readonly multistatus: Multistatus; readonly atMs: number | undefined } | 'lost' | 'refused'> {
    const body = `<?xml version="1.0" encoding="utf-8"?><D:sync-collection ${NAMESPACES}><D:sync-token>${escapeXml(token)}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/><D:resourcetype/></D:prop></D:sync-collection>`;
    const answer = await this.#call({
      ...{ method: 'REPORT', url: this.#url.href, headers: { ...XML, depth: '0' }, body },
      takes: [207, 400, 403, 404, 405, 409, 410, 412, 422, 500, 501, 507],
    });
    // Whatever a server says to a token: it knows no changes since then. What is really wrong, the list shows.
    const isRefused =
      answer.body.includes(LOST_TOKEN) || (answer.status === 500 && this.quirks.failsOnUnknownTokens);
    if (answer.status !== 207 && isRefused) return 'refused';
    if (answer.status !== 207) return 'lost';
    return { multistatus: this.#read(answer), atMs: dateOf(answer) };
  }

  /** `absent`: the server has no such object, which proves nothing about the event. */
  async get(href: string): Promise<DavObject | 'absent'> {
    const answer = await this.#call({
      ...{ method: 'GET', url: this.#urlOf(href), isItem: true, takes: [200, 404, 410] },
      // A proxy that compresses gives the event another version, with which it cannot be written (`W/"…"`, `"…-gzip"`).
      headers: { accept: 'text/calendar', 'accept-encoding': 'identity' },
    });
    if (answer.status !== 200) {
      this.#memory.forget(this.id, href);
      return 'absent';
    }
    if (!/^\s*BEGIN:/i.test(answer.body.replace(/^\uFEFF/, ''))) {
      // The text of a program that is no calendar is odd; a page is nobody's event.
      if (isPage(answer)) throw this.#page(answer);
    }
    const object = { href, etag: answer.headers.get('etag') ?? '', text: answer.body.replace(/^\uFEFF/, '') };
    this.#memory.keep(this.id, object, this.#parts.clock.now());
    return object;
  }

  /** Those of the objects that the server gives. One that is missing may exist (rule 15). */
  async getAll(hrefs: readonly string[]): Promise<readonly DavObject[]> {
    const found: DavObject[] = [];
    for (const some of inParts(hrefs, OBJECTS_AT_ONCE)) found.push(...(await this.#getSome(some)));
    return found;
  }

  async #getSome(hrefs: readonly string[]): Promise<readonly DavObject[]> {
    if (hrefs.length === 0) return [];
    const named = hrefs.map((href) => `<D:href>${escapeXml(href)}</D:href>`).join('');
    const body = `<?xml version="1.0" encoding="utf-8"?><C:calendar-multiget ${NAMESPACES}><D:prop><D:getetag/><C:calendar-data/></D:prop>${named}</C:calendar-multiget>`;
    let multistatus: Multistatus;
    try {
      ({ multistatus } = await this.#multistatus({ method: 'REPORT', depth: '1', body }));
    } catch (error) {
      const isLarge = error instanceof RetryableError && error.code === 'caldav-answer-too-large';
      if (!isLarge || hrefs.length === 1) throw error;
      const half = Math.ceil(hrefs.length / 2);
      return [...(await this.#getSome(hrefs.slice(0, half))), ...(await this.#getSome(hrefs.slice(half)))];
    }
    const asked = new Set(hrefs);
    return multistatus.responses.flatMap((response) => {
      const text = response.found.get(caldav('calendar-data'))?.text;
      const href = this.pathOf(response.href);
      if (text === undefined || !asked.has(href)) return [];
      const object = { href, etag: etagIn(response), text };
      this.#memory.keep(this.id, object, this.#parts.clock.now());
      return [object];
    });
  }

  /**
   * Stores an object. `changed`: it is not in this state, or exists already. `uid-taken`: another object has its UID; `href` is where, if the
   * server says. `isMade`: the object was gone, and the server made it anew in spite of an If-Match.
   */
  async put(href: string, text: string, condition: { readonly ifMatch: string } | 'new'): Promise<PutAnswer> {
    const put = await this.#put(href, text, condition);
    if (put.is !== 'stored' || !put.isMade || condition === 'new' || this.quirks.keepsPreconditions)
      return put;
    const says = this.#memory.saysMade.get(this.id);
    if (says !== undefined) return { ...put, isMade: !says };
    // Some servers answer 201 to each update: to the same text once more, too.
    const again = await this.#put(href, text, { ifMatch: put.etag });
    if (again.is !== 'stored') return again;
    this.#memory.saysMade.set(this.id, again.isMade);
    return { ...again, isMade: !again.isMade };
  }

  async #put(
    href: string,
    text: string,
    condition: { readonly ifMatch: string } | 'new',
  ): Promise<PutAnswer> {
    const headers = {
      'content-type': 'text/calendar; charset=utf-8',
      ...(condition === 'new' ? { 'if-none-match': '*' } : this.#ifMatch(condition.ifMatch)),
    };
    this.#memory.forget(this.id, href);
    let answer: DavAnswer;
    try {
      answer = await this.#call({
        ...{ method: 'PUT', url: this.#urlOf(href), headers, body: text },
        ...{ direction: 'write', isItem: true, takes: [200, 201, 204, 207] },
      });
      if (answer.status === 200 && isPage(answer)) throw this.#page(answer);
      // A refusal in the form of an answer about several addresses (xandikos).
      if (answer.status === 207) throw this.#refusalIn(answer);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (error.code === UID_TAKEN) {
        const at = error.cause instanceof DavFailure ? error.cause.href : undefined;
        return { is: 'uid-taken', ...(at !== undefined && { href: this.pathOf(at) }) };
      }
      if (error.code === CHANGED && condition !== 'new') await this.#doubt(href, condition.ifMatch);
      // 404: the object is gone, or its calendar is. The caller looks.
      if (error.code === CHANGED || error.code === NOT_FOUND) return { is: 'changed' };
      throw error;
    }
    await this.#parts.index?.noteWrite(this.id, href);
    // A 200 may be of anybody: what is stored is read then.
    const etag = answer.status === 200 ? '' : (answer.headers.get('etag') ?? '');
    if (etag !== '') this.#memory.keep(this.id, { href, etag, text }, this.#parts.clock.now());
    return { is: 'stored', etag, isMade: answer.status === 201 };
  }

  /** `absent`: there was nothing, which proves nothing about the event. */
  async remove(href: string, etag: string): Promise<'removed' | 'absent' | 'changed'> {
    this.#memory.forget(this.id, href);
    try {
      const answer = await this.#call({
        ...{ method: 'DELETE', url: this.#urlOf(href), direction: 'write', isItem: true },
        ...{ headers: this.#ifMatch(etag), takes: [200, 202, 204, 404, 410, 207] },
      });
      const isRefused = answer.status === 200 && isPage(answer) && !isDone(answer);
      if (answer.status === 207 || isRefused) throw this.#refusalIn(answer);
      if (answer.status === 404 || answer.status === 410) return 'absent';
      await this.#parts.index?.noteWrite(this.id);
      return 'removed';
    } catch (error) {
      if (!(error instanceof RetryableError && error.code === CHANGED)) throw error;
      await this.#doubt(href, etag);
      return 'changed';
    }
  }

  #refusalIn(answer: DavAnswer): Error {
    const multistatus = readMultistatus(answer.body);
    const [response] = multistatus?.responses ?? [];
    if (multistatus === undefined || response === undefined) return this.#page(answer);
    const failure = new DavFailure({
      status: response.status ?? 412,
      reasons: response.refusals.map(withoutNamespace),
    });
    const call = {
      target: this.#target,
      account: `caldav:${this.account.name}`,
      direction: 'write',
      isItem: true,
    } as const;
    return classifyDavFailure(failure, call);
  }

  #learn(token: string | undefined): void {
    if (token !== undefined) this.#memory.quirks.set(this.id, quirksOf(token));
  }

  #isSelf(href: string): boolean {
    const own = this.pathOf(this.#url.pathname);
    return href === own || `${href}/` === own;
  }

  /** The answer about the calendar itself. */
  #self({ responses }: Multistatus): DavResponse {
    const own = responses.find(
      ({ href, found }) => found.has(dav('resourcetype')) && this.#isSelf(this.pathOf(href)),
    );
    const types = own?.found.get(dav('resourcetype'));
    if (own !== undefined && types !== undefined && childOf(types, caldav('calendar')) !== undefined)
      return own;
    const failure = new DavFailure({ status: 404 });
    throw classifyDavFailure(failure, {
      ...{ target: this.#target, account: `caldav:${this.account.name}`, direction: 'read', isItem: false },
    });
  }

  async #multistatus(asked: {
    readonly method: string;
    readonly depth: string;
    readonly body: string;
  }): Promise<{ readonly multistatus: Multistatus; readonly atMs: number | undefined }> {
    const { method, depth, body } = asked;
    const answer = await this.#call({
      ...{ method, url: this.#url.href, headers: { ...XML, depth }, body, takes: [207] },
    });
    return { multistatus: this.#read(answer), atMs: dateOf(answer) };
  }

  #read(answer: DavAnswer): Multistatus {
    const multistatus = readMultistatus(answer.body);
    if (multistatus === undefined) throw this.#page(answer);
    return multistatus;
  }

  #page({ status }: DavAnswer): Error {
    const error = notCaldav(status, { target: this.#target, account: this.account });
    if (error instanceof DeferredError && error.advice !== undefined) {
      const { code, message, advice, target = this.#target } = error;
      void this.#parts.problems.raise({ target, code, message, advice }).catch(() => undefined);
    }
    return error;
  }

  #urlOf(href: string): string {
    return new URL(href, this.#url).href;
  }

  #call(asked: Omit<DavCall, 'account' | 'target' | 'rank'>): Promise<DavAnswer> {
    return davCall(this.#parts, { ...asked, account: this.account, target: this.#target, rank: this.#rank });
  }
}

/** The path of an address that a server wrote, in its one spelling. */
export function davPath(href: string, base: URL): string {
  return pathSpelled(new URL(href, base).pathname);
}

export type PutAnswer =
  | { readonly is: 'stored'; readonly etag: string; readonly isMade: boolean }
  | { readonly is: 'changed' }
  | { readonly is: 'uid-taken'; readonly href?: string };

const INFO_PROPERTIES =
  '<D:resourcetype/><D:displayname/><D:owner/><D:sync-token/><D:current-user-privilege-set/><D:supported-report-set/><C:supported-calendar-component-set/><C:calendar-timezone/>';

export function propfind(properties: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><D:propfind ${NAMESPACES}><D:prop>${properties}</D:prop></D:propfind>`;
}

/** Asks a calendar for its events with this UID (RFC 4791, 7.8.6). */
export function queryOf(uid: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><C:calendar-query ${NAMESPACES}><D:prop><D:getetag/><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:prop-filter name="UID"><C:text-match collation="i;octet">${escapeXml(uid)}</C:text-match></C:prop-filter></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
}

export function infoOf({ found }: DavResponse): CalendarInfo {
  const name = found.get(dav('displayname'))?.text.trim();
  const token = found.get(dav('sync-token'))?.text.trim();
  const components = found.get(caldav('supported-calendar-component-set'));
  const names =
    components && childrenOf(components, caldav('comp')).map(({ attributes }) => attributes['name']);
  return {
    name: name === '' ? undefined : name,
    zone: zoneIn(found.get(caldav('calendar-timezone'))?.text),
    mayWrite: mayWrite(found.get(dav('current-user-privilege-set'))),
    takesEvents: names === undefined || names.length === 0 || names.includes('VEVENT'),
    hasSync: reportsIn(found.get(dav('supported-report-set'))).includes(dav('sync-collection')),
    syncToken: token === '' ? undefined : token,
    owner: childOf(found.get(dav('owner')), dav('href'))?.text.trim(),
  };
}

type Element = NonNullable<ReturnType<DavResponse['found']['get']>>;

/** With and without `report` around the names (xandikos). */
function reportsIn(set: Element | undefined): readonly string[] {
  return (set?.children ?? []).flatMap((supported) =>
    supported.children.flatMap((child) =>
      child.name === dav('report') ? child.children.map(({ name }) => name) : [child.name],
    ),
  );
}

const WRITING = ['all', 'write', 'write-content'].map(dav);

function mayWrite(set: Element | undefined): boolean | undefined {
  if (set === undefined) return undefined;
  const names = childrenOf(set, dav('privilege')).flatMap(({ children }) => children.map(({ name }) => name));
  return names.length === 0 ? undefined : WRITING.some((name) => names.includes(name));
}

function zoneIn(text: string | undefined): string | undefined {
  const calendar = text === undefined ? undefined : parseObject(text.trim());
  for (const item of calendar?.items ?? [])
    if ('items' in item && item.name === 'VTIMEZONE') return zoneOf(item);
  return undefined;
}

/** The tokens of many servers end with a number that only grows. */
function isEarlier(next: string | undefined, token: string): boolean {
  const [now, before] = [next ?? '', token].map((text) => {
    const digits = text.slice(-TOKEN_DIGITS_MAX).split(/\D/).at(-1) ?? '';
    return { form: text.slice(0, text.length - digits.length), count: Number(digits) };
  });
  return now !== undefined && before !== undefined && now.form === before.form && now.count < before.count;
}
const TOKEN_DIGITS_MAX = 15;

function isCollection({ found }: DavResponse): boolean {
  const types = found.get(dav('resourcetype'));
  return types !== undefined && childOf(types, dav('collection')) !== undefined;
}

function etagIn({ found }: DavResponse): string {
  return found.get(dav('getetag'))?.text.trim() ?? '';
}

function isPage({ body }: DavAnswer): boolean {
  return /^\s*</.test(body);
}

/** radicale tells with a 200 what it has removed. */
function isDone({ body }: DavAnswer): boolean {
  const { responses = [] } = readMultistatus(body) ?? {};
  return responses.length > 0 && responses.every(({ status }) => status !== undefined && status < 300);
}

function dateOf({ headers }: DavAnswer): number | undefined {
  return Date.parse(headers.get('date') ?? '') || undefined;
}
