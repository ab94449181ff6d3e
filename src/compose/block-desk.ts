import { auditBlocks } from '../blocks/audit.ts';
import { blocksToClear, type ClearedBlock, clearBlock } from '../blocks/clear.ts';
import { peopleOf } from '../blocks/people.ts';
import { readReport } from '../blocks/report.ts';
import type { Difference } from '../domain/difference.ts';
import { SILENT } from '../ports/runtime.ts';
import { blockWriter, bookingsIn } from './blocks.ts';
import type { Core } from './core.ts';

/** What an operator asks of blocks, and has cancelled. */
export function openBlockDesk({
  config,
  store,
  remotes,
  directory,
  clock,
}: Pick<Core, 'config' | 'store' | 'remotes' | 'directory' | 'clock'>) {
  const { intents, memory } = store;
  const parts = { writer: blockWriter(remotes), intents, directory, clock, log: SILENT };
  return {
    async blockReports() {
      await directory.refresh();
      const { people } = peopleOf(config.blocks, directory.current());
      const reports = people.map(async ({ rule, resourceId }) => {
        const last = await readReport(memory, resourceId);
        return { entry: rule.name, resource: resourceId, ...(last && { last }) };
      });
      return Promise.all(reports);
    },
    async blocksToClear(entry: string | undefined) {
      await directory.refresh();
      const rules = config.blocks.filter(({ name }) => entry === undefined || name === entry);
      return blocksToClear(parts, rules, { everywhere: entry === undefined });
    },
    clearBlock: (block: ClearedBlock) => clearBlock(parts, block),
    async auditBlocks(tell: (difference: Difference) => void) {
      // An entry that left the YAML may have left blocks.
      if (config.blocks.length === 0 && (await store.known.count('block')) === 0) return undefined;
      await directory.refresh();
      const { ledger: view, deadLetters } = store;
      return auditBlocks(
        {
          ...{ rules: config.blocks, calendars: remotes.busyEvents, bookingsIn: bookingsIn(config) },
          ...{ directory, writer: parts.writer, view, deadLetters, memory, clock, log: SILENT },
        },
        tell,
      );
    },
  };
}
