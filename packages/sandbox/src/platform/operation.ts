/**
 * One operation of the API, and the path of every call to it: key, add-on, rate, scope, idempotency, then the work.
 * The order decides which of several refusals wins.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Body } from './body.ts';
import type { Core } from './core.ts';
import type { Scope } from './event-types.ts';
import type { Idempotency, Reply } from './idempotency.ts';
import type { Caller } from './keys.ts';
import { Problem } from './problem.ts';
import { Query } from './query.ts';

export interface Call {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** `json` is a value, `text` is already serialised JSON. */
export type Answer =
  | { readonly status: number; readonly json: unknown }
  | { readonly status: number; readonly text: string };

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly scope: Scope;
  readonly idempotency?: 'required' | 'supported';
  /** Absent: always. False: the path counts as outside the API. */
  readonly isServed?: () => boolean;
  handle(call: Call): Answer | Promise<Answer>;
}

/** What the JSON parser stores on a request: the raw text and its value. */
export interface ParsedBody {
  readonly raw: string;
  readonly json: unknown;
}

interface MountParts {
  readonly core: Core;
  readonly idempotency: Idempotency;
  readonly find: (request: FastifyRequest) => Found | undefined;
  readonly callerOf: (request: FastifyRequest) => Caller;
  /** The refusal of a path that matches no operation. */
  readonly refusePath: (request: FastifyRequest) => Problem;
}

/** The operation of a path, and the path's parameters. */
export interface Found {
  readonly action: Operation;
  readonly given: Readonly<Record<string, string>>;
}

/** Mounts all operations as one route: see route-table.ts. */
export function mount(app: FastifyInstance, parts: MountParts): void {
  app.route({
    method: ['GET', 'POST', 'PATCH', 'DELETE'],
    url: '/v1/*',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const found = parts.find(request);
      if (found === undefined) throw parts.refusePath(request);
      const operation = found.action;
      if (operation.isServed?.() === false) throw parts.refusePath(request);
      const caller = parts.callerOf(request);
      caller.demandScope(operation.scope);
      const parsed = (request.body ?? { raw: '', json: undefined }) as ParsedBody;
      const perform = async (): Promise<Reply> => {
        const { switches } = parts.core;
        if (operation.method !== 'GET' && switches.workMs > 0)
          await sleep(switches.workMs, undefined, { ref: false });
        return answered(found, request, {
          caller,
          parsed,
          acceptsPlus: switches.plusInQueryTime === 'accepted',
        });
      };
      const key =
        operation.idempotency &&
        parts.idempotency.readKey(keyHeaders(request), operation.idempotency === 'required');
      if (key === undefined) return send(reply, await perform());
      const path = request.url.split('?')[0] ?? '';
      const attempt = { owner: caller.key, key, method: operation.method, path, ...parsed };
      const { reply: answer, isReplay } = await parts.idempotency.run(attempt, perform);
      if (isReplay) reply.header('Idempotent-Replayed', 'true');
      return send(reply, answer);
    },
  });
}

async function answered(
  { action: operation, given: params }: Found,
  request: FastifyRequest,
  given: { caller: Caller; parsed: ParsedBody; acceptsPlus: boolean },
): Promise<Reply> {
  try {
    const answer = await operation.handle({
      caller: given.caller,
      params,
      query: new Query(request.query, given.acceptsPlus),
      body: new Body(given.parsed.json),
    });
    const body = 'text' in answer ? answer.text : JSON.stringify(answer.json);
    return { status: answer.status, body, contentType: 'application/json; charset=utf-8' };
  } catch (error) {
    // Refusals are replies, so that an Idempotency-Key can remember them. Refusals with their own headers are
    // rethrown.
    if (!(error instanceof Problem) || Object.keys(error.headers).length > 0) throw error;
    const body = JSON.stringify(error.body(request.id));
    return { status: error.status, body, contentType: 'application/problem+json; charset=utf-8' };
  }
}

function keyHeaders(request: FastifyRequest): { first: string | undefined; second: string | undefined } {
  const one = (name: string): string | undefined => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return { first: one('idempotency-key'), second: one('x-idempotency-key') };
}

function send(reply: FastifyReply, answer: Reply): FastifyReply {
  return reply.code(answer.status).type(answer.contentType).send(answer.body);
}
