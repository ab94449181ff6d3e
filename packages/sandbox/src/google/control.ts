// Lets other processes control the sandbox: JSON under /_sandbox, without a token, for loopback only.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Fault, FaultPlan, FaultRule } from '../faults.ts';
import { RouteTable } from '../route-table.ts';
import type { ConsentDesk } from './auth/consent.ts';
import type { OAuthGrant } from './auth/tokens.ts';
import type { PingFate } from './calendar/channels.ts';
import type { GoogleStats } from './counts.ts';
import { isObject, type JsonObject, objectOf, stringOf } from './json.ts';
import type { CalendarOptions, SpreadsheetOptions } from './options.ts';
import type { QuotaLimits } from './quotas.ts';
import { Refusal } from './refusal.ts';
import { send } from './request/send.ts';
import type { CalendarStaff } from './staff/calendar.ts';
import type { SheetStaff } from './staff/sheets.ts';
import type { Switches } from './switches.ts';
import { type Trouble, trouble } from './troubles.ts';
import type { Truth } from './truth.ts';

/** What other processes may do with a sandbox. */
export interface Controlled {
  readonly faults: FaultPlan;
  readonly truth: Truth;
  readonly staff: { calendar: CalendarStaff; sheets: SheetStaff };
  readonly switches: Switches;
  readonly pings: PingFate;
  readonly consent: ConsentDesk;
  latencyMs: number;
  stats(): GoogleStats;
  resetCounts(): void;
  serviceAccountKey(email?: string): JsonObject;
  accessToken(email?: string, scopes?: readonly string[], isServiceAccount?: boolean): string;
  oauthGrant(email: string, scopes: readonly string[]): OAuthGrant;
  allowDelegation(email: string, subjects: readonly string[] | 'all'): void;
  revokeTokens(): void;
  revokeGrants(): void;
  restoreGrants(): void;
  addCalendar(id: string, options: CalendarOptions): void;
  addSpreadsheet(id: string, options: SpreadsheetOptions): void;
  grantAccess(id: string, email?: string, role?: 'reader' | 'writer' | 'owner'): void;
  revokeAccess(id: string, email?: string): void;
  changeQuotas(limits: QuotaLimits): void;
  channels(): JsonObject[];
}

interface Control {
  sandbox: Controlled;
  body: JsonObject;
  /** Path parameters and the query. */
  given: Record<string, string>;
}

type Action = (control: Control) => unknown;

interface ControlParts {
  /** The running sandbox; undefined while it starts. */
  readonly sandbox: () => Controlled | undefined;
  /** Handles paths that are not control paths. */
  readonly otherwise: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

export function installControl(app: FastifyInstance, { sandbox, otherwise }: ControlParts): void {
  const table = new RouteTable({ ...actions, ...faultActions(new Map()) });
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE'],
    url: '/_sandbox/*',
    handler: (request, reply) => {
      const found = table.find(request.method, request.url);
      return found === undefined
        ? otherwise(request, reply)
        : answer(request, reply, { ...found, sandbox: sandbox() });
    },
  });
}

