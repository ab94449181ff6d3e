// What a worker does before its first write: it resolves names, moves links after an edit of the YAML, and adopts marked events.

import type { MappingMark } from './mapping-mark.ts';
import type { Adoption } from './redis-lost.ts';
import type { Log } from './runtime.ts';
import { untilDone } from './supervisor.ts';

interface BootParts {
  readonly mark: MappingMark;
  /** Reads the platform's lists and resolves the names of the mapping. */
  readonly readLists: (signal: AbortSignal) => Promise<void>;
  readonly onNamesResolved: () => void;
  readonly inheritLinks: () => Promise<void>;
  readonly adopt: Adoption;
  readonly redisRun: () => Promise<string>;
  /** Records the format in which this version keeps its state. Rejects with `TerminalError` when a newer version has recorded one. */
  readonly stampState: () => Promise<void>;
  readonly log: Log;
}

export interface Booted {
  /** The Redis run on which all this was done. */
  readonly redisRun: string;
  /** Continues in the calendars that could not be read. */
  readonly adopting: Promise<void>;
}

/** Waits for the platform and Redis. Undefined when the signal aborted. Rejects for a name of the mapping that was never known. */
export async function boot(parts: BootParts, signal: AbortSignal): Promise<Booted | undefined> {
  const { mark, log } = parts;
  await untilDone({ name: 'platform lists', signal, log }, () => parts.readLists(signal));
  if (signal.aborted) return undefined;
  parts.onNamesResolved();
  let [wasBlank, redisRun]: [boolean | undefined, string] = [undefined, ''];
  // A worker that already takes deliveries must not end because Redis hangs, nor continue without its other half.
  const patiently = (step: () => Promise<unknown>) =>
    untilDone({ name: 'state in Redis', signal, log }, step);
  await patiently(async () => {
    await parts.stampState();
    wasBlank ??= !(await mark.isKnown());
    if (!wasBlank) await mark.take();
    redisRun = await parts.redisRun();
  });
  await patiently(parts.inheritLinks);
  // Before the first write, because events that already exist in the calendars must not be created again elsewhere.
  const adoption = await parts.adopt(signal, wasBlank);
  // On a blank Redis only now: another worker whose Redis was wiped writes as soon as the mark exists.
  if (wasBlank === true) await patiently(() => mark.take());
  return signal.aborted ? undefined : { redisRun, adopting: adoption.rest };
}
