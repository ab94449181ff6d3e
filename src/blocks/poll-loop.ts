import type { Leases } from '../ports/leases.ts';
import type { Log } from '../ports/runtime.ts';
import { repeat, type WakeAll } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import { BlockPoll, type BlockPollParts } from './poll.ts';

interface LoopParts extends BlockPollParts {
  readonly leases: Leases;
  /** False while another worker runs with a newer mapping. */
  readonly isCurrent: () => Promise<boolean>;
  readonly wakeAll: WakeAll;
  readonly log: Log;
}

/** Reads private calendars at the pace of their entries, one process at a time. */
export function blockPollLoop(parts: LoopParts): Part {
  const { rules, leases, isCurrent, wakeAll, log } = parts;
  const poll = new BlockPoll(parts);
  return {
    name: 'blocks',
    async run(signal) {
      await Promise.all(
        rules
          .filter(({ paused }) => !paused)
          .map((rule) =>
            repeat({ name: 'blocks', everyMs: rule.everyMs, signal, log, wakeAll }, async () => {
              if (!(await isCurrent())) return undefined;
              await leases.hold(`blocks:${rule.name}`, (lease) => poll.round(rule, lease), { until: signal });
              return undefined;
            }),
          ),
      );
    },
  };
}
