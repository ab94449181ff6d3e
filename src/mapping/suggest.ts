/** The known word nearest to a misspelt one, or undefined when none is close enough. Ignores case. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = { word: candidate, distance };
  }
  // Up to a third of the letters may be wrong, and always one.
  return best && best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.word : undefined;
}

/** `did you mean tomato? ` or an empty text, to put before other advice. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  return near === undefined ? '' : `did you mean ${near}? `;
}

/** How many insertions, deletions, replacements and swaps of neighbours turn one word into the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const steps = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      ];
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        steps.push((beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(Math.min(...steps));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
