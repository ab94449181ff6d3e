import type { FastifyReply, FastifyRequest } from 'fastify';
import { WorkerError } from '../engine/errors.ts';
import type { Assets } from './assets.ts';
import { readCookies } from './cookies.ts';
import { html, type Markup } from './html.ts';
import { troublePage } from './pages/timeline.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import type { Standing } from './standing.ts';
import { TIMES_SHOWN, type Times } from './times.ts';
import type { MenuEntry, Page, PagePart, Visit } from './visit.ts';
import type { Words } from './words/en.ts';
import { preferred, wordsOf } from './words/words.ts';

/** The whole document around a page. Without a visit: for people who are not signed in. */
export function layout(
  page: Page,
  about: {
    readonly words: Words;
    readonly visit: Visit | undefined;
    readonly standing: Standing | undefined;
    readonly assets: Assets;
    readonly version: string;
    readonly times: Times;
    readonly nowMs: number;
  },
): string {
  const { words, visit, standing, assets, version, times, nowMs } = about;
  const { frame } = words;
  return String(html`<!doctype html>
<html lang="${words.code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · slotbridge</title>
<link rel="icon" href="${icon(standing?.mood)}" data-lost-icon="${icon(undefined)}">
<link rel="stylesheet" href="/console${assets.style.path}">
<script src="/console${assets.script.path}" defer></script>${
    page.hasCharts === true &&
    assets.charts.map(({ path, type }) =>
      type.startsWith('text/css')
        ? html`<link rel="stylesheet" href="/console${path}">`
        : html`<script src="/console${path}" defer></script>`,
    )
  }
</head>
<body data-times="${times}" data-now="${new Date(nowMs).toISOString()}"${page.live === undefined ? '' : html` data-live="${page.live}"`}>
<a class="skip" href="#content">${frame.skip}</a>
${visit === undefined ? banner() : header(page, visit, standing)}
<p class="lost" role="status" data-lost hidden>${frame.lost} <span aria-live="off" data-lost-age="${frame.lostAge}" data-units="${frame.units}"></span></p>
<main id="content" tabindex="-1">
${page.body}
</main>
<footer>
<span>${frame.version(version)}</span>
<span>${frame.times[times]} <span data-zone>UTC</span></span>
<span class="choice">${frame.timesIn} ${TIMES_SHOWN.map((each) => html` <a href="?times=${each}"${each === times && html` aria-current="true"`}>${frame.timesShown[each]}</a>`)}</span>
<a href="?language=${words.otherLanguage.code}" hreflang="${words.otherLanguage.code}" lang="${words.otherLanguage.code}">${words.otherLanguage.name}</a>
</footer>
</body>
</html>
`);
}

function banner(): Markup {
  return html`<header class="bar"><span class="brand">${logo()}slotbridge</span></header>`;
}

function header(page: Page, visit: Visit, standing: Standing | undefined): Markup {
  const { words, visitor } = visit;
  const { frame, roles } = words;
  const waiting = (standing?.letters ?? 0) + (standing?.approvals ?? 0);
  const entry = (name: MenuEntry, text: string, count = 0) =>
    html`<li><a href="/console${name === 'home' ? '' : `/${name}`}"${page.menu === name && html` aria-current="page"`}>${text}${
      count > 0 && html` <span class="badge wrong">${words.number(count)}</span>`
    }</a></li>`;
  return html`<header class="bar">
<a class="brand" href="/console">${logo()}slotbridge</a>
<button type="button" class="second" data-menu aria-controls="menu" aria-expanded="true" hidden>${frame.openMenu}<span data-region="menu-count">${waiting > 0 && html`<span class="badge wrong">${words.number(waiting)}</span>`}</span></button>
<form method="post" action="/console/search" class="find" role="search">${formTokenField(visit)}<input type="search" name="q" required maxlength="200" autocomplete="off" spellcheck="false" aria-keyshortcuts="/ Control+K" aria-label="${frame.search}" placeholder="${visit.may('see-people') ? frame.searchHint : frame.searchHintIds}"><button type="submit" class="second">${frame.search}</button><div class="panel found" data-found hidden></div></form>
<div class="fold" id="menu">
<div class="session">
${page.live !== undefined && html`<button type="button" class="live" data-pause aria-pressed="false" data-on="${frame.pause}" data-off="${frame.paused}" hidden>${frame.pause}</button>`}
<span class="who">${frame.signedInAs(visitor.who, roles[visitor.role])}</span>
<form method="post" action="/console/sign-out">${formTokenField(visit)}<button type="submit" class="quiet">${frame.signOut}</button></form>
</div>
<nav aria-label="${frame.menu}"><ul data-region="menu">
${entry('home', frame.home)}
${entry('changes', frame.changes)}
${entry('charts', frame.charts)}
${entry('letters', frame.letters, standing?.letters)}
${entry('approvals', frame.approvals, standing?.approvals)}
${entry('again', frame.again)}
${entry('compare', frame.compare)}
${entry('webhooks', frame.webhooks)}
${visit.may('see-acts') && entry('acts', frame.acts)}
</ul></nav>
</div>
</header>`;
}

