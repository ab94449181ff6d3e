/** A process that dies at its n-th call to whatever it stands on. */
export class Death extends Error {}

export interface Doom {
  /** The call that it dies at, counted from 1. */
  readonly at: number;
  readonly moment: 'before' | 'after';
  /** Calls so far. */
  made: number;
}

/** Every method of every port counts as a call; the one that is doomed never comes back, and none after it is made. */
export function doomed<Ports extends object>(ports: Ports, doom: Doom): Ports {
  return withCalls(ports, async (call) => {
    doom.made += 1;
    if (doom.made > doom.at || (doom.made === doom.at && doom.moment === 'before')) throw new Death();
    const result = await call();
    if (doom.made >= doom.at) throw new Death();
    return result;
  });
}

/** Answered from memory: no call, and no promise. */
const AT_ONCE: ReadonlySet<string | symbol> = new Set(['isSameAccount']);

/** Ports of which each call goes through `around`. */
export function withCalls<Ports extends object>(
  ports: Ports,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): Ports {
  const counted = (port: object) =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        if (AT_ONCE.has(name)) return method.bind(target) as unknown;
        return async (...args: unknown[]) => around(async () => method.apply(target, args) as unknown);
      },
    });
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, counted(port as object)]),
  ) as Ports;
}
