import { FORMATION_MS } from '../../domain/coverage.ts';
import type { PlatformReader } from '../../ports/platform.ts';
import { every } from '../../work/loops.ts';
import type { Part } from '../../work/supervisor.ts';
import { careForEndpoint, type EndpointCareParts, endpointUnseen, isProvedSince } from './endpoint-care.ts';

/** How often an unhealthy endpoint is checked; a person is probably repairing it. */
const UNHEALTHY_CHECK_EVERY_MS = 15_000;

export function endpointCare(parts: EndpointCareParts, everyMs: number): Part {
  return every({ name: 'endpoint care', everyMs, log: parts.log }, async () => {
    const found = await careForEndpoint(parts);
    return found === 'healthy' ? undefined : Math.min(UNHEALTHY_CHECK_EVERY_MS, everyMs);
  });
}

/**
 * Checks the endpoint before a walk through the feed, which vouches only for the time in which the endpoint was enabled. So the check must
 * come after all that the walk will cover.
 */
export async function lookBeforeWalk(
  parts: EndpointCareParts & { readonly formationMs?: number | undefined },
  reader: Pick<PlatformReader, 'eventPage'>,
): Promise<void> {
  if (await isProvedSince(parts, parts.clock.now() - (parts.formationMs ?? FORMATION_MS))) return;
  await careForEndpoint(parts).catch((error: unknown) =>
    endpointUnseen(parts, error, () => reader.eventPage({ limit: 1 })),
  );
}
