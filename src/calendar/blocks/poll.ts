import {
  type BlockRule,
  blocksApproved,
  type SeenBusy,
  type SeenCalendar,
} from '../../engine/domain/block.ts';
import { canHaveBeen } from '../../engine/domain/moments.ts';
import type { EntityKey } from '../../engine/domain/object.ts';
import { APPROVED_FOR_MS, holdsApproval } from '../../engine/domain/parked.ts';
import { repeat, type WakeAll } from '../../engine/loops.ts';
import type { Intake } from '../../engine/ports/intake.ts';
import type { Lease, Leases } from '../../engine/ports/leases.ts';
import type { Memory } from '../../engine/ports/memory.ts';
import type { ProblemBoard } from '../../engine/ports/operator.ts';
import type { DirectorySource } from '../../engine/ports/platform.ts';
import type { Clock, Log } from '../../engine/ports/runtime.ts';
import type { ObjectView } from '../../engine/ports/work.ts';
import type { Part } from '../../engine/supervisor.ts';
import { type Misnamed, People, type Person } from './people.ts';
import { blocksRead } from './read-until.ts';
import { calendarName, Reading, type ReadingParts } from './reading.ts';

/** How often each person gets a turn without a change; the worker may have missed a change to blocks on the platform. */
const LOOK_ANYHOW_MS = 60 * 60_000;

interface BlockPollParts extends ReadingParts {
  readonly rules: readonly BlockRule[];
  readonly directory: DirectorySource;
  readonly intake: Pick<Intake, 'observe'>;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly clock: Clock;
}

export class BlockPoll {
  readonly #parts: BlockPollParts;
  readonly #everybody: People;
  /** Resource to the time of its last forced turn. */
  readonly #lookedAtMs = new Map<string, number>();

  constructor(parts: BlockPollParts) {
    this.#parts = parts;
    this.#everybody = new People(parts.rules, parts.directory);
  }

  /**
   * One round for one entry. Rejects when Redis fails or the lease is lost. A calendar that cannot be read is logged and keeps its last
   * known busy times.
   */
  async round(rule: BlockRule, lease: Lease): Promise<void> {
    const { clock, memory } = this.#parts;
    const nowMs = clock.now();
    const { people, misnamed } = this.#everybody.current();
    await this.#tellMisnamed(rule, misnamed);
    const reading = new Reading(this.#parts);
    const approvedAtMs = await this.#approvedAtMs(rule, nowMs);
    for (const person of people.filter((each) => each.rule === rule)) {
      lease.signal.throwIfAborted();
      await this.#observe(person, { reading, nowMs, approvedAtMs, lease });
    }
    if (reading.unread.size === 0) await memory.set(blocksRead(rule.name), String(nowMs));
  }

  async #observe(
    person: Person,
    {
      reading,
      nowMs,
      approvedAtMs,
      lease,
    }: {
      readonly reading: Reading;
      readonly nowMs: number;
      readonly approvedAtMs: number;
      readonly lease: Lease;
    },
  ): Promise<void> {
    const { intake, view } = this.#parts;
    const key: EntityKey = { kind: 'block', id: person.resourceId };
    const known = (await view.peek(key))?.snapshot as SeenBusy | undefined;
    const calendars: SeenCalendar[] = [];
    for (const calendarId of person.calendarIds) {
      const name = calendarName(calendarId);
      const spans = await reading.busy(person, calendarId, nowMs);
      const before = known?.calendars.find((each) => each.name === name)?.busy ?? null;
      calendars.push({ name, busy: spans?.map(({ startMs, endMs }) => [startMs, endMs] as const) ?? before });
    }
    const seen_at = new Date(nowMs).toISOString();
    const snapshot: SeenBusy = { id: key.id, rule: person.rule.name, seen_at, calendars };
    const lookedAtMs = this.#lookedAtMs.get(key.id) ?? 0;
    const isLong = lookedAtMs < Math.max(nowMs - LOOK_ANYHOW_MS, approvedAtMs);
    const force = isLong || !canHaveBeen(lookedAtMs, nowMs);
    await intake.observe({
      ...{ key, source: 'calendar', occurredAtMs: nowMs, under: { name: lease.name, proof: lease.proof } },
      ...(force && { force }),
      seen: { as: 'snapshot', snapshot },
    });
    if (force) this.#lookedAtMs.set(key.id, nowMs);
  }

  /** When a person approved the entry's cancellations; 0 without a valid approval. An approval takes effect in the next round. */
  async #approvedAtMs({ name }: BlockRule, nowMs: number): Promise<number> {
    const until = await this.#parts.memory.get(blocksApproved(name));
    return holdsApproval(until, nowMs) ? Number(until) - APPROVED_FOR_MS : 0;
  }

  async #tellMisnamed(rule: BlockRule, misnamed: readonly Misnamed[]): Promise<void> {
    const { problems } = this.#parts;
    const target = `blocks:${rule.name}/names`;
    const own = misnamed.filter((each) => each.rule === rule.name);
    const [first] = own;
    if (first === undefined) return problems.clear(target);
    const message = `${own.length} names of this entry of blocks cannot be used (${first.what}-${first.why})`;
    const advice = 'Run `slotbridge check --live`: it says which, and what to write instead.';
    await problems.raise({ target, code: 'blocks-misnamed', message, advice });
  }
}

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
