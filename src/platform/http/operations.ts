/**
 * Every operation that the platform's document shows, with the scope it needs (platform API, Authentication) and the possible meanings of a
 * 403. A 403 proves something about the whole key only where nothing but the scope can be missing.
 */
export type Scope =
  | 'contacts:read'
  | 'contacts:write'
  | 'conversations:read'
  | 'conversations:write'
  | 'appointments:read'
  | 'appointments:write'
  | 'webhooks:manage';

interface OperationFacts {
  readonly scope: Scope;
  /**
   * `scope`: the key lacks the scope for all requests. `request`: the 403 may also be about the project or the event group of this request.
   * A read counts as `request` when it filters by `project_id` or by event `type`.
   */
  readonly forbiddenMeans: 'scope' | 'request';
}

export const OPERATIONS = {
  'contacts.list': { scope: 'contacts:read', forbiddenMeans: 'scope' },
  'contacts.get': { scope: 'contacts:read', forbiddenMeans: 'scope' },
  // The worker creates contacts only in the project of a service that the key can see, so a 403 can only mean the scope.
  'contacts.create': { scope: 'contacts:write', forbiddenMeans: 'scope' },
  'contacts.change': { scope: 'contacts:write', forbiddenMeans: 'scope' },
  'conversations.list': { scope: 'conversations:read', forbiddenMeans: 'scope' },
  'conversations.get': { scope: 'conversations:read', forbiddenMeans: 'scope' },
  'conversations.close': { scope: 'conversations:write', forbiddenMeans: 'scope' },
  'conversations.messages': { scope: 'conversations:read', forbiddenMeans: 'scope' },
  'appointments.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'appointments.get': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  // An appointment belongs to the project of its service, and a foreign service is a 422, so a 403 can only mean the scope.
  'appointments.create': { scope: 'appointments:write', forbiddenMeans: 'scope' },
  'appointments.reschedule': { scope: 'appointments:write', forbiddenMeans: 'scope' },
  'appointments.cancel': { scope: 'appointments:write', forbiddenMeans: 'scope' },
  'slots.find': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'services.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'resources.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'branches.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  // Access to an endpoint also depends on its events and projects (platform API, Webhook endpoints).
  'webhook_endpoints.list': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.create': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.get': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.change': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.delete': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.roll_secret': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.test': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'events.list': { scope: 'webhooks:manage', forbiddenMeans: 'scope' },
  'events.get': { scope: 'webhooks:manage', forbiddenMeans: 'scope' },
} as const satisfies Record<string, OperationFacts>;

export type Operation = keyof typeof OPERATIONS;

/** The scope that a 403 on this request proves missing; undefined when the 403 may be about the request instead. */
export function scopeProvedMissing(request: {
  operation: Operation;
  query?: Readonly<Record<string, string>>;
}): Scope | undefined {
  const facts = OPERATIONS[request.operation];
  const query = request.query ?? {};
  if (facts.forbiddenMeans === 'request' || 'project_id' in query || 'type' in query) return undefined;
  return facts.scope;
}
