import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { DIFFERENCE_REASONS, DIFFERENCES } from '../engine/finding.ts';
import { ENTITY_KINDS } from '../engine/object.ts';
import { ROLES } from '../engine/role.ts';
import type { NameSource } from './completion-names.ts';
import { type Offers, SHELLS, type Word, type Words } from './completion-scripts.ts';
import { CONFIG_OPTION, environmentOf } from './config-file.ts';
import type { Console } from './console.ts';
import { LISTS } from './resync.ts';
import { UsageError } from './usage-error.ts';

/** `slotbridge completion <shell>`: a script that lets the shell complete commands, options, files, and names of the YAML. */
export function addCompletion(program: Command, parts: { readonly io: Console }): void {
  const print = (lines: readonly string[]) => {
    for (const line of lines) parts.io.stdout.write(`${line}\n`);
  };
  program
    .command('completion [shell]')
    .description('print a completion script for bash, zsh or fish')
    .option(...CONFIG_OPTION)
    .option('--names <sources>', 'print names from the YAML instead: mirrors, calendars, …; for the script')
    .action(async (shell: string | undefined, { config, names }: { config: string; names?: string }) => {
      if (names !== undefined)
        return print(await namesFrom(config, { sources: names.split(','), io: parts.io }));
      const write = SHELLS[shell ?? ''];
      if (write === undefined) {
        throw new UsageError('shell-unknown', `unknown shell ${shell ?? '(none given)'}`, {
          advice: `Give one of ${Object.keys(SHELLS).join(', ')}.`,
        });
      }
      print([write(wordsOf(program), await fixedOffers())]);
    });
}

/** Empty for a YAML that cannot be read: `check` says why, a person who is typing wants no error. */
async function namesFrom(
  path: string,
  { sources, io }: { readonly sources: readonly string[]; readonly io: Console },
): Promise<readonly string[]> {
  const { NAMES, namesIn } = await import('./completion-names.ts');
  const known = sources.filter((source): source is NameSource => Object.hasOwn(NAMES, source));
  try {
    return namesIn(readFileSync(path, 'utf8'), environmentOf(path, io.env), known);
  } catch {
    return [];
  }
}

/** Words that are the same for everybody. */
async function fixedOffers(): Promise<Offers> {
  const { CODES_EN } = await import('../operate/codes/en.ts');
  return {
    classes: [...DIFFERENCES, ...DIFFERENCE_REASONS],
    codes: Object.keys(CODES_EN).sort(),
    contacts: ['contacts'],
    feed: ['feed'],
    kinds: ENTITY_KINDS,
    lists: LISTS,
    roles: ROLES,
    searched: ['event', 'row'],
    shells: Object.keys(SHELLS),
  };
}

/** What may stand for a placeholder: by its name, or by command and name where commands differ. */
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  'approve blocks entry': ['blocks'],
  'approve bookings entry': ['bookings'],
  'blocks clear entry': ['blocks'],
  'calendar|mirror|entry|contacts': ['calendars', 'mirrors', 'bookings', 'contacts'],
  classes: ['classes'],
  code: ['codes'],
  'decline bookings entry': ['bookings'],
  'explain what': ['kinds', 'searched'],
  feed: ['feeds'],
  'google forget address': ['calendars'],
  'google invite address': ['calendars'],
  'google invite name': ['accounts'],
  lists: ['lists'],
  mirror: ['mirrors'],
  place: ['places'],
  'plan what': ['mirrors', 'calendars', 'tabs', 'lists'],
  role: ['roles'],
  shell: ['shells'],
  source: ['feed', 'calendars'],
};

function wordsOf(command: Command, path = command.name()): readonly Words[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  const offersOf = (placeholder = '') =>
    OFFERED[`${path.replace(/^\S+ /, '')} ${placeholder}`] ?? OFFERED[placeholder] ?? [];
  const named = options.flatMap(({ long, short, flags }) =>
    [long, short].flatMap((option) => (option === undefined ? [] : [{ option, flags }])),
  );
  const own: Words = {
    path,
    commands: command.commands.map((child) => ({ word: child.name(), about: child.description() })),
    options: [
      ...options.map(
        ({ long, short, description }): Word => ({ word: long ?? short ?? '', about: description }),
      ),
      { word: '--help', about: 'show help' },
    ],
    fileOptions: named.filter(({ flags }) => /<(?:file|folder)>/.test(flags)).map(({ option }) => option),
    offers: command.registeredArguments.flatMap((each) => offersOf(each.name())),
    optionOffers: named.flatMap(({ option, flags }) => {
      const sources = offersOf(/[<[]([^<>[\]]+)[>\]]/.exec(flags)?.[1]);
      return sources.length === 0 ? [] : [{ option, sources }];
    }),
  };
  return [own, ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`))];
}
