// The result of a person's last turn, as times and codes. Operators can read it, and it keeps the worker from repeating a refused request
// immediately.

import { BLOCK_REPORT, type HeldBlocks, type Span } from '../../engine/domain/block.ts';
import { distanceMs } from '../../engine/domain/moments.ts';
import type { Memory } from '../../engine/ports/memory.ts';

/** How long the worker waits before it requests a refused time again. */
const REFUSED_REST_MS = 30 * 60_000;
/** Most refused times stored for one person; the platform refuses the others again. */
const REFUSED_MAX = 500;

export interface RefusedBlock extends Span {
  readonly code: string;
  readonly atMs: number;
}

export interface BlockReport extends HeldBlocks {
  /** Number of blocks that are right on the platform. */
  readonly standing: number;
  readonly refused: readonly RefusedBlock[];
  /** Number of busy spans that no block of the service fits into. */
  readonly tooShort: number;
}

export async function readReport(
  memory: Pick<Memory, 'get'>,
  resourceId: string,
): Promise<BlockReport | undefined> {
  const text = await memory.get(`${BLOCK_REPORT}${resourceId}`);
  return text === undefined ? undefined : (JSON.parse(text) as BlockReport);
}

export async function writeReport(
  memory: Pick<Memory, 'set'>,
  resourceId: string,
  report: BlockReport,
): Promise<void> {
  const refused = report.refused.slice(0, REFUSED_MAX);
  await memory.set(`${BLOCK_REPORT}${resourceId}`, JSON.stringify({ ...report, refused }));
}

/** Refusals that still apply: recent ones of times that are still wanted. */
export function standingRefusals(
  report: BlockReport | undefined,
  wanted: readonly Span[],
  nowMs: number,
): readonly RefusedBlock[] {
  return (report?.refused ?? []).filter(
    ({ startMs, endMs, atMs }) =>
      distanceMs(atMs, nowMs) < REFUSED_REST_MS &&
      wanted.some((span) => span.startMs === startMs && span.endMs === endMs),
  );
}
