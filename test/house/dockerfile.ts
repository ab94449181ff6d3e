export interface Instruction {
  name: string;
  rest: string;
}

/** The stages of a Dockerfile, each with its instructions. */
export function stagesOf(text: string): Instruction[][] {
  const found: Instruction[][] = [];
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const name = line.slice(0, line.indexOf(' '));
    if (name === 'FROM') found.push([]);
    found.at(-1)?.push({ name, rest: line.slice(name.length + 1).trim() });
  }
  return found;
}

/** What the last instruction of this name says: the last one counts. */
export function rest(stage: Instruction[], name: string): string {
  return stage.findLast((each) => each.name === name)?.rest ?? '';
}

/** The paths that a COPY takes. */
export function sources({ name, rest }: Instruction): string[] {
  if (name !== 'COPY') return [];
  const words = rest.split(' ').filter((word) => !word.startsWith('--'));
  return words.slice(0, -1);
}
