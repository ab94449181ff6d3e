import { TerminalError } from '../../engine/domain/errors.ts';
import type { Snapshot } from '../../engine/domain/object.ts';
import { type EntityKey, formatKey, isReadable } from '../../engine/domain/object.ts';
import type { PlatformReader } from '../../engine/ports/platform.ts';

/** The platform shows no single lead or message. For these, `remembered` returns the newest state that was received. */
export async function findObject(
  key: EntityKey,
  parts: {
    readonly reader: Pick<PlatformReader, 'get'>;
    readonly remembered: (key: EntityKey) => Promise<Snapshot | undefined>;
  },
): Promise<Snapshot> {
  const { reader, remembered } = parts;
  const snapshot = isReadable(key.kind) ? await reader.get(key) : await remembered(key);
  if (snapshot !== undefined) return snapshot;
  const who = isReadable(key.kind) ? 'the platform does not show' : 'the worker does not know';
  throw new TerminalError('object-unknown', `${who} ${formatKey(key)}`, {
    advice: 'Check the id, and whether the API key covers its project; or use --sample.',
  });
}
