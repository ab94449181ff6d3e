// The scripts of `slotbridge completion`. They know commands, options and fixed words, and ask the program only for names of the YAML. What
// a YAML names is never expanded: it is text of a file.

/** What may follow a command. */
export interface Words {
  /** Such as `slotbridge webhook register`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Options that take a file or folder. */
  readonly fileOptions: readonly string[];
  /** What may stand for its arguments: keys of `Offers`, or sources of names in the YAML. */
  readonly offers: readonly string[];
  readonly optionOffers: readonly { readonly option: string; readonly sources: readonly string[] }[];
}

export interface Word {
  readonly word: string;
  readonly about: string;
}

/** Fixed words, by what they are. */
export type Offers = Readonly<Record<string, readonly string[]>>;

export const SHELLS: Readonly<Record<string, (words: readonly Words[], fixed: Offers) => string>> = {
  bash,
  zsh,
  fish,
};

const DEFAULT_CONFIG = 'config/slotbridge.yaml';

function bash(all: readonly Words[], fixed: Offers): string {
  return `# Completion of slotbridge for bash. In ~/.bashrc:  source <(slotbridge completion bash)
${offersFunction(fixed)}
_slotbridge() {
  local path=slotbridge config=${DEFAULT_CONFIG} before=\${COMP_WORDS[COMP_CWORD-1]} current=\${COMP_WORDS[COMP_CWORD]}
  local word whole cut last=''
${walk(`"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`, all)}
  # Bash splits words at : and @ too. What is typed is compared as a whole, what is offered begins after the last of them.
  whole=\${COMP_LINE:0:\${COMP_POINT:-0}}
  whole=\${whole##*[[:space:]]}
  whole=\${whole:-$current}
  cut=\${whole%"\${whole##*[:@=]}"}
  local words='' files='' offers=''
  case $path in
${cases(all)}
  esac
  COMPREPLY=()
  if [[ " $files " == *" $before "* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    compopt -o filenames 2>/dev/null
    return
  fi
  case $path:$before in
${optionCases(all)}
  esac
  while IFS= read -r word; do
    [[ -n $word && $word == "$whole"* ]] && COMPREPLY+=("$(printf %q "\${word#"$cut"}")")
  done < <(printf '%s\\n' $words; [[ $whole == -* ]] || _slotbridge_offers "\${COMP_WORDS[0]}" "\${config/#\\~/$HOME}" $offers)
}
complete -F _slotbridge slotbridge`;
}

function zsh(all: readonly Words[], fixed: Offers): string {
  return `#compdef slotbridge
# Completion of slotbridge for zsh. In ~/.zshrc, after compinit:  source <(slotbridge completion zsh)
${offersFunction(fixed)}
_slotbridge() {
  local path_=slotbridge config=${DEFAULT_CONFIG} before=\${words[CURRENT-1]}
  local word last=''
${walk(`"\${(@)words[2,CURRENT-1]}"`, all, 'path_')}
  local words_='' files='' offers=''
  case $path_ in
${cases(all, 'words_')}
  esac
  if [[ " $files " == *" $before "* ]]; then
    _files
    return
  fi
  case $path_:$before in
${optionCases(all, 'words_')}
  esac
  compadd -- \${=words_}
  [[ \${words[CURRENT]} == -* ]] && return
  local names=$(_slotbridge_offers "\${words[1]}" "\${config/#\\~/$HOME}" \${=offers})
  [[ -n $names ]] && compadd -- "\${(@f)names}"
}
compdef _slotbridge slotbridge`;
}

function fish(all: readonly Words[], fixed: Offers): string {
  const lines = all.flatMap(({ path, commands, options, fileOptions, offers, optionOffers }) => {
    const [, ...parents] = path.split(' ');
    const there = parents.map((each) => `__fish_seen_subcommand_from ${each}`).join('; and ');
    const isNotPast = commands.map(({ word }) => word).join(' ');
    const isHere = [there, isNotPast && `not __fish_seen_subcommand_from ${isNotPast}`]
      .filter((each) => each !== '')
      .join('; and ');
    const when = isHere === '' ? '' : ` -n ${quoted(isHere)}`;
    const offer = (sources: readonly string[]) =>
      ` -a ${quoted(`(__slotbridge_offers ${sources.join(' ')})`)}`;
    const word = ({ word, about }: Word) => ` -a ${word} -d ${quoted(about)}`;
    const option = ({ word, about }: Word) => {
      const own = optionOffers.find((each) => each.option === word);
      const value = own === undefined ? '' : ` -x${offer(own.sources)}`;
      return ` -l ${word.slice(2)}${fileOptions.includes(word) ? ' -r -F' : value} -d ${quoted(about)}`;
    };
    return [
      ...commands.map(word),
      ...options.map(option),
      ...(offers.length === 0 ? [] : [offer(offers)]),
    ].map((rest) => `complete -c slotbridge${when}${rest}`);
  });
  const known = Object.entries(fixed).map(
    ([source, words]) => `      case ${source}\n        printf '%s\\n' ${words.map(quoted).join(' ')}`,
  );
  return `# Completion of slotbridge for fish:  slotbridge completion fish > ~/.config/fish/completions/slotbridge.fish
function __slotbridge_offers
  set -l typed (commandline -opc)
  set -l config ${DEFAULT_CONFIG}
  for at in (seq 2 (count $typed))
    if contains -- $typed[(math $at - 1)] -c --config
      set config $typed[$at]
    else if string match -q -- '--config=*' $typed[$at]
      set config (string replace -- '--config=' '' $typed[$at])
    end
  end
  set config (string replace -r '^~' $HOME -- $config)
  set -l names
  for source in $argv
    switch $source
${known.join('\n')}
      case '*'
        set -a names $source
    end
  end
  if test (count $names) -gt 0
    $typed[1] completion fish --config $config --names (string join , $names) 2>/dev/null
  end
end
complete -c slotbridge -f
${lines.join('\n')}`;
}

/** Prints the words of all sources, one a line, in bash and zsh. */
function offersFunction(fixed: Offers): string {
  const known = Object.entries(fixed).map(
    ([source, words]) => `      ${source}) printf '%s\\n' ${words.map(quoted).join(' ')} ;;`,
  );
  return `_slotbridge_offers() {
  local program=$1 config=$2 source names=''
  shift 2
  for source in "$@"; do
    case $source in
${known.join('\n')}
      *) names=$names,$source ;;
    esac
  done
  [[ -z $names ]] || "$program" completion bash --config "$config" --names "\${names#,}" 2>/dev/null
}`;
}

/** Finds the longest command before the cursor, and the YAML. Options and their values are not commands. */
function walk(words: string, all: readonly Words[], path = 'path'): string {
  const known = all.slice(1).map((each) => quoted(each.path));
  return `  for word in ${words}; do
    case "$${path} $word" in
      ${known.join('|')}) ${path}="$${path} $word" ;;
    esac
    case $last in -c|--config) [[ $word == '=' ]] || config=$word ;; esac
    case $word in --config=*) config=\${word#--config=} ;; esac
    [[ $word == '=' ]] || last=$word
  done`;
}

function cases(all: readonly Words[], variable = 'words'): string {
  return all
    .map(({ path, commands, options, fileOptions, offers }) => {
      const words = [...commands, ...options].map(({ word }) => word);
      return `    ${quoted(path)}) ${variable}='${words.join(' ')}' files='${fileOptions.join(' ')}' offers='${offers.join(' ')}' ;;`;
    })
    .join('\n');
}

/** After an option that takes one of these words, nothing else is offered. */
function optionCases(all: readonly Words[], variable = 'words'): string {
  return all
    .flatMap(({ path, optionOffers }) =>
      optionOffers.map(
        ({ option, sources }) =>
          `    ${quoted(`${path}:${option}`)}) ${variable}='' offers='${sources.join(' ')}' ;;`,
      ),
    )
    .join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
