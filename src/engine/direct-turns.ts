/**
 * Begins a turn where its change has arrived. While this process has a handler to spare, a key never passes through the engine, which costs
 * as much as all else of a turn. Keys that find no free handler go to the engine, where any process takes them. One turn of a key at a time
 * in this process; between processes, the lock of the object (`WorkStore.claim`) keeps them apart.
 */
export class DirectTurns {
  readonly #atOnceMax: number;
  /** Keys with a turn in this process, by either way. */
  readonly #atWork = new Set<string>();
  /** Keys that changed during their turn. */
  readonly #changed = new Set<string>();
  /** Turns from the engine that wait for a handler: they go first. Called with false when none begins any more. */
  readonly #waiting: ((mayBegin: boolean) => void)[] = [];
  #handlers = 0;
  #begin: ((key: string) => Promise<unknown>) | undefined;
  #again: (key: string) => void = () => {};
  #onIdle: (() => void) | undefined;

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** `begin` is one turn, and never rejects. `again` adds a key that changed during its turn. */
  open(begin: (key: string) => Promise<unknown>, again: (key: string) => void): void {
    this.#begin = begin;
    this.#again = again;
  }

  /** Begins no more. Resolves when the turns that run have ended. */
  close(): Promise<void> {
    this.#begin = undefined;
    for (const done of this.#waiting.splice(0)) done(false);
    if (this.#handlers === 0) return Promise.resolve();
    return new Promise((done) => {
      this.#onIdle = done;
    });
  }

  /** False: the key is the engine's. Turns of classes stay there, because an erasure asks the engine for them. */
  take(key: string): boolean {
    const begin = this.#begin;
    if (begin === undefined || key.startsWith('class/')) return false;
    if (this.#atWork.has(key)) {
      this.#changed.add(key);
      return true;
    }
    if (this.#handlers >= this.#atOnceMax) return false;
    this.#handlers += 1;
    void this.#run(key, () => begin(key)).finally(() => this.#handOn());
    return true;
  }

  /** A turn that the engine hands out. `later`: the key is at work, and has a turn after this one. `closed`: none begins any more. */
  async inTurn<T>(key: string, turn: () => Promise<T>): Promise<T | 'later' | 'closed'> {
    if (!(await this.#handler())) return 'closed';
    try {
      return await this.#run(key, turn);
    } finally {
      this.#handOn();
    }
  }

  async #run<T>(key: string, turn: () => Promise<T>): Promise<T | 'later'> {
    if (this.#atWork.has(key)) {
      this.#changed.add(key);
      return 'later';
    }
    this.#atWork.add(key);
    try {
      return await turn();
    } finally {
      this.#atWork.delete(key);
      if (this.#changed.delete(key)) this.#again(key);
    }
  }

  #handler(): boolean | Promise<boolean> {
    if (this.#begin === undefined) return false;
    if (this.#handlers < this.#atOnceMax) {
      this.#handlers += 1;
      return true;
    }
    return new Promise((done) => this.#waiting.push(done));
  }

  /** The handler goes to who waits for it, or is free. */
  #handOn(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next(true);
      return;
    }
    this.#handlers -= 1;
    if (this.#handlers === 0) this.#onIdle?.();
  }
}
