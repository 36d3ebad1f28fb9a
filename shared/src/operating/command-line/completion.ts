import {
  type Completed,
  type CommandDescription,
  completedBy,
  groupsOf,
  type ProgramDescription,
  type Shell,
} from './description.ts'

/** The completion of the program for a shell, a script without anything to look up at run time. */
export function completionFor(shell: Shell, program: ProgramDescription): string {
  if (shell === 'bash') return bash(program)
  return shell === 'zsh' ? zsh(program) : fish(program)
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
const functionOf = ({ name }: ProgramDescription): string => `_${name.replaceAll('-', '_')}`

/** The options of a command, with those of every command. */
const optionsOf = (program: ProgramDescription, command: CommandDescription) => [...command.options, ...program.options]

/** Names of the options with a value of any command: the next word is no command. */
function valued(program: ProgramDescription): string[] {
  const all = [...program.commands.flatMap(({ options }) => options), ...program.options]
  return [...new Set(all.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`))]
}

/** `--help` and `-h`. */
const flagsOf = ({ short, name }: { short?: string | undefined; name: string }): string[] =>
  short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]

/** The second words of a group. */
const membersOf = ({ commands }: ProgramDescription, group: string): CommandDescription[] =>
  commands.filter(({ name }) => name.startsWith(`${group} `))

/** Groups that are no command themselves, as `probe` of `probe check` is. */
const groupsAlone = (program: ProgramDescription): string[] =>
  groupsOf(program).filter((group) => !program.commands.some(({ name }) => name === group))

/** What can stand first: commands of one word and groups, each once. */
const firstWords = (program: ProgramDescription): string[] => [
  ...new Set([...program.commands.map(({ name }) => name.split(' ')[0] ?? ''), 'help']),
]

/** Names of files may contain blanks. */
const NAMES = "local IFS=$'\\n'; compopt -o filenames 2>/dev/null || :;"

function bash(program: ProgramDescription): string {
  const name = functionOf(program)
  const reply = (completed: Completed): string => {
    if (completed === 'files') return `${NAMES} COMPREPLY=($(compgen -f -- "$cur"))`
    if (completed === 'folders') return `${NAMES} COMPREPLY=($(compgen -d -- "$cur"))`
    return `COMPREPLY=($(compgen -W ${quote(completed.join(' '))} -- "$cur"))`
  }
  const cases = program.commands.map((command) => {
    const options = optionsOf(program, command)
    const values = options.flatMap(({ name: option, value }) =>
      value === undefined ? [] : [`        --${option}) ${reply(completedBy(value))}; return ;;\n`],
    )
    const words = command.name.split(' ').length
    const members = membersOf(program, command.name).map((one) => one.name.slice(command.name.length + 1))
    const parameters = [
      ...command.parameters.map((parameter, index) => `        ${words + index}) ${reply(completedBy(parameter))} ;;\n`),
      ...(members.length > 0 ? [`        ${words}) ${reply(members)} ;;\n`] : []),
    ]
    return `    ${quote(command.name)} | ${quote(`${command.name} `)}*)
      case $prev in
${values.join('')}      esac
      if [[ $cur == -* ]]; then ${reply(options.flatMap(flagsOf))}; return; fi
${parameters.length > 0 ? `      case \${#words[@]} in\n${parameters.join('')}      esac\n` : ''}      ;;
`
  })
  const groups = groupsAlone(program).map(
    (group) => `    ${quote(group)}) ${reply(membersOf(program, group).map((one) => one.name.slice(group.length + 1)))} ;;\n`,
  )
  return `# bash completion of ${program.name}, made by "${program.name} completion bash"
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} word index skip=no
  local -a words=()
  COMPREPLY=()
  # --option=value comes as three words.
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $word == '=' ]]; then skip=yes; continue; fi
    if [[ $skip == yes ]]; then skip=no; continue; fi
    case $word in
      ${valued(program).join(' | ')}) skip=yes ;;
      -*) ;;
      *) words+=("$word") ;;
    esac
  done
  # help has the words of a command.
  if [[ \${words[0]-} == help ]]; then words=("\${words[@]:1}"); fi
  case "\${words[*]}" in
    '')
      if [[ $cur == -* ]]; then ${reply(program.options.flatMap(flagsOf))}
      else ${reply(firstWords(program))}; fi ;;
