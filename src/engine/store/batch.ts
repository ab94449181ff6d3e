/** Collects the items of one turn of the event loop into one call. Each caller gets the answer to its own item. */
export class Batch<Item, Answer> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Answer[]>;
  readonly #atOnceMax: number;
  #waiting: Waiting<Item, Answer>[] = [];

  /** `run` answers in the order of its items. It gets at most `atOnceMax` of them. */
  constructor(parts: {
    readonly run: (items: readonly Item[]) => Promise<readonly Answer[]>;
    readonly atOnceMax: number;
  }) {
    this.#run = parts.run;
    this.#atOnceMax = parts.atOnceMax;
  }

  /** Rejects when the shared call rejects. */
  ask(item: Item): Promise<Answer> {
    return new Promise((done, fail) => {
      this.#waiting.push({ item, done, fail });
      if (this.#waiting.length === 1) setImmediate(() => this.#leave());
    });
  }

  #leave(): void {
    const leaving = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < leaving.length; at += this.#atOnceMax)
      void this.#answer(leaving.slice(at, at + this.#atOnceMax));
  }

  async #answer(asked: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#run(asked.map(({ item }) => item));
      if (answers.length !== asked.length) throw new Error('a batch was not answered whole');
      for (const [nth, { done }] of asked.entries()) done(answers[nth] as Answer);
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly done: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}
