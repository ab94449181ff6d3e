interface Numbers {
  readonly taken: number;
  readonly places: number;
}

interface ClassWords {
  readonly overbooked: (numbers: Numbers) => string;
  /** The end of a list that does not name everybody. */
  readonly moreGuests: (people: number) => string;
}

/** Texts in the event of a class. */
export const CLASS_WORDS: Readonly<Record<'en' | 'ru', ClassWords>> = {
  en: {
    overbooked: ({ taken, places }) => `More people are booked than there are places: ${taken} of ${places}.`,
    moreGuests: (people) => `and ${people} more`,
  },
  ru: {
    overbooked: ({ taken, places }) => `Записано больше, чем мест: ${taken} из ${places}.`,
    moreGuests: (people) => `и ещё ${people}`,
  },
};
