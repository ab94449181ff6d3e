/** A process that dies at its n-th call to whatever it stands on. */
export class Death extends Error {}

export interface Doom {
  /** The call that it dies at, counted from 1. */
  readonly at: number;
  readonly moment: 'before' | 'after';
  /** Calls so far. */
  made: number;
}

/** What happens around each call to a port; `name`: of the method. */
export type Around = (call: () => Promise<unknown>, name: string) => Promise<unknown>;

/** Every method of every port counts as a call; the one that is doomed never comes back, and none after it is made. */
export function doomed<Ports extends object>(ports: Ports, doom: Doom): Ports {
  return withCalls(ports, dying(doom));
}

export function dying(doom: Doom): Around {
  return async (call) => {
    doom.made += 1;
    if (doom.made > doom.at || (doom.made === doom.at && doom.moment === 'before')) throw new Death();
    const result = await call();
    if (doom.made >= doom.at) throw new Death();
    return result;
  };
}

/** Answered from memory: no call, and no promise. */
const AT_ONCE: ReadonlySet<string | symbol> = new Set(['isSameAccount']);

/** Ports of which each call goes through `around`. */
export function withCalls<Ports extends object>(ports: Ports, around: Around): Ports {
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, withCall(port as object, around)]),
  ) as Ports;
}

function withCall<Port extends object>(port: Port, around: Around): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      if (AT_ONCE.has(name)) return method.bind(target) as unknown;
      return async (...args: unknown[]) =>
        around(async () => Reflect.apply(method, target, args) as unknown, String(name));
    },
  });
}

/** The calls of parts that are made once and live on: what happens around them can change meanwhile. */
export class Calls {
  #around: Around | undefined;

  /** The same part, with its calls counted. */
  readonly of = <Part extends object>(part: Part): Part =>
    withCall(part, (call, name) => this.#around?.(call, name) ?? call());

  async during<T>(around: Around, work: () => Promise<T>): Promise<T> {
    const before = this.#around;
    this.#around = around;
    try {
      return await work();
    } finally {
      this.#around = before;
    }
  }

  /** The work dies at its n-th step, each call having one before and one after it. True when it did. */
  async dieAt(step: number, work: () => Promise<unknown>): Promise<boolean> {
    const doom: Doom = { at: Math.ceil(step / 2), moment: step % 2 === 1 ? 'before' : 'after', made: 0 };
    await this.during(dying(doom), work).catch(() => undefined);
    return doom.made >= doom.at;
  }
}
