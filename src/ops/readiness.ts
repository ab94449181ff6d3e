import type { Problem } from '../domain/work.ts';

/** Whether the worker can do its work: Redis takes writes, and the names of the mapping are known. */
export async function readiness(
  writeProbe: { problem(): Promise<Problem | undefined> },
  areNamesResolved: boolean,
): Promise<{ readonly ready: boolean; readonly reasons: string[] }> {
  const redis = await writeProbe.problem().then(
    (problem) => problem?.message,
    () => 'Redis does not answer',
  );
  const reasons = [
    ...(redis === undefined ? [] : [redis]),
    ...(areNamesResolved ? [] : ['the names of the mapping are not resolved yet']),
  ];
  return { ready: reasons.length === 0, reasons };
}
