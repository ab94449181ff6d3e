/**
 * Headers of a request or an answer, by their name in any case. Node's own come with all of `fetch`, which an idle worker would keep in
 * memory for nothing else: 5 MB. The build gives these to Google's client library (`scripts/bundle.mjs`).
 */
export class PlainHeaders {
  readonly #values = new Map<string, string>();

  constructor(init: Readonly<Record<string, unknown>> | Iterable<readonly [string, unknown]> = {}) {
    for (const [name, value] of isIterable(init) ? init : Object.entries(init)) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: unknown): void {
    this.#values.set(name.toLowerCase(), String(value));
  }

  append(name: string, value: unknown): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${String(value)}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(take: (value: string, name: string) => void): void {
    for (const [name, value] of this.#values) take(value, name);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries();
  }
}

function isIterable(init: object): init is Iterable<readonly [string, unknown]> {
  return Symbol.iterator in init;
}
