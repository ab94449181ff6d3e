// Conditions of a mapping that is read without the template engine, for commands that must answer quickly.
import type { Condition, Filtered } from '../engine/mirror.ts';

/** A condition that cannot judge yet. Hashes of mappings use only its source, as with a compiled one. */
export function deferCondition(source: string): Condition {
  return new DeferredCondition(source);
}

/** The same filters, with conditions that judge. Loads the engine only when one of them has a condition. */
export async function compileDeferred<Each extends Filtered>(all: readonly Each[]): Promise<readonly Each[]> {
  if (all.every(({ where }) => where.condition === undefined)) return all;
  const { compileCondition } = await import('./filter-condition.ts');
  return all.map((each) => {
    const { condition } = each.where;
    if (condition === undefined) return each;
    return { ...each, where: { ...each.where, condition: compileCondition(condition.source) } };
  });
}

class DeferredCondition implements Condition {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  judge(): never {
    throw new Error('a condition has to be compiled before it judges');
  }
}
