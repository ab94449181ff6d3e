// What the last turn of one person came to, as times and codes. People ask for it, and it keeps a refused request from being repeated at
// once.
import { BLOCK_REPORT, type HeldBlocks, type Span } from '../domain/block.ts';
import type { Memory } from '../ports/memory.ts';

/** A time that the platform has refused is asked for again after this long. */
const REFUSED_REST_MS = 30 * 60_000;
/** For one person; the rest is refused again. */
const REFUSED_MAX = 500;

export interface RefusedBlock extends Span {
  readonly code: string;
  readonly atMs: number;
}

export interface BlockReport extends HeldBlocks {
  /** Blocks that stand as they should. */
  readonly standing: number;
  readonly refused: readonly RefusedBlock[];
  /** Busy times that no block of the service fits into. */
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

/** Refusals that still stand: of times that are wanted, and fresh enough. */
export function standingRefusals(
  report: BlockReport | undefined,
  wanted: readonly Span[],
  nowMs: number,
): readonly RefusedBlock[] {
  return (report?.refused ?? []).filter(
    ({ startMs, endMs, atMs }) =>
      nowMs - atMs < REFUSED_REST_MS &&
      wanted.some((span) => span.startMs === startMs && span.endMs === endMs),
  );
}
