import { type Directory, NO_DIRECTORY } from '../engine/domain/directory.ts';
import { DeferredError } from '../engine/domain/errors.ts';
import type { PlatformReader } from '../engine/ports/platform.ts';

/** The platform's lists of names. Empty for a key that may not read them: a key for contacts does not need them. */
export async function shownDirectory(reader: Pick<PlatformReader, 'directory'>): Promise<Directory> {
  try {
    return await reader.directory();
  } catch (error) {
    if (error instanceof DeferredError && error.code === 'platform-forbidden') return NO_DIRECTORY;
    throw error;
  }
}
