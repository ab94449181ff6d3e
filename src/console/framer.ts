import type { FastifyReply, FastifyRequest } from 'fastify';
import { WorkerError } from '../engine/domain/errors.ts';
import type { Assets } from './assets.ts';
import { readCookies } from './cookies.ts';
import { layout } from './layout.ts';
import { troublePage } from './pages/messages.ts';
import { type ConsoleParts, isSecure } from './parts.ts';
import type { Page, Visit } from './visit.ts';
import type { Words } from './words/en.ts';
import { preferred, wordsOf } from './words/words.ts';

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
