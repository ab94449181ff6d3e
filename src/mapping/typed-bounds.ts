import { type CarryingMirror, ofKind } from '../engine/domain/mirror.ts';
import { ROWS_PER_HOUR } from '../engine/domain/outside-booking.ts';
import { EDITS_PER_HOUR } from '../engine/domain/row-edit.ts';
import type { Config } from './config.ts';
import { carryingMirrors } from './needs.ts';

/** How much people may type into one tab within an hour without a person's approval. */
export interface TypedBound {
  /** Name of the mirror, or of the entry of `bookings`. */
  readonly name: string;
  readonly rows: 'edited' | 'booked';
  readonly perHour: number;
}

export function typedBounds(config: Pick<Config, 'mirrors' | 'bookings'>): readonly TypedBound[] {
  const edited = ({ name, carry }: CarryingMirror): TypedBound => ({
    ...{ name, rows: 'edited', perHour: carry.editsPerHour ?? EDITS_PER_HOUR },
  });
  const booked = ofKind(config.bookings, 'sheet').map(
    ({ name, rowsPerHour = ROWS_PER_HOUR }): TypedBound => ({ name, rows: 'booked', perHour: rowsPerHour }),
  );
  return [...carryingMirrors(config).map(edited), ...booked];
}

export function typedBoundText({ name, rows, perHour }: TypedBound): string {
  return `${name}: ${perHour} rows ${rows} an hour, further ones wait for approval`;
}
