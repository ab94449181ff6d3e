import type { WalkCount } from './count.ts';

export type Flow = 'webhook' | 'row';
export type Figures<Figure> = Readonly<Record<Flow, Figure>>;

/** The figures of one flow as they stand in a table. */
type Counted = Pick<WalkCount, 'functions' | 'files' | 'folders' | 'switches'>;

export const FLOWS: readonly { readonly flow: Flow; readonly title: string }[] = [
  { flow: 'webhook', title: 'Webhook to calendar event' },
  { flow: 'row', title: 'Booking row to platform, event and answer' },
];

export const COUNTED = ['functions', 'files', 'folders', 'switches'] as const;

/** `docs/reference/walk.md`: the figures of both flows, and their files in the order in which they are entered. */
export function walkPage(counts: Figures<WalkCount>): string {
  const rows = FLOWS.map(
    ({ flow, title }) => `| ${title} | ${COUNTED.map((each) => counts[flow][each]).join(' | ')} |`,
  );
  const lists = FLOWS.map(
    ({ flow, title }) =>
      `## ${title}\n\n${counts[flow].order.map((file, at) => `${at + 1}. \`${file}\``).join('\n')}\n`,
  );
  return `# Walk

For anyone who changes the code: what one change really runs. Written by \`npm run walk\`; do not edit it by hand. It marks every function of the
worker, lets a worker settle, then records three like changes, each after an idle spell, until their effect stands in Google. A function counts
if all three run it and an idle worker does not. A switch is a step into another folder, counted when a function runs for the first time. The
order of calls that run beside each other is chance: the fewest switches of a walk, and the most of three walks, count.

| flow | functions | files | folders | switches |
|---|---|---|---|---|
${rows.join('\n')}

${lists.join('\n')}`;
}

/** The figures that `walkPage` wrote. Throws when the page has no row for a flow. */
export function figuresOn(page: string): Figures<Counted> {
  const of = (flow: Flow): Counted => {
    const title = FLOWS.find((each) => each.flow === flow)?.title ?? '';
    const row = page.split('\n').find((line) => line.startsWith(`| ${title} |`));
    const [functions, files, folders, switches] = (row ?? '').split('|').slice(2, 6).map(Number);
    if (functions === undefined || files === undefined || folders === undefined || switches === undefined)
      throw new Error(`docs/reference/walk.md has no figures for "${title}": run \`npm run walk\`.`);
    return { functions, files, folders, switches };
  };
  return { webhook: of('webhook'), row: of('row') };
}

/** One sentence for each figure that is now larger than recorded. */
export function grown(
  flow: Flow,
  { recorded, now }: { readonly recorded: Counted; readonly now: Counted },
): string[] {
  return COUNTED.filter((each) => now[each] > recorded[each]).map(
    (each) => `The flow "${flow}" has ${now[each]} ${each}; docs/reference/walk.md says ${recorded[each]}.`,
  );
}
