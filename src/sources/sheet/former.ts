// A row that seems to be new comes in; the id that it had before comes out, if it is an old one whose id cell somebody emptied, or over
// which an id of the worker's was written while people sorted. Booked under a new id it would be booked twice.

import { rowOfOrigin } from '../../domain/origin.ts';
import { isRowId } from '../../domain/row-id.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { ObjectView } from '../../ports/ledger.ts';
import type { PlatformReader } from '../../ports/platform-reader.ts';
import type { TypedRow } from './typed-row.ts';

export interface FormerParts {
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<ObjectView, 'peek'>;
  /** Metadata key under which an appointment names its origin. */
  readonly originMark: string;
}

export interface FormerGround {
  readonly spreadsheetId: string;
  /** Name of the entry of `bookings`. */
  readonly mapping: string;
  /** Ids that stand in the tab. */
  readonly standing: ReadonlySet<string>;
  /** Ids that are known, whether their rows stand there or not; to the print of the row where that is known. */
  readonly known: ReadonlyMap<string, string | undefined>;
}

/** Rows that are missing are looked up one by one; where more are, somebody has emptied the tab and types it anew. */
const MISSING_MAX = 500;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** For the rows of one reading. */
export class FormerIds {
  readonly #parts: FormerParts;
  readonly #ground: FormerGround;
  readonly #taken = new Set<string>();
  #missing: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

  constructor(parts: FormerParts, ground: FormerGround) {
    this.#parts = parts;
    this.#ground = ground;
  }

  /** Undefined: it is new. One id is given to one row only. */
  async of(row: TypedRow): Promise<string | undefined> {
    const found = (await this.#byAppointment(row)) ?? (await this.#byContent(row));
    if (found !== undefined) this.#taken.add(found);
    return found;
  }

  /** The appointment says by which row it was booked; also when everything else was lost. */
  async #byAppointment({ appointment }: TypedRow): Promise<string | undefined> {
    if (!UUID.test(appointment)) return undefined;
    const found = await this.#parts.reader.get({ kind: 'appointment', id: appointment });
    const metadata = found?.['metadata'] as Readonly<Record<string, unknown>> | null | undefined;
    const id = rowOfOrigin(metadata?.[this.#parts.originMark]);
    return id !== undefined && this.#isMissing(id) ? id : undefined;
  }

  async #byContent({ print }: TypedRow): Promise<string | undefined> {
    this.#missing ??= this.#missingPrints();
    return (await this.#missing).get(print)?.find((id) => this.#isMissing(id));
  }

  #isMissing(id: string): boolean {
    const { spreadsheetId, standing } = this.#ground;
    return isRowId(id, spreadsheetId) && !standing.has(id) && !this.#taken.has(id);
  }

  async #missingPrints(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { known } = this.#ground;
    const missing = [...known.keys()].filter((id) => this.#isMissing(id));
    const prints = new Map<string, string[]>();
    if (missing.length > MISSING_MAX) return prints;
    for (const id of missing) {
      const print = await this.#livePrint(id);
      if (print !== undefined) prints.set(print, [...(prints.get(print) ?? []), id]);
    }
    return prints;
  }

  /** Undefined for a row that came to nothing: who types it again wishes anew. */
  async #livePrint(id: string): Promise<string | undefined> {
    const { mapping, known } = this.#ground;
    const claim = await this.#parts.view.peek({ kind: 'booking', id });
    if (claim?.snapshot === undefined) return undefined;
    const record = claim.links[mapping]?.booking;
    const isOver = record !== undefined && record.state !== 'new' && record.state !== 'booked';
    if (isOver && record.asked === undefined) return undefined;
    return known.get(id) ?? printOf(claim.snapshot);
  }
}

/** As `readRows` would find it in the row. */
export function printOf(snapshot: Snapshot): string {
  return contentHash(snapshot['cells'] ?? {});
}
