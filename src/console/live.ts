import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChangeHub } from './change-hub.ts';
import { changeReader } from './changes.ts';
import type { Guard } from './guard.ts';
import type { ConsoleParts } from './parts.ts';
import type { About, Listener, Pulse } from './pulse.ts';
import { keyIn } from './story.ts';
import { Stream } from './stream.ts';

/** Most pages that may be open at one time; a browser with one more is asked to come back later. */
const PAGES_OPEN_MAX = 100;

/**
 * `GET /console/live`: server-sent events. `changed` has no content; `rows` has changes of objects, for the page that lists them; `ended`
 * says that the session is over.
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
  const attach = (request: FastifyRequest, stream: Stream): (() => void) => {
    const visit = guard.visit(request);
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
      if (pulse.size + hub.size >= PAGES_OPEN_MAX)
        return reply.code(503).header('retry-after', '10').send({ error: 'too-many-pages' });
      const { token } = guard.of(request);
      reply.hijack();
      // Who has left while the session was looked up would never be detached.
      if (reply.raw.destroyed) return reply;
      const detach = attach(request, new Stream(reply.raw, { token, access: parts.access }));
      reply.raw.on('close', detach);
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
  readonly #stream: Stream;

  constructor(stream: Stream, about: About) {
    this.#stream = stream;
    this.about = about;
  }

  tell(): boolean {
    if (!this.#stream.isFree()) return false;
    this.#stream.send('event: changed\ndata: 1\n\n');
    return true;
  }

  mayListen(): Promise<boolean> {
    return this.#stream.mayListen();
  }

  end(): void {
    this.#stream.end();
  }
}
