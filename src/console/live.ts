import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ConsoleAccess } from '../ports/console.ts';
import type { Comparison } from './comparison.ts';
import type { Guard } from './guard.ts';
import { COMMON_HEADERS } from './headers.ts';
import type { ConsoleParts } from './parts.ts';
import { type About, type Listener, Pulse } from './pulse.ts';
import { keyIn } from './story.ts';

/** Pages that are open at one time; one more is told to come back. */
const PAGES_OPEN_MAX = 100;
/** A reader who takes nothing for so long is let go: the browser comes back by itself. */
const STUCK_LOOKS_MAX = 30;
/** Looks between two questions whether the session still stands. */
const SESSION_ASKED_EVERY = 5;

/** `GET /console/live`: server-sent events. `changed` carries nothing; `ended` says that the session is over. */
export function serveLive(
  app: FastifyInstance,
  parts: ConsoleParts & { readonly comparison: Comparison },
  guard: Guard,
): void {
  const pulse = new Pulse(parts);
  // Before the server waits for the answers that are under way: these never end by themselves.
  app.addHook('preClose', async () => pulse.endAll());
  app.route({
    method: 'GET',
    url: '/live',
    exposeHeadRoute: false,
    onRequest: (request, reply) => guard.check({ right: 'see-state' }, request, reply),
    handler: async (request, reply) => {
      if (pulse.size >= PAGES_OPEN_MAX)
        return reply.code(503).header('retry-after', '10').send({ error: 'too-many-pages' });
      const { token } = guard.of(request);
      const { searchParams } = new URL(request.url, 'http://console.invalid');
      reply.hijack();
      const page = new OpenPage(reply.raw, {
        ...{ about: aboutIn(searchParams), token, access: parts.access },
      });
      reply.raw.on('close', () => pulse.remove(page));
      pulse.add(page);
      return reply;
    },
  });
}

function aboutIn(query: URLSearchParams): About {
  return query.get('about') === 'runs' ? 'runs' : keyIn(query.get('key') ?? '');
}

/** The stream to one page. It never holds more than what the socket takes: an event is a few bytes, and none follows one that waits. */
export class OpenPage implements Listener {
  readonly about: About;
  readonly #raw: ServerResponse;
  readonly #session: { readonly token: string; readonly access: Pick<ConsoleAccess, 'session'> };
  #looks = 0;
  #stuckLooks = 0;

  constructor(
    raw: ServerResponse,
    about: {
      readonly about: About;
      readonly token: string;
      readonly access: Pick<ConsoleAccess, 'session'>;
    },
  ) {
    this.about = about.about;
    this.#raw = raw;
    this.#session = about;
    raw.writeHead(200, { ...COMMON_HEADERS, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    raw.write('retry: 2000\n\n');
  }

  tell(): boolean {
    if (this.#raw.writableLength > 0) {
      this.#stuckLooks += 1;
      if (this.#stuckLooks > STUCK_LOOKS_MAX) this.#raw.destroy();
      return false;
    }
    this.#stuckLooks = 0;
    this.#raw.write('event: changed\ndata: 1\n\n');
    return true;
  }

  async mayListen(): Promise<boolean> {
    this.#looks += 1;
    if (this.#looks % SESSION_ASKED_EVERY !== 0) return true;
    const isOver = (await this.#session.access.session(this.#session.token)) === undefined;
    if (isOver) this.#raw.write('event: ended\ndata: 1\n\n');
    return !isOver;
  }

  end(): void {
    this.#raw.end();
  }
}