const actions: Record<string, Action> = {
  'GET stats': ({ sandbox }) => sandbox.stats(),
  'DELETE stats': ({ sandbox }) => sandbox.resetCounts(),
  'GET service-account': ({ sandbox, given }) => sandbox.serviceAccountKey(given['email']),
  'POST tokens': ({ sandbox, body }) => ({
    access_token: sandbox.accessToken(
      stringOf(body['email']),
      body['scopes'] as string[] | undefined,
      body['isServiceAccount'] !== false,
    ),
  }),
  'DELETE tokens': ({ sandbox }) => sandbox.revokeTokens(),
  'POST grants': ({ sandbox, body }) =>
    sandbox.oauthGrant(String(body['email']), (body['scopes'] ?? []) as string[]),
  'DELETE grants': ({ sandbox }) => sandbox.revokeGrants(),
  'PUT grants': ({ sandbox }) => sandbox.restoreGrants(),
  'POST oauth-clients': ({ sandbox }) => sandbox.consent.registerClient(),
  'POST consent': ({ sandbox, body }) => sandbox.consent.answerAs(stringOf(body['email'])),
  'POST delegations': ({ sandbox, body }) =>
    sandbox.allowDelegation(String(body['email']), (body['subjects'] ?? 'all') as string[] | 'all'),
  'POST calendars': ({ sandbox, body }) =>
    sandbox.addCalendar(String(body['id']), { shareWith: [], ...body } as CalendarOptions),
  'POST spreadsheets': ({ sandbox, body }) =>
    sandbox.addSpreadsheet(String(body['id']), {
      shareWith: [],
      tabs: [{ title: 'Sheet1' }],
      ...body,
    } as SpreadsheetOptions),
  'POST access': ({ sandbox, body }) =>
    sandbox.grantAccess(
      String(body['id']),
      stringOf(body['email']),
      (stringOf(body['role']) ?? 'writer') as 'writer',
    ),
  'DELETE access': ({ sandbox, body }) => sandbox.revokeAccess(String(body['id']), stringOf(body['email'])),
  'GET switches': ({ sandbox }) => sandbox.switches,
  'POST switches': ({ sandbox, body }) => Object.assign(sandbox.switches, known(body, sandbox.switches)),
  'POST pings': ({ sandbox, body }) => Object.assign(sandbox.pings, known(body, sandbox.pings)),
  'POST quotas': ({ sandbox, body }) => sandbox.changeQuotas(body as Record<string, number>),
  'POST latency': ({ sandbox, body }) => {
    sandbox.latencyMs = Number(body['ms']);
  },
  'GET channels': ({ sandbox }) => sandbox.channels(),
  'GET truth/calendars': ({ sandbox }) => sandbox.truth.calendarIds(),
  'GET truth/calendars/:id/events': ({ sandbox, given }) => sandbox.truth.events(given['id'] ?? ''),
  'GET truth/calendars/:id/events/:eventId': ({ sandbox, given }) =>
    sandbox.truth.event(given['id'] ?? '', given['eventId'] ?? '') ?? null,
  'GET truth/spreadsheets': ({ sandbox }) => sandbox.truth.spreadsheetIds(),
  'GET truth/spreadsheets/:id': ({ sandbox, given }) => sandbox.truth.spreadsheet(given['id'] ?? ''),
  'GET truth/spreadsheets/:id/tabs': ({ sandbox, given }) => sandbox.truth.tabs(given['id'] ?? ''),
  'GET truth/spreadsheets/:id/values': ({ sandbox, given }) =>
    sandbox.truth.values(given['id'] ?? '', given['tab'] ?? ''),
  'GET staff': ({ sandbox }) => ({
    calendar: actionsOf(sandbox.staff.calendar),
    sheets: actionsOf(sandbox.staff.sheets),
  }),
  'POST staff/:room/:action': ({ sandbox, given, body }) => act(sandbox.staff, given, body),
};

function faultActions(faults: Map<string, () => void>): Record<string, Action> {
  return {
    'POST faults': ({ sandbox, body }) => {
      const id = String(faults.size + 1);
      faults.set(id, sandbox.faults.add(ruleOf(body)));
      return { id };
    },
    'GET faults': ({ sandbox }) => ({ hits: sandbox.faults.hits() }),
    'DELETE faults': ({ sandbox }) => sandbox.faults.clear(),
    'DELETE faults/:id': ({ given }) => faults.get(given['id'] ?? '')?.(),
  };
}

/** A FaultRule whose `path` is the source of a regular expression, with a `fault` or the name of a `trouble`. */
function ruleOf(body: JsonObject): FaultRule {
  const { path, trouble: name, ...rest } = body;
  if (typeof name === 'string') rest['fault'] = trouble(name as Trouble) as unknown as JsonObject;
  if (!isObject(rest['fault'])) throw new Error('a rule needs a fault');
  return { ...(rest as { fault: Fault }), ...(typeof path === 'string' ? { path: new RegExp(path) } : {}) };
}

function act(staff: Controlled['staff'], given: Record<string, string>, body: JsonObject): unknown {
  const room =
    given['room'] === 'calendar' ? staff.calendar : given['room'] === 'sheets' ? staff.sheets : undefined;
  const action = given['action'] ?? '';
  const isKnown = room !== undefined && actionsOf(room).includes(action);
  const method: unknown = isKnown ? Reflect.get(room, action) : undefined;
  if (typeof method !== 'function') throw new Error(`nobody knows how to ${given['room']}/${action}`);
  return method.call(room, body);
}

/** Names of the actions that staff can do in this room. */
function actionsOf(room: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(room)).filter((name) => name !== 'constructor');
}

/** Accepts only existing names. Otherwise a mistyped switch would silently have no effect. */
function known(body: JsonObject, allowed: object): JsonObject {
  for (const name of Object.keys(body))
    if (!Object.hasOwn(allowed, name)) throw new Error(`the sandbox has no setting ${name}`);
  return body;
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  how: { sandbox: Controlled | undefined; action: Action; given: Record<string, string> },
): Promise<FastifyReply> {
  if (how.sandbox === undefined) return send(reply, { status: 503, body: { error: 'starting' } });
  try {
    const body = objectOf(
      request.body === undefined || request.body === '' || request.body === null
        ? {}
        : JSON.parse(String(request.body)),
    );
    const given = { ...(request.query as Record<string, string>), ...how.given };
    const result = how.action({ sandbox: how.sandbox, body, given });
    return send(reply, {
      status: 200,
      body: (result ?? (result === null ? { found: false } : { ok: true })) as JsonObject,
    });
  } catch (error) {
    if (error instanceof Refusal) return send(reply, { status: error.status, body: error.body });
    return send(reply, { status: 400, body: { error: error instanceof Error ? error.message : 'failed' } });
  }
}
