/** One measured number, beside what it has to reach. */
export interface Figure {
  readonly section: string;
  /** What was measured, in one line. */
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  /** The same of the reference, measured in the same run. */
  readonly reference?: number;
  /** `figure` against `reference`, so that more is better. */
  readonly ratio?: number;
  /** What is asked for, in words; absent when the number only informs. */
  readonly required?: string;
  readonly isMet: boolean;
  /** It is a matter of time or memory: with small sizes it means nothing, and asks for nothing. */
  readonly needsFullSize?: boolean;
  /** How it was measured, where that is not plain. */
  readonly note?: string;
}

/** What a bench may be told: how large, and where to say how far it is. */
export interface BenchOptions {
  /** Small sizes: shows that everything runs and counts right; its times mean nothing. */
  readonly isQuick: boolean;
  readonly say: (text: string) => void;
}

/** Hands out figures of one section. */
export function figuresOf(section: string) {
  const figures: Figure[] = [];
  return {
    figures,
    /** A number that informs and asks for nothing. */
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
    /** The ratio decides, not the figure. */
    timesReference(limit: number, told: Omit<Figure, 'section' | 'required' | 'isMet' | 'ratio'>): void {
      const ratio = told.figure / (told.reference ?? Number.NaN);
      const required = `≥ ${limit} times`;
      figures.push({ section, ...told, ratio, required, isMet: ratio >= limit, needsFullSize: true });
    },
  };
}

/** The same figure for a run with small sizes. */
export function inQuickRun(figure: Figure): Figure {
  if (figure.needsFullSize !== true) return figure;
  const { required: _, ...rest } = figure;
  return { ...rest, isMet: true };
}
