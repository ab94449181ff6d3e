// Bull-board over the two queues, read-only: its pages, its files and their requests. Jobs hold a key and nothing else of an object. Loaded
// when a user opens it.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import type { Queue } from 'bullmq';
import type { QueueBoard } from '../ports/console.ts';

/**
 * The readable routes. A button of the board would bypass the dirty set, the fences and the audit log, so none of its writing routes is
 * here. Addresses of clients and figures of Redis are left out as well.
 */
const READ = new Set([
  '/api/queues',
  '/api/job-schedulers',
  '/api/queues/:queueName/metrics',
  '/api/queues/:queueName/default-job-options',
  '/api/queues/:queueName/rate-limit',
  '/api/queues/:queueName/job-data-schema',
  '/api/queues/:queueName/:jobId/logs',
  '/api/queues/:queueName/:jobId/flow',
  '/api/queues/:queueName/:jobId',
]);
const JOBS_PER_PAGE_MAX = 100;
const PAGES_MAX = 1_000;
const STATES = new Set([
  ...['latest', 'active', 'waiting', 'waiting-children', 'prioritized'],
  ...['completed', 'failed', 'delayed', 'paused'],
]);
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
};
/** File names in the board's own page, and below its folder of files. */
const NAMED = /static\/(?:css|js)\/[\w.-]{1,80}\.(?:css|js)/g;
const FILE = /^(?:[\w-]{1,40}\/){1,3}[\w-]{1,40}(?:\.[\w-]{1,40}){0,2}\.(css|js|json|svg|png)$/;
const RU = 'ru-RU';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  objects: 'One job per object that has its turn soon. What is pending stands in the dirty set; see Home.',
  flushes: 'One job per spreadsheet that is to be written.',
};

export function openQueueBoard(queues: readonly Queue[]): QueueBoard {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')), 'dist');
  const board = new Board();
  createBullBoard({
    queues: queues.map(
      (queue) =>
        new BullMQAdapter(queue, {
          ...{ readOnlyMode: true, allowRetries: false, description: DESCRIPTIONS[queue.name] ?? '' },
        }),
    ),
    serverAdapter: board,
    options: {
      uiBasePath: dirname(folder),
      uiConfig: {
        boardTitle: 'slotbridge',
        miscLinks: [{ text: 'Console', url: '/console' }],
        ...{ hideRedisDetails: true, showWorkers: false, hideDocsLink: true },
      },
    },
  });
  const files = readFileSync(join(folder, 'index.ejs'), 'utf8').match(NAMED) ?? [];
  return {
    page: (language) => pageOf(files, { ...board.config, locale: { lng: language === 'ru' ? RU : 'en-GB' } }),
    read: (path, query) => board.read(path, query),
    async file(path) {
      const type = TYPES[FILE.exec(path)?.[1] ?? ''];
      if (type === undefined) return undefined;
      const bytes = await readFile(join(folder, 'static', path)).catch(() => undefined);
      return bytes === undefined ? undefined : { type, bytes };
    },
  };
}

/** Receives what bull-board would give to a web server. */
class Board implements IServerAdapter {
  config: UIConfig = {};
  #queues: BullBoardQueues = new Map();
  #routes: readonly AppControllerRoute[] = [];

  async read(path: string, query: URLSearchParams) {
    for (const { method, route, handler } of this.#routes) {
      if (method !== 'get' || typeof route !== 'string' || !READ.has(route)) continue;
      const params = paramsOf(route, path);
      if (params === undefined) continue;
      const { queueName } = params;
      if (queueName !== undefined && !this.#queues.has(queueName)) return undefined;
      const { status = 200, body } = await handler({
        ...{ queues: this.#queues, uiConfig: this.config, query: bounded(query), params },
        ...{ body: {}, headers: {} },
      });
      return { status, body };
    }
    return undefined;
  }

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues;
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.#routes = routes;
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.config = config;
    return this;
  }

  setViewsPath(): this {
    return this;
  }

  setStaticPath(): this {
    return this;
  }

  setEntryRoute(): this {
    return this;
  }

  setErrorHandler(): this {
    return this;
  }
}

/** Undefined if the path belongs to another route. */
function paramsOf(route: string, path: string): Record<string, string> | undefined {
  const [named, given] = [route.split('/'), path.split('/')];
  if (named.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of named.entries()) {
    const text = given[at] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decoded(text);
    else if (part !== text) return undefined;
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Pages are bounded, because each entry costs the worker time. */
function bounded(query: URLSearchParams): Record<string, string> {
  const most = (name: string, max: number, other: number) =>
    String(Math.min(Math.max(1, Math.trunc(Number(query.get(name) ?? other)) || other), max));
  const status = query.get('status') ?? 'latest';
  return {
    activeQueue: query.get('activeQueue') ?? '',
    status: STATES.has(status) ? status : 'latest',
    page: most('page', PAGES_MAX, 1),
    jobsPerPage: most('jobsPerPage', JOBS_PER_PAGE_MAX, 10),
  };
}

/** The board's own page without its request to a font host, and without styles of its own. */
function pageOf(files: readonly string[], config: UIConfig): string {
  const json = JSON.stringify(config).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
  const links = files.map((file) =>
    file.endsWith('.css')
      ? `<link rel="stylesheet" href="${file}">`
      : `<script src="${file}" defer></script>`,
  );
  return `<!doctype html>
<html lang="${config.locale?.lng === RU ? 'ru' : 'en'}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<base href="/console/queues/">
<title>slotbridge</title>
<link rel="icon" type="image/svg+xml" id="fav-logo" href="static/images/logo.svg">
${links.join('\n')}
</head>
<body class="preload">
<script id="__UI_CONFIG__" type="application/json">${json}</script>
<div id="root"></div>
</body>
</html>
`;
}