${groups.join('')}${cases.join('')}  esac
}
complete -F ${name} ${program.name}
`
}

function zsh(program: ProgramDescription): string {
  const name = functionOf(program)
  // A colon parts a word from its description.
  const described = (words: readonly (readonly [string, string])[]): string =>
    words.map(([word, help]) => quote(`${word.replaceAll(':', '\\:')}:${help}`)).join(' ')
  const reply = (completed: Completed): string => {
    if (completed === 'files') return '_files'
    if (completed === 'folders') return '_files -/'
    return completed.length === 0 ? '_message value' : `compadd -- ${completed.map(quote).join(' ')}`
  }
  const describeMembers = (group: string): string => {
    const members = membersOf(program, group).map((one) => [one.name.slice(group.length + 1), one.summary] as const)
    return `local -a members=(${described(members)}); _describe command members`
  }
  const cases = program.commands.map((command) => {
    const options = optionsOf(program, command)
    const values = options.flatMap(({ name: option, value }) =>
      value === undefined ? [] : [`        --${option}) ${reply(completedBy(value))}; return ;;\n`],
    )
    const words = command.name.split(' ').length
    const parameters = [
      ...command.parameters.map((parameter, index) => `        ${words + index}) ${reply(completedBy(parameter))} ;;\n`),
      ...(membersOf(program, command.name).length > 0 ? [`        ${words}) ${describeMembers(command.name)} ;;\n`] : []),
    ]
    const flags = options.flatMap((option) => flagsOf(option).map((flag) => [flag, option.help] as const))
    return `    ${quote(command.name)}|${quote(`${command.name} `)}*)
      case $previous in
${values.join('')}      esac
      if [[ $PREFIX == -* ]]; then
        local -a options=(${described(flags)})
        _describe -o option options
        return
      fi
${parameters.length > 0 ? `      case \${#seen} in\n${parameters.join('')}      esac\n` : ''}      ;;
`
  })
  const groups = groupsAlone(program).map((group) => `    ${quote(group)}) ${describeMembers(group)} ;;\n`)
  const first = firstWords(program).map(
    (word) => [word, program.commands.find((command) => command.name === word)?.summary ?? `${word} …`] as const,
  )
  return `#compdef ${program.name}
# zsh completion of ${program.name}, made by "${program.name} completion zsh"
${name}() {
  local word skip=no previous=\${words[CURRENT-1]}
  local -a seen=()
  for word in \${words[2,CURRENT-1]}; do
    if [[ $skip == yes ]]; then skip=no; continue; fi
    case $word in
      ${valued(program).join('|')}) skip=yes ;;
      -*) ;;
      *) seen+=($word) ;;
    esac
  done
  if [[ \${seen[1]} == help ]]; then shift seen; fi
  case "$seen" in
    '') local -a first=(${described(first)}); _describe command first ;;
${groups.join('')}${cases.join('')}  esac
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program.name}; fi
`
}

function fish(program: ProgramDescription): string {
  const name = functionOf(program)
  const at = (words: string): string => `-n ${quote(`test "$(_${name}_words)" = "${words}"`)}`
  const within = (words: string): string => `-n ${quote(`string match -q -- "${words} *" "$(_${name}_words) "`)}`
  const line = (...parts: readonly string[]): string => `complete -c ${program.name} ${parts.join(' ')}\n`
  const valueOf = (completed: Completed): string => {
    if (completed === 'files') return '-r -F'
    return completed === 'folders'
      ? "-x -a '(__fish_complete_directories)'"
      : `-x${completed.length > 0 ? ` -a ${quote(completed.join(' '))}` : ''}`
  }
  const options = (condition: string, list: ProgramDescription['options']): string =>
    list
      .map(({ name: option, short, value, help }) =>
        line(
          ...(condition === '' ? [] : [condition]),
          `-l ${option}`,
          ...(short === undefined ? [] : [`-s ${short}`]),
          ...(value === undefined ? [] : [valueOf(completedBy(value))]),
          `-d ${quote(help)}`,
        ),
      )
      .join('')
  const groups = groupsOf(program)
  return [
    `# fish completion of ${program.name}, made by "${program.name} completion fish"\n`,
    `function _${name}_words
  set -l skip no
  set -l words
  for word in (commandline -opc)[2..-1]
    if test $skip = yes
      set skip no
    else if contains -- $word ${valued(program).join(' ')}
      set skip yes
    else if not string match -q -- '-*' $word
      set -a words $word
    end
  end
  test "$words[1]" = help; and set -e words[1]
  string join ' ' -- $words
end
`,
    line('-f'),
    ...firstWords(program).map((word) => {
      const summary =
        program.commands.find((command) => command.name === word)?.summary ??
        (groups.includes(word) ? `${word} …` : 'show the help of a command')
      return line(at(''), `-a ${word}`, `-d ${quote(summary)}`)
    }),
    ...groups.flatMap((group) =>
      membersOf(program, group).map((one) =>
        line(at(group), `-a ${one.name.slice(group.length + 1)}`, `-d ${quote(one.summary)}`),
      ),
    ),
    ...program.commands.map((command) => options(within(command.name), command.options)),
    options('', program.options),
    ...program.commands.flatMap(({ name: command, parameters }) =>
      parameters.slice(0, 1).flatMap((parameter) => {
        const completed = completedBy(parameter)
        if (completed === 'files') return [line(at(command), '-F')]
        return completed.length === 0
          ? []
          : [line(at(command), `-a ${quote(Array.isArray(completed) ? completed.join(' ') : '')}`)]
      }),
    ),
  ].join('')
}
