import type { Command } from 'commander';
import type { Console } from './console.ts';
import { UsageError } from './usage-error.ts';

/** `slotbridge completion <shell>`: a script that lets the shell complete commands, options and files. */
export function addCompletion(program: Command, parts: { readonly io: Console }): void {
  program
    .command('completion <shell>')
    .description('print a completion script for bash, zsh or fish')
    .action((shell: string) => {
      const write = SHELLS[shell];
      if (write === undefined) {
        throw new UsageError('shell-unknown', `unknown shell ${shell}`, {
          advice: `Give one of ${Object.keys(SHELLS).join(', ')}.`,
        });
      }
      parts.io.stdout.write(write(wordsOf(program)));
    });
}

/** What may follow a command. */
interface Words {
  /** Such as `slotbridge webhook register`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Options that take a file or folder. */
  readonly fileOptions: readonly string[];
}

interface Word {
  readonly word: string;
  readonly about: string;
}

const SHELLS: Readonly<Record<string, (words: readonly Words[]) => string>> = {
  bash,
  zsh,
  fish,
};

function wordsOf(command: Command, path = command.name()): readonly Words[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  const own: Words = {
    path,
    commands: command.commands.map((child) => ({ word: child.name(), about: child.description() })),
    options: [
      ...options.map(({ long, short, description }) => ({ word: long ?? short ?? '', about: description })),
      { word: '--help', about: 'show help' },
    ],
    fileOptions: options
      .filter(({ flags }) => /<(?:file|folder)>/.test(flags))
      .flatMap(({ long, short }) => [long, short].filter((each) => each !== undefined)),
  };
  return [own, ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`))];
}

function bash(all: readonly Words[]): string {
  return `# Completion of slotbridge for bash. In ~/.bashrc:  source <(slotbridge completion bash)
_slotbridge() {
  local path=slotbridge word current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
${walk(`"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`, all)}
  local words='' files=''
  case $path in
${cases(all)}
  esac
  if [[ " $files " == *" $before "* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o filenames -F _slotbridge slotbridge
`;
}

function zsh(all: readonly Words[]): string {
  return `#compdef slotbridge
# Completion of slotbridge for zsh. In ~/.zshrc, after compinit:  source <(slotbridge completion zsh)
_slotbridge() {
  local path_=slotbridge word before=\${words[CURRENT-1]}
${walk(`"\${(@)words[2,CURRENT-1]}"`, all, 'path_')}
  local words_='' files=''
  case $path_ in
${cases(all, 'words_')}
  esac
  if [[ " $files " == *" $before "* ]]; then
    _files
  else
    compadd -- \${=words_}
  fi
}
compdef _slotbridge slotbridge
`;
}

function fish(all: readonly Words[]): string {
  const lines = all.flatMap(({ path, commands, options, fileOptions }) => {
    const [, ...parents] = path.split(' ');
    const there = parents.map((each) => `__fish_seen_subcommand_from ${each}`).join('; and ');
    const isNotPast = commands.map(({ word }) => word).join(' ');
    const isHere = [there, isNotPast && `not __fish_seen_subcommand_from ${isNotPast}`]
      .filter((each) => each !== '')
      .join('; and ');
    const when = isHere === '' ? '' : ` -n ${quoted(isHere)}`;
    const word = ({ word, about }: Word) => ` -a ${word} -d ${quoted(about)}`;
    const option = ({ word, about }: Word) =>
      ` -l ${word.slice(2)}${fileOptions.includes(word) ? ' -r -F' : ''} -d ${quoted(about)}`;
    return [...commands.map(word), ...options.map(option)].map(
      (rest) => `complete -c slotbridge${when}${rest}`,
    );
  });
  return `# Completion of slotbridge for fish:  slotbridge completion fish > ~/.config/fish/completions/slotbridge.fish
complete -c slotbridge -f
${lines.join('\n')}
`;
}

/** Finds the longest command before the cursor. Options and their values are not commands. */
function walk(words: string, all: readonly Words[], path = 'path'): string {
  const known = all.slice(1).map(({ path }) => quoted(path));
  return `  for word in ${words}; do
    case "$${path} $word" in
      ${known.join('|')}) ${path}="$${path} $word" ;;
    esac
  done`;
}

function cases(all: readonly Words[], variable = 'words'): string {
  return all
    .map(({ path, commands, options, fileOptions }) => {
      const words = [...commands, ...options].map(({ word }) => word);
      return `    ${quoted(path)}) ${variable}='${words.join(' ')}' files='${fileOptions.join(' ')}' ;;`;
    })
    .join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