/** A mark for the tab: a shape as well as a colour. Without a mood it says nothing. */
function icon(mood: Standing['mood'] | undefined): string {
  const [fill, path] = ICONS[mood ?? 'none'];
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="${fill}"/><path d="${path}" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawn)}`;
}

const ICONS = {
  well: ['#17693a', 'M4 8.5 7 11.5 12 5'],
  busy: ['#7d5200', 'M4 8h.01M8 8h.01M12 8h.01'],
  wrong: ['#a8201a', 'M8 3.5v5M8 12.2v.01'],
  none: ['#5f6b76', 'M4.5 8h7'],
} as const;

/** Part of every form. */
export function formTokenField(visit: Visit): Markup {
  return html`<input type="hidden" name="form" value="${visit.formToken}">`;
}

function logo(): Markup {
  return html`<svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><path d="M3 17c0-5 4-9 9-9s9 4 9 9"/><path d="M3 17h18M8 17v-7.6M12 17V8M16 17v-7.6"/></svg>`;
}

/** Sends pages within their layout. */
export class Framer {
  readonly #parts: ConsoleParts;
  readonly #assets: Assets;

  constructor(parts: ConsoleParts, assets: Assets) {
    this.#parts = parts;
    this.#assets = assets;
  }

  words({ headers }: FastifyRequest): Words {
    const { language } = readCookies(headers.cookie, { isSecure: isSecure(this.#parts.settings) });
    return wordsOf(language ?? preferred(headers['accept-language']) ?? this.#parts.language);
  }

  send(
    reply: FastifyReply,
    page: Page,
    about: { readonly words: Words; readonly visit?: Visit; readonly standing?: Standing | undefined },
  ): FastifyReply {
    const { words, visit, standing } = about;
    const { clock, version } = this.#parts;
    const own = {
      assets: this.#assets,
      version,
      times: visit?.times ?? 'branch',
      nowMs: clock.now(),
    } as const;
    const text = layout(page, { words, visit, standing, ...own });
    return reply
      .code(page.status ?? 200)
      .type('text/html; charset=utf-8')
      .send(text);
  }

  sendPart(reply: FastifyReply, { part, status = 200 }: PagePart): FastifyReply {
    return reply.code(status).type('text/html; charset=utf-8').send(String(part));
  }

  /** Shows that something failed, but no word of the error, which may quote anything. */
  sendTrouble(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const words = this.words(request);
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status === 413) return this.send(reply, troublePage('large', words, undefined), { words });
    if (status >= 400 && status < 500)
      return this.send(reply, { ...troublePage('failed', words, undefined), status }, { words });
    const isAway = error instanceof WorkerError && error.code === 'store-unavailable';
    const fields = { route: request.routeOptions.url, err: error };
    if (isAway) this.#parts.log.debug(fields, 'console page not read');
    else this.#parts.log.error(fields, 'console page failed');
    return this.send(reply, troublePage(isAway ? 'away' : 'failed', words, undefined), { words });
  }
}
