/**
 * Controls the sandbox over HTTP, for other processes: `/_sandbox/...`, JSON, without a key, on loopback
 * only.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SandboxClock } from '../clock.ts';
import type { FaultPlan } from '../faults.ts';
import { RouteTable } from '../route-table.ts';
import { dashboardActions } from './dashboard/actions.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import { SCOPES } from './event-types.ts';
import { readFaultRule } from './fault-rule.ts';
import type { KeyOptions } from './keys.ts';
import type { ParsedBody } from './operation.ts';
import type { DeliveryPolicy, SilentSwitches } from './options.ts';
import { Problem } from './problem.ts';
import type { Truth } from './truth.ts';

const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
const TRUTHS = [
  'appointments',
  'contacts',
  'services',
  'resources',
  'branches',
  'conversations',
  'messages',
  'leads',
  'projects',
  'endpoints',
  'customerMails',
] as const;
const SETTLE_MS_MAX = 600_000;

/** What other processes may do with the sandbox. */
export interface Controlled {
  readonly clock: Pick<SandboxClock, 'now' | 'advance' | 'freeze' | 'thaw'>;
  readonly dashboard: Dashboard;
  readonly faults: FaultPlan;
  readonly truth: Truth;
  delivery: DeliveryPolicy;
  switches: SilentSwitches;
  stats(): unknown;
  createKey(options: KeyOptions): string;
  revokeKey(key: string): void;
  releaseHeld(order: 'as-formed' | 'reversed' | 'shuffled'): void;
  whenDeliveriesSettle(timeoutMs: number): Promise<void>;
}

type Action = (
  sandbox: Controlled,
  fields: Record<string, unknown>,
  given: Record<string, string>,
) => unknown;

/** `sandboxOf` returns the sandbox once it has started. */
export function installControl(app: FastifyInstance, sandboxOf: () => Controlled | undefined): void {
  app.register(
    async (control) => {
      control.addHook('onRequest', async (request) => {
        if (!LOOPBACK.includes(request.ip))
          throw new Problem('forbidden', 'The control paths are for this machine only.');
      });
      control.setErrorHandler((error, _request, reply) => {
        const status = error instanceof Problem ? error.status : 400;
        const code = error instanceof Problem ? error.code : 'bad-request';
        return reply
          .code(status)
          .send({ error: code, detail: error instanceof Error ? error.message : String(error) });
      });
      control.route({
        method: ['GET', 'POST', 'PATCH', 'DELETE'],
        url: '/*',
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const found = TABLE.find(request.method, request.url);
          if (found === undefined) return reply.callNotFound();
          const started = sandboxOf();
          if (!started) throw new Problem('unavailable', 'The sandbox is starting.');
          return found.action(started, fieldsOf(request), found.given);
        },
      });
    },
    { prefix: '/_sandbox' },
  );
}

const TABLE = new RouteTable<Action>({
  'GET stats': (sandbox) => sandbox.stats(),
  'GET delivery': (sandbox) => sandbox.delivery,
  'PATCH delivery': (sandbox, fields) => {
    sandbox.delivery = { ...sandbox.delivery, ...merged(sandbox.delivery, fields) };
    return sandbox.delivery;
  },
  'GET switches': (sandbox) => sandbox.switches,
  'PATCH switches': (sandbox, fields) => {
    sandbox.switches = { ...sandbox.switches, ...merged(sandbox.switches, fields) };
    return sandbox.switches;
  },
  'POST release': (sandbox, { order }) => {
    sandbox.releaseHeld(order === 'reversed' || order === 'shuffled' ? order : 'as-formed');
    return { released: true };
  },
  'POST settle': async (sandbox, { timeoutMs }) => {
    await sandbox.whenDeliveriesSettle(Math.min(Number(timeoutMs ?? 30_000), SETTLE_MS_MAX));
    return { settled: true };
  },
  'POST faults': (sandbox, fields) => {
    sandbox.faults.add(readFaultRule(fields));
    return { added: true };
  },
  'DELETE faults': (sandbox) => {
    sandbox.faults.clear();
    return { cleared: true };
  },
  'GET faults': (sandbox) => ({ hits: sandbox.faults.hits() }),
  'POST keys': (sandbox, fields) => ({ key: sandbox.createKey(readKey(fields)) }),
  'POST keys/revoke': (sandbox, { key }) => {
    sandbox.revokeKey(String(key));
    return { revoked: true };
  },
  'GET clock': (sandbox) => timeOf(sandbox),
  'POST clock': (sandbox, { advanceMs, isFrozen }) => {
    if (isFrozen === true) sandbox.clock.freeze();
    if (isFrozen === false) sandbox.clock.thaw();
    sandbox.clock.advance(Number(advanceMs ?? 0));
    return timeOf(sandbox);
  },
  ...Object.fromEntries(
    TRUTHS.map((name) => [`GET truth/${name}`, (sandbox: Controlled) => sandbox.truth[name]()]),
  ),
  'POST dashboard/:action': (sandbox, fields, { action = '' }) => {
    const act = dashboardActions[action];
    if (!act)
      throw new Problem(
        'not-found',
        `No such action. There are: ${Object.keys(dashboardActions).join(', ')}.`,
      );
    return { result: act(sandbox.dashboard, fields) ?? null };
  },
});

function timeOf({ clock }: Controlled) {
  return { now: new Date(clock.now()).toISOString() };
}

function fieldsOf(request: FastifyRequest): Record<string, unknown> {
  const json = (request.body as ParsedBody | undefined)?.json ?? {};
  if (typeof json !== 'object' || Array.isArray(json)) throw new TypeError('the body must be a JSON object');
  return json as Record<string, unknown>;
}

/** The given settings. Throws when one does not exist or differs in type from the current value. */
function merged<T extends object>(present: T, given: Record<string, unknown>): Partial<T> {
  for (const [name, value] of Object.entries(given)) {
    const known = present[name as keyof T];
    if (
      known === undefined ||
      typeof known !== typeof value ||
      Array.isArray(known) !== Array.isArray(value)
    ) {
      throw new TypeError(`no such setting, or of another type: ${name}`);
    }
  }
  return given as Partial<T>;
}

function readKey(fields: Record<string, unknown>) {
  const { scopes, projectIds, revoked } = fields;
  const wanted = Array.isArray(scopes) ? SCOPES.filter((scope) => scopes.includes(scope)) : undefined;
  return {
    ...(wanted ? { scopes: wanted } : {}),
    ...(Array.isArray(projectIds) ? { projectIds: projectIds.map(String) } : {}),
    ...(revoked === true ? { revoked } : {}),
  };
}
