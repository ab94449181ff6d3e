// What a worker does before it writes anything: names are resolved, links follow an edited YAML, marked events are adopted.
import type { Log } from '../ports/runtime.ts';
import { untilDone } from '../work/loops.ts';
import type { MappingMark } from './mapping-change/mapping-mark.ts';
import type { Adoption } from './redis-lost/adoption.ts';

interface BootParts {
  readonly mark: MappingMark;
  /** Reads the platform's lists and resolves the names of the mapping. */
  readonly readLists: (signal: AbortSignal) => Promise<void>;
  readonly onNamesResolved: () => void;
  readonly inheritLinks: () => Promise<void>;
  readonly adopt: Adoption;
  readonly redisRun: () => Promise<string>;
  /** Writes down in which form this version keeps its state; rejects with `TerminalError` when a newer one has. */
  readonly stampState: () => Promise<void>;
  readonly log: Log;
}

export interface Booted {
  /** The Redis that all this was done on. */
  readonly redisRun: string;
  /** Goes on in the calendars that could not be read. */
  readonly adopting: Promise<void>;
}

/** Waits for the platform and Redis. Undefined when the signal aborted. Rejects for a name of the mapping that was never known. */
export async function boot(parts: BootParts, signal: AbortSignal): Promise<Booted | undefined> {
  const { mark, log } = parts;
  await untilDone({ name: 'platform lists', signal, log }, () => parts.readLists(signal));
  if (signal.aborted) return undefined;
  parts.onNamesResolved();
  let [wasBlank, redisRun]: [boolean | undefined, string] = [undefined, ''];
  // A worker that takes deliveries already must not end because Redis stands still, nor go on without its other half.
  const patiently = (step: () => Promise<unknown>) =>
    untilDone({ name: 'state in Redis', signal, log }, step);
  await patiently(async () => {
    await parts.stampState();
    wasBlank ??= !(await mark.isKnown());
    if (!wasBlank) await mark.take();
    redisRun = await parts.redisRun();
  });
  await patiently(parts.inheritLinks);
  // Before anything is written: what stands in the calendars already must not be made again elsewhere.
  const adoption = await parts.adopt(signal, wasBlank);
  // On a blank Redis only now: another worker, under which it was wiped, writes as soon as the mark is there.
  if (wasBlank === true) await patiently(() => mark.take());
  return signal.aborted ? undefined : { redisRun, adopting: adoption.rest };
}
