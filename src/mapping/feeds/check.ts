import type { ConfigDocument } from '../document.ts';
import { type ConfigChecks, sayInTemplate } from '../mirrors/check.ts';
import { groupIn, textIn } from '../mirrors/sketch.ts';
import type { Path } from '../path.ts';
import type { ProblemList } from '../problem.ts';
import { MIRROR_NAME } from '../schema/mirror.ts';

/** Checks what the schema of an entry cannot: its name, and whether its templates and its condition are usable. */
export function checkFeeds(
  root: unknown,
  document: ConfigDocument,
  report: { readonly problems: ProblemList; readonly checks: ConfigChecks },
): void {
  const { problems, checks } = report;
  for (const name of document.keysAt(['feeds'])) {
    const path: Path = ['feeds', name];
    if (!MIRROR_NAME.test(name)) {
      problems.add(path, document.placeOfKey(path), {
        what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
        fix: 'rename the feed, for example anna: the name is part of its address',
      });
    }
    const feed = groupIn(groupIn(root, 'feeds'), name);
    const event = groupIn(feed, 'event');
    const condition = textIn(groupIn(feed, 'where'), 'if');
    const found = [
      ...['title', 'description', 'location'].map((part) => {
        return { at: [...path, 'event', part], source: textIn(event, part), form: 'template' as const };
      }),
      { at: [...path, 'where', 'if'], source: condition, form: 'condition' as const },
    ];
    for (const { at, source, form } of found) {
      const problem = source === undefined ? undefined : checks.checkTemplate(source, 'appointment', form);
      if (problem) sayInTemplate(at, problem, { document, problems });
    }
  }
}
