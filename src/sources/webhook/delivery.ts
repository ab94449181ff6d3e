import type { Intake } from '../../ports/intake.ts';
import type { PlatformEvent } from '../../ports/platform.ts';
import type { Log } from '../../ports/runtime.ts';

/** Takes a verified delivery in. Rejects with `RetryableError` when it could not be made durable. */
export async function takeBody(
  { intake, log }: { readonly intake: Intake; readonly log: Log },
  body: string,
): Promise<string> {
  const parsed = parseDelivery(body);
  if ('event' in parsed) return intake.takeEvent(parsed.event, 'webhook');
  log.warn({ reason: parsed.reason, chars: body.length }, 'webhook quarantined');
  await intake.quarantine(parsed.reason, body);
  return 'quarantined';
}

/** A delivery's body as an event; `reason` says why it is not one. Anything beyond id and type may be missing: others check that. */
export function parseDelivery(
  body: string,
): { event: PlatformEvent } | { reason: 'not-json' | 'not-an-event' } {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { reason: 'not-json' };
  }
  if (!isRecord(json)) return { reason: 'not-an-event' };
  const { id, type, created_at: createdAt = '' } = json;
  if (typeof id !== 'string' || id === '' || typeof type !== 'string') return { reason: 'not-an-event' };
  if (typeof createdAt !== 'string' && createdAt !== null) return { reason: 'not-an-event' };
  const data = isRecord(json['data']) ? json['data'] : {};
  return {
    event: {
      id,
      type,
      createdAt: createdAt ?? '',
      projectId: typeof json['project_id'] === 'string' ? json['project_id'] : undefined,
      test: json['test'] === true,
      object: isRecord(data['object']) ? data['object'] : undefined,
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
