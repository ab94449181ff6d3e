/** Paths of the programs; undefined for each that is missing. */
export function findFeedReaders(): Readonly<
  Record<'khal' | 'vdirsyncer' | 'calcurse' | 'python', string | undefined>
>;
