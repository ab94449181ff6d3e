/** A process that dies at its n-th call to whatever the submitter stands on. */
import type { Ground } from './stand.ts';

export class Death extends Error {}

export interface Doom {
  /** Counted from 1. */
  readonly at: number;
  readonly moment: 'before' | 'after';
}

/** Every method of every port counts as a call; the one that is doomed never comes back, and none after it is made. */
export function doomed(ground: Ground, doom: Doom): Ground {
  const calls = { made: 0 };
  return Object.fromEntries(
    Object.entries(ground).map(([name, port]) => [name, counted(port as object, doom, calls)]),
  ) as unknown as Ground;
}

function counted(port: object, doom: Doom, calls: { made: number }): object {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        calls.made += 1;
        const isDoomed = calls.made === doom.at;
        if (calls.made > doom.at || (isDoomed && doom.moment === 'before')) throw new Death();
        const result: unknown = await method.apply(target, args);
        if (isDoomed || calls.made > doom.at) throw new Death();
        return result;
      };
    },
  });
}
