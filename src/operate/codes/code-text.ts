/** The advice ends with a full stop; text between backticks is something to type. */
export type CodeText = readonly [title: string, message: string, advice: string];

export type CodeTexts = Readonly<Record<string, CodeText>>;

export interface ToldCode {
  readonly title: string;
  readonly message: string;
  readonly advice: string;
}

/** Always returns a text: a code that is unknown here comes from the platform (platform API, Errors; the list may grow). */
export function tellIn(known: CodeTexts, other: CodeText): (code: string) => ToldCode {
  return (code) => {
    const [title, message, advice] = (Object.hasOwn(known, code) ? known[code] : undefined) ?? other;
    return { title, message, advice };
  };
}
