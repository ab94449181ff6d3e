import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Account } from './server.ts';

/** One answer of a server, as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Plain requests as a person's program sends them: an independent reading of RFC 4791, 4918 and 6578, without the worker's own client. */
export class Requests {
  readonly #account: Account;

  constructor(account: Account) {
    this.#account = account;
  }

  async send(
    method: string,
    url: string,
    {
      body,
      headers = {},
    }: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    const { user, password } = this.#account;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    // A connection of its own: SOGo closes those that it has promised to keep.
    const sent = request(url, { method, agent: false, headers: { authorization, ...headers } });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return {
      status: answer.statusCode ?? 0,
      headers: new Headers(pairs),
      text: (await buffer(answer)).toString('utf8'),
    };
  }

  /** The calendar's address. */
  async makeCalendar(name: string, extra = ''): Promise<string> {
    const url = `${this.#account.home}${name}/`;
    const body = `<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>${name}</D:displayname>${extra}</D:prop></D:set></C:mkcalendar>`;
    const { status, text } = await this.send('MKCALENDAR', url, { body, headers: XML });
    if (status !== 201) throw new Error(`MKCALENDAR was answered ${status}: ${text.slice(0, 300)}`);
    return url;
  }

  /** Sets properties of a calendar, as far as the server takes them. */
  set(calendar: string, properties: string): Promise<Answer> {
    const body = `<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>${properties}</D:prop></D:set></D:propertyupdate>`;
    return this.send('PROPPATCH', calendar, { body, headers: XML });
  }

  put(url: string, text: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('PUT', url, {
      body: text,
      headers: { 'content-type': 'text/calendar; charset=utf-8', ...headers },
    });
  }

  get(url: string): Promise<Answer> {
    return this.send('GET', url);
  }

  remove(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('DELETE', url, { headers });
  }

  propfind(url: string, depth: '0' | '1', properties: string): Promise<Answer> {
    const body = `<?xml version="1.0"?><D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/"><D:prop>${properties}</D:prop></D:propfind>`;
    return this.send('PROPFIND', url, { body, headers: { ...XML, depth } });
  }

  /** Addresses of all events of a calendar. */
  async list(calendar: string): Promise<readonly string[]> {
    const { text } = await this.propfind(calendar, '1', '<D:getetag/><D:resourcetype/>');
    return responsesOf(text)
      .filter((each) => !/<(?:\w+:)?collection\b/.test(each))
      .map((each) => new URL(hrefOf(each), calendar).href);
  }

  /** A report of changes since the token; an empty one asks for all. */
  async sync(calendar: string, token: string): Promise<SyncAnswer> {
    const body = `<?xml version="1.0"?><D:sync-collection xmlns:D="DAV:"><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop></D:sync-collection>`;
    const answer = await this.send('REPORT', calendar, { body, headers: { ...XML, depth: '0' } });
    const named = responsesOf(answer.text).map((each) => ({
      name: hrefOf(each).split('/').at(-1) ?? '',
      isGone: /<(?:\w+:)?status>[^<]* 404 /.test(each),
    }));
    return {
      status: answer.status,
      text: answer.text,
      token: /<(?:\w+:)?sync-token[^>]*>([^<]*)</.exec(answer.text)?.[1] ?? '',
      live: named.filter(({ isGone }) => !isGone).map(({ name }) => name),
      gone: named.filter(({ isGone }) => isGone).map(({ name }) => name),
    };
  }
}

export interface SyncAnswer {
  readonly status: number;
  readonly text: string;
  readonly token: string;
  /** Last parts of the addresses, in the server's order. */
  readonly live: readonly string[];
  readonly gone: readonly string[];
}

const XML = { 'content-type': 'application/xml; charset=utf-8' };

function responsesOf(text: string): readonly string[] {
  return text.split(/<(?:\w+:)?response[\s>]/).slice(1);
}

function hrefOf(response: string): string {
  return /<(?:\w+:)?href[^>]*>([^<]*)</.exec(response)?.[1]?.trim() ?? '';
}
