/**
 * How often a property is tried. `npm test` tries a quarter; the long tests play `*.property.test.ts` too, and try all of it. Each run has a
 * seed of its own, so that both go on finding something.
 */
export function runsOf(whole: number): number {
  return process.env['SLOTBRIDGE_TESTS'] === undefined ? Math.ceil(whole / 4) : whole;
}
