import { hash } from 'node:crypto';
import type { Actual } from '../../engine/mirror.ts';

/** Bytes taken from the machine at once; a longer record gets its own. */
const BLOCK_BYTES = 1_048_576;
/** Each record begins with the address of the one before it, and its own length. */
const HEAD_BYTES = 8;

/** The number of its reading, whether it is ours, name, content. */
type Thing = readonly [nth: number, isOurs: boolean, name: string, content: unknown];

interface PackedThing {
  readonly id: string;
  readonly thing: Thing;
}

interface Reading {
  readonly mirror: string;
  readonly place: string;
  isDropped: boolean;
}

/** One place while it is read. */
interface PlaceReading {
  put(standing: Actual): void;
  /** Forgets all that was put. */
  drop(): void;
}

/**
 * Everything in the places of the mirrors of one kind, until its object is compared. Each event or row takes some hundred bytes outside of
 * V8's heap, which hundreds of thousands would fill.
 */
export class ActualIndex {
  readonly #readings: Reading[] = [];
  readonly #blocks: Buffer[] = [];
  #used = BLOCK_BYTES;
  /** By a number made of the object's id, which other ids may share: the address of its last record. */
  readonly #last = new Addresses();

  open(mirror: string, place: string): PlaceReading {
    const reading: Reading = { mirror, place, isDropped: false };
    const nth = this.#readings.push(reading) - 1;
    return {
      put: ({ id, isOurs, name, content }) => this.#add({ id, thing: [nth, isOurs, name, content] }),
      drop() {
        reading.isDropped = true;
      },
    };
  }

  /** Removes one object, and returns what its places hold for it. */
  take(id: string): ActualOfObject {
    const things = [...this.#thingsAt(numberOf(id))].reverse();
    const own = things.filter((each) => each.id === id);
    if (own.length > 0) {
      this.#last.set(numberOf(id), NONE);
      for (const other of things) if (other.id !== id) this.#add(other);
    }
    return new ActualOfObject(this.#spotsOf(own));
  }

  has(id: string): boolean {
    return [...this.#thingsAt(numberOf(id))].some((each) => each.id === id);
  }

  /** Ids of the objects that were not taken. Each may be taken when it comes. */
  *rest(): Generator<string> {
    for (const number of this.#last.numbers())
      yield* new Set([...this.#thingsAt(number)].map(({ id }) => id));
  }

  #add({ id, thing }: PackedThing): void {
    const number = numberOf(id);
    const text = Buffer.from(JSON.stringify([id, ...thing]));
    const bytes = HEAD_BYTES + text.length;
    if (this.#used + bytes > BLOCK_BYTES) {
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(bytes, BLOCK_BYTES)));
      this.#used = 0;
    }
    const nth = this.#blocks.length - 1;
    const block = this.#blocks[nth] ?? text;
    block.writeUInt32LE(this.#last.get(number), this.#used);
    block.writeUInt32LE(text.length, this.#used + 4);
    text.copy(block, this.#used + HEAD_BYTES);
    this.#last.set(number, nth * BLOCK_BYTES + this.#used);
    this.#used += bytes;
  }

  /** The newest first. */
  *#thingsAt(number: number): Generator<PackedThing> {
    for (let at = this.#last.get(number); at !== NONE; ) {
      const block = this.#blocks[Math.floor(at / BLOCK_BYTES)];
      if (block === undefined) return;
      const from = at % BLOCK_BYTES;
      const text = block.toString(
        'utf8',
        from + HEAD_BYTES,
        from + HEAD_BYTES + block.readUInt32LE(from + 4),
      );
      const [id, ...thing] = JSON.parse(text) as [string, ...Thing];
      if (this.#readings[thing[0]]?.isDropped === false) yield { id, thing };
      at = block.readUInt32LE(from);
    }
  }

  #spotsOf(things: readonly PackedThing[]): ReadonlyMap<string, Spot> {
    const spots = new Map<string, Spot>();
    for (const { id, thing } of things) {
      const [nth, isOurs, name, content] = thing;
      const reading = this.#readings[nth];
      if (reading === undefined) continue;
      const { mirror, place } = reading;
      const standing = [...(spots.get(place)?.standing ?? []), { place, id, name, content, isOurs }];
      spots.set(place, { mirror, standing });
    }
    return spots;
  }
}

/** No address: 4 GiB of records are more than any company has. */
const NONE = 0xff_ff_ff_ff;
/** In a place that no number has taken. */
const FREE = NONE - 1;
const PLACES_AT_FIRST = 1_024;
/** Larger share of taken places: then there are twice as many. */
const TAKEN_SHARE_MAX = 0.7;

/** Numbers and their addresses outside of V8's heap: a `Map` takes four times as much, and inside. */
class Addresses {
  #numbers = new Uint32Array(PLACES_AT_FIRST);
  #addresses = new Uint32Array(PLACES_AT_FIRST).fill(FREE);
  #taken = 0;

  /** `NONE` for a number that has none. */
  get(number: number): number {
    const address = this.#addresses[this.#placeOf(number)];
    return address === undefined || address === FREE ? NONE : address;
  }

  set(number: number, address: number): void {
    const place = this.#placeOf(number);
    if (this.#addresses[place] === FREE) this.#taken += 1;
    this.#numbers[place] = number;
    this.#addresses[place] = address;
    if (this.#taken > TAKEN_SHARE_MAX * this.#numbers.length) this.#double();
  }

  /** Addresses may change meanwhile, but no number may be new. */
  *numbers(): Generator<number> {
    for (const [place, number] of this.#numbers.entries())
      if ((this.#addresses[place] ?? NONE) < FREE) yield number;
  }

  /** Where the number is, or would be. */
  #placeOf(number: number): number {
    const last = this.#numbers.length - 1;
    let place = number & last;
    while (this.#addresses[place] !== FREE && this.#numbers[place] !== number) place = (place + 1) & last;
    return place;
  }

  #double(): void {
    const [numbers, addresses] = [this.#numbers, this.#addresses];
    this.#numbers = new Uint32Array(2 * numbers.length);
    this.#addresses = new Uint32Array(2 * numbers.length).fill(FREE);
    this.#taken = 0;
    for (const [place, number] of numbers.entries()) {
      const address = addresses[place] ?? NONE;
      if (address < FREE) this.set(number, address);
    }
  }
}

function numberOf(id: string): number {
  return hash('sha256', id, 'buffer').readUInt32LE(0);
}

/** One place, and the mirror for which it was read. Each calendar or tab has one line in the YAML. */
interface Spot {
  readonly mirror: string;
  readonly standing: readonly Actual[];
}

export class ActualOfObject {
  readonly #spots: ReadonlyMap<string, Spot>;
  readonly #taken = new Set<string>();

  constructor(spots: ReadonlyMap<string, Spot>) {
    this.#spots = spots;
  }

  /** Also for a mirror that lost the place to another one: its past events are still there. */
  take(place: string): readonly Actual[] {
    this.#taken.add(place);
    return this.#spots.get(place)?.standing ?? [];
  }

  /** Everything that was not taken. */
  rest(): readonly { readonly mirror: string; readonly standing: Actual }[] {
    return [...this.#spots].flatMap(([place, { mirror, standing }]) =>
      this.#taken.has(place) ? [] : standing.map((each) => ({ mirror, standing: each })),
    );
  }
}
