import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChangeHub } from './change-hub.ts';
import { changeReader } from './changes.ts';
import type { Guard } from './guard.ts';
import type { ConsoleParts } from './parts.ts';
import type { About, Listener, Pulse } from './pulse.ts';
import { keyIn } from './story.ts';
import { type PageStream, Stream } from './stream.ts';
import type { Visit } from './visit.ts';

/** Most pages that may be open at one time; a browser with one more is asked to come back later. */
const PAGES_OPEN_MAX = 100;

/** Most windows of a browser that share one stream. */
const WINDOWS_MAX = 12;

/** Most of them in one session, so that one person keeps nobody from live pages. */
const PAGES_OF_SESSION_MAX = 12;

/**
 * `GET /console/live`: server-sent events. `changed` has no content; `rows` has changes of objects, for the page that lists them; `ended`
 * says that the session is over. With `window=<query>`, once for each window, the windows of a browser share a stream.
 */
export function serveLive(
  app: FastifyInstance,
  parts: ConsoleParts & { readonly pulse: Pulse; readonly hub: ChangeHub },
  guard: Guard,
): void {
  const { pulse, hub } = parts;
  // Runs before the server waits for open answers: these would never end automatically.
  app.addHook('preClose', async () => {
    pulse.endAll();
    hub.endAll();
  });
  const openIn = new Map<string, number>();
  const count = (token: string, by: number) => {
    const pages = (openIn.get(token) ?? 0) + by;
    if (pages === 0) openIn.delete(token);
    else openIn.set(token, pages);
  };
  const attach = (request: FastifyRequest, stream: PageStream, visit: Visit): (() => void) => {
    if (visit.query.get('about') !== 'changes') {
      const page = new OpenPage(stream, aboutIn(visit.query));
      pulse.add(page);
      return () => pulse.remove(page);
    }
    const seen = request.headers['last-event-id'];
    const lastEvent = typeof seen === 'string' ? seen : undefined;
    const reader = changeReader(parts, visit, { stream, lastEvent });
    hub.add(reader);
    return () => hub.remove(reader);
  };
  app.route({
    method: 'GET',
    url: '/live',
    exposeHeadRoute: false,
    onRequest: (request, reply) => guard.check({ right: 'see-state' }, request, reply),
    handler: async (request, reply) => {
      const { token } = guard.of(request);
      const visit = guard.visit(request);
      const windows = visit.query.getAll('window').slice(0, WINDOWS_MAX);
      const isFull = pulse.size + hub.size + Math.max(1, windows.length) > PAGES_OPEN_MAX;
      if (isFull || (openIn.get(token) ?? 0) >= PAGES_OF_SESSION_MAX)
        return reply.code(503).header('retry-after', '10').send({ error: 'too-many-pages' });
      reply.hijack();
      // Who has left while the session was looked up would never be detached.
      if (reply.raw.destroyed) return reply;
      const stream = new Stream(reply.raw, { token, access: parts.access });
      const shared = new SharedStream(stream);
      const detach =
        windows.length === 0
          ? [attach(request, stream, visit)]
          : windows.map((query, at) =>
              attach(request, shared.of(at), { ...visit, query: new URLSearchParams(query) }),
            );
      count(token, 1);
      reply.raw.on('close', () => {
        count(token, -1);
        for (const each of detach) each();
      });
      return reply;
    },
  });
}

function aboutIn(query: URLSearchParams): About {
  return query.get('about') === 'runs' ? 'runs' : keyIn(query.get('key') ?? '');
}

/** A page that reads itself again. An event is a few bytes, and no event is sent while an earlier one waits. */
export class OpenPage implements Listener {
  readonly about: About;
  readonly #stream: PageStream;

  constructor(stream: PageStream, about: About) {
    this.#stream = stream;
    this.about = about;
  }

  tell(): boolean {
    if (!this.#stream.isFree()) return false;
    this.#stream.send('event: changed\ndata: 1\n\n');
    return true;
  }

  async mayListen(): Promise<boolean> {
    const may = await this.#stream.mayListen();
    if (may) this.#stream.beat();
    return may;
  }

  end(): void {
    this.#stream.end();
  }
}

// One connection for several windows of a browser, which over HTTP/1.1 has six for all of them. Before the event of a window, the stream
// says which one it is for.

class SharedStream {
  readonly #stream: Stream;
  /** The windows told in this turn. Their events leave together; the next ones wait until they have left. */
  readonly #told = new Set<number>();
  #isOver = false;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** The stream for the window at this place of the query. The first window looks after the connection. */
  of(window: number): PageStream {
    const isFirst = window === 0;
    return {
      isFree: () => {
        if (this.#isOver) return false;
        if (this.#told.size > 0) return !this.#told.has(window);
        return isFirst ? this.#stream.isFree() : this.#stream.isEmpty();
      },
      send: (event) => {
        if (this.#told.size === 0) setImmediate(() => this.#told.clear());
        this.#told.add(window);
        this.#stream.send(`event: window\ndata: ${window}\n\n${event}`);
      },
      beat: () => {
        if (isFirst && !this.#isOver) this.#stream.beat();
      },
      mayListen: async () => !this.#isOver && (!isFirst || this.#stream.mayListen()),
      end: () => {
        if (!this.#isOver) this.#stream.end();
        this.#isOver = true;
      },
    };
  }
}
