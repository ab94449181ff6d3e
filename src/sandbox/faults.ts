// Faults that a sandbox server commits on purpose. A plan of rules goes in, and the hooks below apply the first rule that fires to each
// request. Control paths (`/_sandbox…`) are never touched.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What happens to a call that a rule has caught. Times are in milliseconds. */
export type Fault =
  /** Answered with this status instead of being performed. */
  | {
      kind: 'status';
      status: number;
      body?: string;
      contentType?: string;
      headers?: Record<string, string>;
    }
  /** The socket is destroyed, nothing is performed. */
  | { kind: 'reset' }
  /** Nothing is answered for `ms`, then the socket is destroyed; nothing is performed. */
  | { kind: 'hang'; ms: number }
  /** Performed `ms` late, then answered as usual. */
  | { kind: 'delay'; ms: number }
  /** Performed once this promise has resolved, then answered as usual: for tests, which know when. */
  | { kind: 'hold'; until: Promise<unknown> }
  /** Performed, but the answer is lost: the socket is destroyed. */
  | { kind: 'commit-then-reset' }
  /** Performed, but answered with this status, as a proxy in between would. */
  | { kind: 'commit-then-status'; status: number };

/** Which calls a fault catches: all of them unless narrowed. */
export interface FaultRule {
  /** HTTP method, in any case; of a list, one of them. */
  method?: string | readonly string[];
  /** Tested against the decoded path and query (against the path as sent when it cannot be decoded). */
  path?: RegExp;
  /** Let this many matches pass first. */
  skip?: number;
  /** Fire at most this often. */
  times?: number;
  /** Share of the matches after `skip` that fires: 0 none, 1 all. */
  share?: number;
  /** Told each time it fires. */
  onStrike?: () => void;
  fault: Fault;
}

interface PlannedRule {
  rule: FaultRule;
  matched: number;
  fired: number;
}

/** An ordered list of rules. The first one that fires decides; `random` makes shares repeatable. */
export class FaultPlan {
  readonly #random: () => number;
  #rules: PlannedRule[] = [];
  #hits = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Adds a rule and returns the function that removes it again. */
  add(rule: FaultRule): () => void {
    const planned: PlannedRule = { rule, matched: 0, fired: 0 };
    this.#rules.push(planned);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== planned);
    };
  }

  /** Forgets every rule; the number of hits stays. */
  clear(): void {
    this.#rules = [];
  }

  /** How many calls have been spoilt so far. */
  hits(): number {
    return this.#hits;
  }

  /** The fault for this call, or undefined. Asking counts as a match: ask once per call. */
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

/** Puts the plan in front of every route of the server. Call it before the server's own hooks are added. */
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

  // Nothing may outlive the server: a hanging call is ended when it closes.
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

/** What a front end in distress answers: HTML, whatever was asked for. */
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
  // A pattern with the g or y flag remembers where it stopped; each call is a fresh question.
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
