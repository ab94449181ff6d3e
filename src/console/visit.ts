import type { Visitor } from '../engine/role.ts';
import type { Right } from './access.ts';
import type { Markup } from './html.ts';
import type { Times } from './times.ts';
import type { Words } from './words/en.ts';

/** One request of a signed-in person, after every check. */
export interface Visit {
  readonly visitor: Visitor;
  /** The token in every form of this session. */
  readonly formToken: string;
  readonly words: Words;
  readonly times: Times;
  readonly nowMs: number;
  /** The part of the path behind the route's own path. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Fields of a POST. */
  readonly form: URLSearchParams;
  may(right: Right): boolean;
}

/** The answer to a request: a page, the address of one, a part of one for the script, or a file to download. */
export type Answer = Page | { readonly to: string } | PagePart | Download;

export interface PagePart {
  readonly part: Markup;
  /** Default: 200. */
  readonly status?: number;
}

export interface Download {
  readonly file: string;
  readonly type: string;
  readonly text: string;
}

export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** Default: 200. */
  readonly status?: number;
  /** The entry of the menu that is highlighted. */
  readonly menu?: MenuEntry;
  /** What the page listens to while it is open: `/console/live` with this query. Absent: nothing. */
  readonly live?: string;
  /** Draws charts. */
  readonly hasCharts?: boolean;
}

/** An entry of the menu; its page has this path. */
export type MenuEntry =
  | 'home'
  | 'changes'
  | 'charts'
  | 'letters'
  | 'approvals'
  | 'again'
  | 'compare'
  | 'webhooks'
  | 'acts';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Below /console. A path that ends in `/*` passes the remainder as `rest`. */
  readonly path: string;
  readonly right: Right;
  readonly answer: (visit: Visit) => Promise<Answer>;
}
