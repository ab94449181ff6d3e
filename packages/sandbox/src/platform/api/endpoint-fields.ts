/** The fields of a webhook endpoint as a request gives them, and the rights they require. */
import type { Body } from '../body.ts';
import type { Core } from '../core.ts';
import { type EventType, isEventType } from '../event-types.ts';
import type { Caller } from '../keys.ts';
import { LIMITS } from '../options.ts';
import { Problem } from '../problem.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const PORT_MIN = 1024;

/** Accepts https only, port 443 or 1024 to 65535, no login. Returns a domain with non-Latin letters in `xn--` form. */
export function readUrl(core: Core, body: Body): string | undefined {
  const text = body.nullableText('url');
  if (typeof text !== 'string') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const refuse = (message: string): undefined => {
    body.complaints.add('url', message);
    return undefined;
  };
  if (!url) return refuse('must be a URL');
  const isLoopbackHttp =
    core.allowsLoopbackHttp && url.protocol === 'http:' && LOOPBACK.includes(url.hostname);
  if (url.protocol !== 'https:' && !isLoopbackHttp) return refuse('must be https');
  if (url.username !== '' || url.password !== '') return refuse('may not carry a login or password');
  const port = Number(url.port || (isLoopbackHttp ? 80 : 443));
  if (port !== 443 && port < PORT_MIN) return refuse('must use port 443 or 1024 to 65535');
  return url.href;
}

/** Event types, or `*` alone. The switch `wildcard` also allows `*` beside others. */
export function readEnabledEvents(core: Core, body: Body): string[] | undefined {
  const events = body.textList('enabled_events');
  if (!events) return undefined;
  const unknown = events.filter((type) => type !== '*' && !isEventType(type));
  if (events.length === 0) body.complaints.add('enabled_events', 'must name at least one event type');
  if (unknown.length > 0) body.complaints.add('enabled_events', `has unknown types: ${unknown.join(', ')}`);
  if (core.switches.wildcard === 'alone' && events.includes('*') && events.length > 1) {
    body.complaints.add('enabled_events', '* stands alone');
  }
  return [...new Set(events)];
}

export function readDescription(body: Body): string | null | undefined {
  return body.nullableText('description', LIMITS.endpointDescriptionChars);
}

/** null = all company projects. */
export function readProjectIds(body: Body): string[] | null | undefined {
  const ids = body.textList('project_ids')?.map((id) => id.toLowerCase());
  if (ids === undefined) return body.isNull('project_ids') ? null : undefined;
  if (ids.length === 0) body.complaints.add('project_ids', 'must name at least one project, or be null');
  return [...new Set(ids)];
}

/**
 * Throws 403 when the key lacks the read right for some of the events (listed in `detail`). Also when the projects are not all in
 * the key.
 */
export function demandRights(
  caller: Caller,
  wanted: { events: readonly string[]; projectIds: readonly string[] | null },
): void {
  const unreadable = wanted.events.filter((type) => !caller.canRead(type as EventType | '*'));
  if (unreadable.length > 0) throw new Problem('forbidden', `The key cannot read: ${unreadable.join(', ')}.`);
  if (wanted.projectIds === null) {
    if (!caller.coversAllProjects)
      throw new Problem('forbidden', 'Only a key covering all projects may take all of them.');
    return;
  }
  for (const id of wanted.projectIds) caller.demandProject(id);
}
