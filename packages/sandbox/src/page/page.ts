// A page for watching and controlling the sandboxes: calendars as a week, sheets as grids, the platform with buttons. It
// listens on 127.0.0.1 only. In: both sandboxes. Out: an address.
import { existsSync, readFileSync } from 'node:fs';
import Fastify, { type FastifyInstance } from 'fastify';
import type { GoogleSandbox } from '../google/sandbox.ts';
import type { PlatformSandbox } from '../platform/sandbox.ts';
import { perform } from './acts.ts';
import { guardDoor } from './door.ts';
import { markOf, type Shown, stateOf } from './state.ts';
import { Armed } from './troubles.ts';

export interface SandboxPage {
  readonly url: string;
  close(): Promise<void>;
}

/** Room for the largest cell or title. */
const BODY_BYTES_MAX = 32 * 1024;

const FILES: Record<string, { file: string; type: string }> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { file: 'icon.svg', type: 'image/svg+xml' },
  ...Object.fromEntries(
    ['page', 'week', 'dragged', 'sheet', 'desk', 'dom', 'words'].map((name) => [
      `/${name}.js`,
      { file: `${name}.js`, type: 'text/javascript; charset=utf-8' },
    ]),
  ),
};

export async function startSandboxPage(options: {
  readonly platform: PlatformSandbox;
  readonly google: GoogleSandbox;
  readonly port: number;
}): Promise<SandboxPage> {
  const { platform, google } = options;
  const armed = new Armed({ platform: platform.faults, google: google.faults });
  const app = Fastify({ forceCloseConnections: true, bodyLimit: BODY_BYTES_MAX });
  guardDoor(app);
  serveFiles(app);
  serveState(app, { platform, google, armed });
  const url = await app.listen({ host: '127.0.0.1', port: options.port });
  return {
    url,
    async close() {
      armed.endAll();
      await app.close();
    },
  };
}

/** In src/ the files are in `files/` beside this file; the build copies them beside the bundle. */
function serveFiles(app: FastifyInstance): void {
  const folder = ['./files/', './sandbox-page/']
    .map((path) => new URL(path, import.meta.url))
    .find((path) => existsSync(path));
  if (folder === undefined) throw new Error('The files of the page are missing: build again.');
  for (const [url, { file, type }] of Object.entries(FILES)) {
    const content = readFileSync(new URL(file, folder));
    app.get(url, (_request, reply) => reply.type(type).send(content));
  }
}

function serveState(app: FastifyInstance, shown: Shown): void {
  app.get<{ Querystring: Record<string, unknown> }>('/state', (request, reply) => {
    const state = stateOf(shown, {
      week: textOf(request.query['week']),
      book: textOf(request.query['book']),
      tab: textOf(request.query['tab']),
    });
    const tag = `"${markOf(state)}"`;
    reply.header('etag', tag);
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return reply.send(state);
  });
  // A refusal is a normal answer; the page shows its text.
  app.post<{ Querystring: Record<string, unknown> }>('/act', async (request) => {
    const language = request.query['language'] === 'ru' ? 'ru' : 'en';
    try {
      return { said: perform(shown, request.body, language) };
    } catch (error) {
      return { refused: error instanceof Error ? error.message : 'This cannot be done.' };
    }
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
