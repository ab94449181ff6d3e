// Reads a class from the platform in every turn. Stored state about a class is never the truth, so nothing has to be rebuilt.
import { CLASSES, type ClassNow, type ClassSlot, classNow, slotIn } from '../../engine/domain/class-slot.ts';
import { RetryableError, TerminalError } from '../../engine/domain/errors.ts';
import type { Snapshot } from '../../engine/domain/object.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { DirectorySource, PlatformReader } from '../../engine/ports/platform.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { ClassReader } from '../../engine/ports/work.ts';

const PAGE_APPOINTMENTS = 100;
/** Age up to which a change counts as live; older changes leave room for live work. */
const LIVE_FOR_MS = 2 * 60_000;
/** Most pages of a class's appointments; the list of one start ends earlier, however many places the class has. */
const PAGES_MAX = 50;

export interface ClassReaderParts {
  readonly reader: Pick<PlatformReader, 'get' | 'page' | 'isProjectVisible'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
}

export function createClassReader(parts: ClassReaderParts): ClassReader {
  return {
    async read(claim): Promise<Claim & { readonly snapshot: ClassNow }> {
      const slot = slotIn(claim.snapshot?.['slot']);
      if (slot === undefined)
        throw new RetryableError('snapshot-missing', 'nothing but the id of the class is known');
      const waitedMs = parts.clock.now() - (claim.pendingSinceMs ?? 0);
      const now = classNow(slot, await listed(parts.reader, slot, waitedMs < LIVE_FOR_MS));
      if (now.members.length === 0 && isShown(claim)) await assertEmpty(parts, slot);
      const split = await splitNow(parts, claim);
      return { ...claim, snapshot: { ...now, ...(split && { split }) } };
    },
  };
}

async function listed(
  reader: ClassReaderParts['reader'],
  slot: ClassSlot,
  isLive: boolean,
): Promise<readonly Snapshot[]> {
  const filters = {
    ...{ service_id: slot.serviceId, resource_id: slot.resourceId },
    'starts_at[gte]': new Date(slot.startMs).toISOString(),
    'starts_at[lt]': new Date(slot.startMs + 1).toISOString(),
  };
  const found: Snapshot[] = [];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const startingAfter = found.at(-1)?.id;
    const { data, hasMore } = await reader.page('appointment', {
      ...{ limit: PAGE_APPOINTMENTS, filters, isLive },
      ...(startingAfter !== undefined && { startingAfter }),
    });
    found.push(...data);
    if (!hasMore || data.length === 0) return found;
  }
  throw new TerminalError('class-too-large', 'a class has more appointments than the worker reads', {
    target: 'platform',
    advice: 'Take its service out of classes.',
  });
}

/** Which of the appointments that could not be moved back are still at the other hour. */
async function splitNow({ reader }: ClassReaderParts, { links }: Claim): Promise<ClassNow['split']> {
  const { split } = links[CLASSES] ?? {};
  if (split === undefined) return undefined;
  const ids: string[] = [];
  for (const id of split.ids) {
    const found = await reader.get({ kind: 'appointment', id });
    const isThere = Date.parse(String(found?.['starts_at'])) === Date.parse(split.to);
    if (isThere && found?.['status'] !== 'cancelled') ids.push(id);
  }
  return ids.length === 0 ? undefined : { ...split, ids };
}

function isShown({ links }: Claim): boolean {
  return Object.values(links).some(({ calendars = [] }) => calendars.length > 0);
}

/** An empty list may come from a key that no longer covers the project (platform API, general rule 2). */
async function assertEmpty({ reader, directory }: ClassReaderParts, slot: ClassSlot): Promise<void> {
  const { services, resources } = directory.current();
  const projectId = (services.get(slot.serviceId) ?? resources.get(slot.resourceId))?.projectId;
  if (projectId !== undefined && (await reader.isProjectVisible(projectId))) return;
  throw new TerminalError(
    'class-not-visible',
    'the platform shows no appointment of this class to the key, and not that its project is in the key',
    {
      target: 'platform',
      advice:
        'See that the project of the service is in the API key, and that the service or the resource is active; then retry. Nothing was deleted.',
    },
  );
}
