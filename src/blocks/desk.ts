import type { CarryParts } from '../bookings/submit/carry.ts';
import type { Difference } from '../domain/difference.ts';
import { SILENT } from '../ports/runtime.ts';
import type { KnownObjects } from '../ports/work.ts';
import { auditBlocks, type BlockAuditParts } from './audit.ts';
import { blocksToClear, type ClearedBlock, clearBlock } from './clear.ts';
import { peopleOf } from './people.ts';
import { readReport } from './report.ts';

type DeskParts = Omit<BlockAuditParts & CarryParts, 'log' | 'directory'> & {
  readonly directory: CarryParts['directory'] & { refresh(): Promise<unknown> };
  readonly known: Pick<KnownObjects, 'count'>;
};

/** What operator commands do with blocks: report, clear and audit. The platform's lists are read before blocks are selected. */
export function openBlockDesk(about: DeskParts) {
  const parts = { ...about, log: SILENT };
  const { rules, directory, memory, known } = parts;
  return {
    async blockReports() {
      await directory.refresh();
      const { people } = peopleOf(rules, directory.current());
      const reports = people.map(async ({ rule, resourceId }) => {
        const last = await readReport(memory, resourceId);
        return { entry: rule.name, resource: resourceId, ...(last && { last }) };
      });
      return Promise.all(reports);
    },
    async blocksToClear(entry: string | undefined) {
      await directory.refresh();
      const meant = rules.filter(({ name }) => entry === undefined || name === entry);
      return blocksToClear(parts, meant, { everywhere: entry === undefined });
    },
    clearBlock: (block: ClearedBlock) => clearBlock(parts, block),
    async auditBlocks(tell: (difference: Difference) => void) {
      // An entry that was removed from the YAML may have left blocks.
      if (rules.length === 0 && (await known.count('block')) === 0) return undefined;
      await directory.refresh();
      return auditBlocks(parts, tell);
    },
  };
}
