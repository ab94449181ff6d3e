/** One measured number and its requirement. */
export interface Figure {
  readonly section: string;
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  /** The reference's figure, measured in the same run. */
  readonly reference?: number;
  /** `figure` relative to `reference`. With `timesReference`, more is better. */
  readonly ratio?: number;
  /** The requirement in words; absent when the number only informs. */
  readonly required?: string;
  /** Absent: not measured, which is neither met nor missed. */
  readonly isMet?: boolean;
  /** Depends on time or memory, so a quick run reports it without a requirement. */
  readonly needsFullSize?: boolean;
  /** How it was measured, where that is not obvious. */
  readonly note?: string;
}

/** Options of a bench: its size, and where it reports progress. */
export interface BenchOptions {
  /** Small sizes: shows that everything runs and counts correctly. Times mean nothing. */
  readonly isQuick: boolean;
  /** Also sizes that take an hour. */
  readonly isFull: boolean;
  /** Installs Node-RED for this run, as one more reference. */
  readonly withNodeRed: boolean;
  readonly say: (text: string) => void;
}

/** Collects the figures of one section. */
export function figuresOf(section: string) {
  const figures: Figure[] = [];
  return {
    figures,
    /** Adds a number without a requirement. */
    note(
      what: string,
      [figure, unit]: readonly [number, string],
      more: Pick<Figure, 'note' | 'reference'> = {},
    ): void {
      const ratio = more.reference === undefined ? {} : { ratio: figure / more.reference };
      figures.push({ section, what, figure, unit, isMet: true, ...more, ...ratio });
    },
    atMost(
      limit: number,
      told: Omit<Figure, 'section' | 'required' | 'isMet'> & { readonly asked?: string },
    ): void {
      const { asked, ...figure } = told;
      const required = asked ?? `≤ ${limit.toLocaleString('en')}`;
      figures.push({ section, ...figure, required, isMet: told.figure <= limit });
    },
    atLeast(
      limit: number,
      told: Omit<Figure, 'section' | 'required' | 'isMet'> & { readonly asked?: string },
    ): void {
      const { asked, ...figure } = told;
      const required = asked ?? `≥ ${limit.toLocaleString('en')}`;
      figures.push({ section, ...figure, required, isMet: told.figure >= limit });
    },
    /** Adds a requirement whose reference was not asked for. */
    notMeasured(told: Pick<Figure, 'what' | 'unit' | 'figure' | 'note'> & { readonly asked: string }): void {
      const { asked, ...figure } = told;
      figures.push({ section, ...figure, required: asked });
    },
    /** Requires a ratio to the reference, whatever the figure. */
    timesReference(limit: number, told: Omit<Figure, 'section' | 'required' | 'isMet' | 'ratio'>): void {
      const ratio = told.figure / (told.reference ?? Number.NaN);
      const required = `≥ ${limit} times`;
      figures.push({ section, ...told, ratio, required, isMet: ratio >= limit, needsFullSize: true });
    },
  };
}

/** The figure as a quick run reports it: without a requirement that needs full size. */
export function inQuickRun(figure: Figure): Figure {
  if (figure.needsFullSize !== true) return figure;
  const { required: _, ...rest } = figure;
  return { ...rest, isMet: true };
}
