/**
 * The HTTP server of the platform: one fastify server with the API under `/v1`. Every call passes Request-Id, faults, key,
 * add-on, rate, and then its operation. Every refusal has the RFC 7807 form.
 */
import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type FaultPlan, installFaults } from '../faults.ts';
import { RouteTable } from '../route-table.ts';
import { appointmentOperations } from './api/appointments.ts';
import { contactOperations } from './api/contacts.ts';
import { conversationOperations } from './api/conversations.ts';
import { directoryOperations } from './api/directory.ts';
import { endpointOperations } from './api/endpoints.ts';
import { eventOperations } from './api/events.ts';
import { leadOperations } from './api/leads.ts';
import { slotOperations } from './api/slots.ts';
import type { Core } from './core.ts';
import { Idempotency } from './idempotency.ts';
import type { Caller } from './keys.ts';
import { type Found, mount, type Operation, type ParsedBody } from './operation.ts';
import { LIMITS } from './options.ts';
import { Problem } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import { pathRefusal } from './unknown-path.ts';

export interface ServerParts {
  readonly core: Core;
  readonly rate: RateLimit;
  readonly faults: FaultPlan;
  /** Called for every call to the API; the route is undefined for unknown paths. */
  readonly onRequest: (route: string | undefined) => void;
}

export function buildServer(parts: ServerParts): FastifyInstance {
  const { core } = parts;
  const app = Fastify({
    bodyLimit: LIMITS.requestBodyBytes,
    genReqId: requestIdOf,
    forceCloseConnections: true,
    routerOptions: { caseSensitive: true },
    // Paths that cannot be decoded never reach the hooks.
    frameworkErrors: (error, request, reply) => {
      reply.header('Request-Id', request.id);
      refuse(toProblem(error), request, reply);
    },
  });
  const operations: Operation[] = [
    ...contactOperations(core),
    ...appointmentOperations(core),
    ...directoryOperations(core),
    ...slotOperations(core),
    ...endpointOperations(core),
    ...eventOperations(core),
    ...conversationOperations(core),
    ...leadOperations(core),
  ];
  const table = new RouteTable(
    Object.fromEntries(operations.map((each) => [`${each.method} ${each.path.slice('/v1/'.length)}`, each])),
  );
  const found = new WeakMap<FastifyRequest, Found>();
  const callers = new WeakMap<FastifyRequest, Caller>();
  readJson(app);

  app.addHook('onRequest', async (request, reply) => {
    if (isControl(request)) return;
    const asked = table.find(request.method, request.url);
    if (asked !== undefined) found.set(request, asked);
    parts.onRequest(asked && `${request.method} ${asked.action.path}`);
    reply.header('Request-Id', request.id);
  });
  installFaults(app, parts.faults);
  app.addHook('onRequest', async (request, reply) => {
    if (isControl(request) || reply.sent) return;
    const caller = core.keys.identify(request.headers.authorization);
    callers.set(request, caller);
    if (!core.world.hasAddOn)
      throw new Problem('api-addon-required', 'The add-on Public API is not enabled.');
    const { headers, refusal } = parts.rate.take(caller.key);
    reply.headers(headers);
    if (refusal) throw refusal;
    if (caller.projectIds().length === 0) throw new Problem('forbidden', 'The key has no projects.');
  });
  app.setErrorHandler((error, request, reply) => refuse(toProblem(error), request, reply));

  const idempotency = new Idempotency({ clock: core.clock, switches: () => core.switches });
  const callerOf = (request: FastifyRequest): Caller => callers.get(request) ?? core.keys.identify(undefined);
  const refusePath = (request: FastifyRequest): Problem => {
    const served = operations.filter((operation) => operation.isServed?.() ?? true);
    return pathRefusal(request, served, core.switches);
  };
  mount(app, { core, idempotency, find: (request) => found.get(request), callerOf, refusePath });
  app.setNotFoundHandler((request) => {
    throw refusePath(request);
  });
  return app;
}

/** `req_` and the given X-Request-ID, or a generated id (platform API, Request-Id). */
function requestIdOf(request: { headers: NodeJS.Dict<string | string[]> }): string {
  const given = request.headers['x-request-id'];
  if (typeof given === 'string' && given !== '') return `req_${given.slice(0, LIMITS.requestIdChars)}`;
  return `req_${randomBytes(12).toString('hex')}`;
}

function isControl(request: FastifyRequest): boolean {
  return request.url.startsWith('/_sandbox');
}

/** Accepts JSON only. Keeps the text beside its value, for idempotency by bytes. An empty body counts as absent. */
function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, raw, done) => {
    const text = String(raw);
    try {
      const parsed: ParsedBody = { raw: text, json: text.trim() === '' ? undefined : JSON.parse(text) };
      done(null, parsed);
    } catch {
      done(new Problem('bad-request', 'The body is not valid JSON.'));
    }
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, raw, done) => {
    if (String(raw) === '') done(null, undefined);
    else done(new Problem('bad-request', 'The body must be JSON: Content-Type application/json.'));
  });
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (statusCode === 413)
    return new Problem({ http: 413, title: 'Payload Too Large' }, 'The body is too large.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Problem('bad-request', `The request cannot be processed (${code ?? statusCode}).`);
  }
  return new Problem('internal', error instanceof Error ? error.message : 'The service failed.');
}

function refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem.body(request.id)));
}
