// Answers of CalDAV servers (RFC 4918, 13). The text may be anything: no entities are resolved, and depth and size are bounded.
import { parser as openParser, type QualifiedTag, type SAXOptions } from 'sax';

export const DAV = 'DAV:';
export const CALDAV = 'urn:ietf:params:xml:ns:caldav';

/** An element by its namespace and name. */
export interface XmlElement {
  /** `DAV: href`. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const DEPTH_MAX = 24;
const ELEMENTS_MAX = 500_000;

interface Open {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The root element. Undefined for text that is no XML within the bounds. */
export function parseXml(text: string): XmlElement | undefined {
  const parser = openParser(true, { xmlns: true, strictEntities: true } as SAXOptions);
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let isRefused = false;
  const refuse = (): void => {
    isRefused = true;
  };
  parser.onerror = refuse;
  // A document type may define entities, and no server sends one.
  parser.ondoctype = refuse;
  parser.onopentag = (tag) => {
    const { uri, local, attributes } = tag as QualifiedTag;
    elements += 1;
    if (open.length === DEPTH_MAX || elements > ELEMENTS_MAX) refuse();
    const values = Object.fromEntries(
      Object.values(attributes).map(({ local: name, value }) => [name, value]),
    );
    open.push({ name: `${uri} ${local}`, children: [], text: '', attributes: values });
  };
  const addText = (part: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += part;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    const closed = open.pop();
    if (closed === undefined) return;
    const parent = open.at(-1);
    if (parent === undefined) root = closed;
    else parent.children.push(closed);
  };
  try {
    for (let at = 0; at < text.length && !isRefused; at += CHUNK) parser.write(text.slice(at, at + CHUNK));
    if (!isRefused) parser.close();
  } catch {
    return undefined;
  }
  return isRefused ? undefined : root;
}

/** After a refusal no more is read. */
const CHUNK = 64 * 1024;

export function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}

export function childOf(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

export const dav = (name: string): string => `${DAV} ${name}`;
export const caldav = (name: string): string => `${CALDAV} ${name}`;

/** The version of a whole calendar, which no RFC has and all servers do (CalendarServer, caldav-ctag). */
export const CTAG = 'http://calendarserver.org/ns/ getctag';

/** What a multistatus says of one address. */
export interface DavResponse {
  /** As written; see `pathOf`. */
  readonly href: string;
  /** The whole address has it; undefined where only properties have one. */
  readonly status: number | undefined;
  /** Properties that were found, by their names. */
  readonly found: ReadonlyMap<string, XmlElement>;
  /** Names of the conditions in `error`. */
  readonly refusals: readonly string[];
}

export interface Multistatus {
  readonly responses: readonly DavResponse[];
  readonly syncToken: string | undefined;
}

/** Undefined for a text that is no multistatus: a proxy's page, perhaps. */
export function readMultistatus(text: string): Multistatus | undefined {
  const root = parseXml(text);
  if (root?.name !== dav('multistatus')) return undefined;
  const responses = childrenOf(root, dav('response')).flatMap((response) =>
    childrenOf(response, dav('href')).map((href) => readResponse(response, href.text.trim())),
  );
  const token = childOf(root, dav('sync-token'))?.text.trim();
  return { responses, syncToken: token === '' ? undefined : token };
}

function readResponse(response: XmlElement, href: string): DavResponse {
  const found = new Map<string, XmlElement>();
  for (const part of childrenOf(response, dav('propstat'))) {
    const status = statusIn(childOf(part, dav('status')));
    if (status === undefined || status < 200 || status > 299) continue;
    for (const property of childOf(part, dav('prop'))?.children ?? []) found.set(property.name, property);
  }
  const error = childOf(response, dav('error'));
  return { href, status: statusIn(childOf(response, dav('status'))), found, refusals: namesIn(error) };
}

/** The conditions that an error names (RFC 4918, 16), such as `DAV: need-privileges`. Empty for any other body. */
export function refusalsIn(text: string): {
  readonly names: readonly string[];
  readonly href: string | undefined;
} {
  const root = text.trimStart().startsWith('<') ? parseXml(text) : undefined;
  const error = root?.name === dav('error') ? root : undefined;
  const href = error?.children
    .map((child) => childOf(child, dav('href'))?.text.trim())
    .find((each) => each !== undefined);
  return { names: namesIn(error), href };
}

function namesIn(error: XmlElement | undefined): readonly string[] {
  return error?.children.map(({ name }) => name) ?? [];
}

function statusIn(element: XmlElement | undefined): number | undefined {
  const status = /^HTTP\/[\d.]+ (\d{3})/.exec(element?.text.trim() ?? '')?.[1];
  return status === undefined ? undefined : Number(status);
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
