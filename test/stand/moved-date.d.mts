export function movedDate(aheadMs: () => number): DateConstructor;
