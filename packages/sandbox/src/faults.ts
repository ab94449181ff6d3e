// Deliberate faults of a sandbox server. The caller adds rules to a plan. For each request, the hooks below apply the first rule that
// fires. Control paths (`/_sandbox…`) are never affected.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What happens to a call that matches a rule. Times are in milliseconds. */
export type Fault =
  /** The server answers with this status and does not perform the call. */
  | {
      kind: 'status';
      status: number;
      body?: string;
      contentType?: string;
      headers?: Record<string, string>;
    }
  /** The server destroys the socket and does not perform the call. */
  | { kind: 'reset' }
  /** The server destroys the socket after `ms` without an answer, and does not perform the call. */
  | { kind: 'hang'; ms: number }
  /** The server performs the call `ms` late, then answers as usual. */
  | { kind: 'delay'; ms: number }
  /** The server performs the call once this promise has resolved, then answers as usual. For tests that control the moment. */
  | { kind: 'hold'; until: Promise<unknown> }
  /** The server performs the call, then destroys the socket, so the answer is lost. */
  | { kind: 'commit-then-reset' }
  /** The server performs the call, but answers with this status, as a proxy in between would. */
  | { kind: 'commit-then-status'; status: number };

/** Which calls a fault affects: all of them unless narrowed. */
export interface FaultRule {
  /** HTTP method or a list of alternatives, in any case. */
  method?: string | readonly string[];
  /** Tested against the decoded path and query, or against the raw path if it cannot be decoded. */
  path?: RegExp;
  /** Let this many matches pass first. */
  skip?: number;
  /** Fires at most this often. */
  times?: number;
  /** Share of the matches after `skip` that fires, from 0 to 1. */
  share?: number;
  /** Called each time the rule fires. */
  onStrike?: () => void;
  fault: Fault;
}

interface PlannedRule {
  rule: FaultRule;
  matched: number;
  fired: number;
}

/** An ordered list of rules. The first one that fires decides. `random` makes shares repeatable. */
export class FaultPlan {
  readonly #random: () => number;
  #rules: PlannedRule[] = [];
  #hits = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Adds a rule. Returns a function that removes it. */
  add(rule: FaultRule): () => void {
    const planned: PlannedRule = { rule, matched: 0, fired: 0 };
    this.#rules.push(planned);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== planned);
    };
  }

  /** Removes every rule. The number of hits stays. */
  clear(): void {
    this.#rules = [];
  }

  /** How many calls have been disturbed so far. */
  hits(): number {
    return this.#hits;
  }

  /** The fault for this call, if any. Each request counts as a match, so call this once per request. */
  pick(call: { method: string; url: string }): Fault | undefined {
    for (const planned of this.#rules) {
      if (!matches(planned.rule, call)) continue;
      planned.matched += 1;
      if (!this.#fires(planned)) continue;
      planned.fired += 1;
      this.#hits += 1;
      planned.rule.onStrike?.();
      return planned.rule.fault;
    }
    return undefined;
  }

  #fires({ rule, matched, fired }: PlannedRule): boolean {
    if (matched <= (rule.skip ?? 0)) return false;
    if (rule.times !== undefined && fired >= rule.times) return false;
    return rule.share === undefined || this.#random() < rule.share;
  }
}

/** Installs the plan for every route. Call this before adding the server's own hooks. */
export function installFaults(app: FastifyInstance, plan: FaultPlan): void {
  const lostAnswers = new WeakMap<FastifyRequest, Fault>();
  const hanging = new Map<NodeJS.Timeout, () => void>();
  let close: () => void = () => {};
  const closing = new Promise<void>((done) => {
    close = done;
  });

  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/_sandbox')) return;
    const fault = plan.pick({ method: request.method, url: request.url });
    if (fault === undefined) return;
    switch (fault.kind) {
      case 'status':
        return answer(reply, fault);
      case 'reset':
        reply.hijack();
        request.raw.socket.destroy();
        return;
      case 'hang': {
        reply.hijack();
        wait(fault.ms, () => request.raw.socket.destroy());
        return;
      }
      case 'delay':
        await new Promise<void>((resolve) => wait(fault.ms, resolve));
        return;
      case 'hold':
        await Promise.race([fault.until, closing]);
        return;
      case 'commit-then-reset':
      case 'commit-then-status':
        lostAnswers.set(request, fault);
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const fault = lostAnswers.get(request);
    if (fault?.kind === 'commit-then-reset') request.raw.socket.destroy();
    if (fault?.kind !== 'commit-then-status') return payload;
    reply.removeHeader('content-length');
    reply.code(fault.status).type('text/html; charset=UTF-8');
    return htmlOf(fault.status);
  });

  // End pending calls when the server closes, so that they cannot outlive it.
  app.addHook('preClose', async () => {
    for (const [timer, end] of hanging) {
      clearTimeout(timer);
      end();
    }
    hanging.clear();
    close();
  });

  function wait(ms: number, end: () => void): void {
    const timer = setTimeout(() => {
      hanging.delete(timer);
      end();
    }, ms);
    hanging.set(timer, end);
  }
}

function answer(reply: FastifyReply, fault: Extract<Fault, { kind: 'status' }>): FastifyReply {
  const body = fault.body ?? htmlOf(fault.status);
  const contentType =
    fault.contentType ?? (isJson(body) ? 'application/json; charset=UTF-8' : 'text/html; charset=UTF-8');
  return reply
    .code(fault.status)
    .headers(fault.headers ?? {})
    .type(contentType)
    .send(body);
}

/** An overloaded front end answers in HTML, whatever the client accepts. */
function htmlOf(status: number): string {
  return `<!DOCTYPE html><html><title>Error ${status}</title><p>The server could not answer this request.</html>`;
}

function isJson(body: string): boolean {
  return /^\s*[[{]/.test(body);
}

function matches(rule: FaultRule, call: { method: string; url: string }): boolean {
  const methods = rule.method === undefined ? undefined : [rule.method].flat();
  if (methods?.every((method) => method.toUpperCase() !== call.method)) return false;
  if (rule.path === undefined) return true;
  // A pattern with the g or y flag keeps its last position. Reset it for each call.
  rule.path.lastIndex = 0;
  return rule.path.test(decoded(call.url));
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
