/** Colours by meaning; without colour, the text is unchanged. */
export interface Paint {
  readonly well: (text: string) => string;
  readonly busy: (text: string) => string;
  readonly wrong: (text: string) => string;
  readonly advice: (text: string) => string;
}

export function painter(hasColor: boolean): Paint {
  const sgr = (code: string) => (text: string) => (hasColor ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { well: sgr('1;32'), busy: sgr('1;33'), wrong: sgr('1;31'), advice: sgr('36') };
}
