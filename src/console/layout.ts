import type { FastifyReply, FastifyRequest } from 'fastify';
import { WorkerError } from '../engine/errors.ts';
import type { Assets } from './assets.ts';
import { readCookies } from './cookies.ts';
import { html, type Markup } from './html.ts';
import { troublePage } from './pages/timeline.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import type { Page, Visit } from './visit.ts';
import type { Words } from './words/en.ts';
import { preferred, wordsOf } from './words/words.ts';

/** The whole document around a page. Without a visit: for people who are not signed in. */
export function layout(
  page: Page,
  about: {
    readonly words: Words;
    readonly visit: Visit | undefined;
    readonly assets: Assets;
    readonly version: string;
  },
): string {
  const { words, visit, assets, version } = about;
  const { frame } = words;
  return String(html`<!doctype html>
<html lang="${words.code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · slotbridge</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console${assets.style.path}">
<script src="/console${assets.script.path}" defer></script>
</head>
<body${page.live === undefined ? '' : html` data-live="${page.live}"`}>
<a class="skip" href="#content">${frame.skip}</a>
${visit === undefined ? banner() : header(page, visit)}
<p class="lost" role="status" data-lost hidden>${frame.lost} <span aria-live="off" data-lost-age="${frame.lostAge}" data-units="${frame.units}"></span></p>
<main id="content" tabindex="-1">
${page.body}
</main>
<footer>
<span>${frame.version(version)}</span>
<span>${frame.times} <span data-zone>UTC</span></span>
<a href="?language=${words.otherLanguage.code}" hreflang="${words.otherLanguage.code}" lang="${words.otherLanguage.code}">${words.otherLanguage.name}</a>
</footer>
</body>
</html>
`);
}

function banner(): Markup {
  return html`<header class="bar"><span class="brand">${logo()}slotbridge</span></header>`;
}

function header(page: Page, visit: Visit): Markup {
  const { words, visitor } = visit;
  const { frame, roles } = words;
  const entry = (name: Page['menu'], href: string, text: string) =>
    html`<li><a href="${href}"${name !== undefined && page.menu === name ? html` aria-current="page"` : ''}>${text}</a></li>`;
  return html`<header class="bar">
<a class="brand" href="/console">${logo()}slotbridge</a>
<form method="post" action="/console/search" class="find" role="search">${formTokenField(visit)}<input type="search" name="q" required maxlength="200" autocomplete="off" spellcheck="false" aria-label="${frame.search}" placeholder="${visit.may('see-people') ? frame.searchHint : frame.searchHintIds}"><button type="submit" class="second">${frame.search}</button></form>
<div class="session">
${page.live !== undefined && html`<button type="button" class="live" data-pause aria-pressed="false" data-on="${frame.pause}" data-off="${frame.paused}" hidden>${frame.pause}</button>`}
<span class="who">${frame.signedInAs(visitor.who, roles[visitor.role])}</span>
<form method="post" action="/console/sign-out">${formTokenField(visit)}<button type="submit" class="quiet">${frame.signOut}</button></form>
</div>
<nav aria-label="${frame.menu}"><ul>
${entry('home', '/console', frame.home)}
${entry('changes', '/console/changes', frame.changes)}
${entry('letters', '/console/letters', frame.letters)}
${entry('approvals', '/console/approvals', frame.approvals)}
${entry('again', '/console/again', frame.again)}
${entry('compare', '/console/compare', frame.compare)}
${visit.may('see-acts') && entry('acts', '/console/acts', frame.acts)}
</ul></nav>
</header>`;
}

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
    about: { readonly words: Words; readonly visit?: Visit },
  ): FastifyReply {
    const { words, visit } = about;
    const text = layout(page, { words, visit, assets: this.#assets, version: this.#parts.version });
    return reply
      .code(page.status ?? 200)
      .type('text/html; charset=utf-8')
      .send(text);
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
