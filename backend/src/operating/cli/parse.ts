import { parseArgs } from 'node:util'
import { type Call, type Command, type Option, UsageError } from './command.ts'

/** Options of every command. */
export const GLOBAL_OPTIONS = {
  'env-file': {
    type: 'string',
    value: 'FILE',
    help: 'read settings from a file of NAME=value lines; environment variables override it',
  },
  json: { type: 'boolean', help: 'print one JSON document; a service prints one per line' },
  help: { type: 'boolean', short: 'h', help: 'show the help of the command' },
  version: { type: 'boolean', short: 'v', help: 'print the version' },
} as const

export interface ParsedCall extends Call {
  /** Undefined: print the help of the `topics`. */
  command: Command | undefined
  topics: readonly Command[]
  envFile: string | undefined
}

/** Whether the arguments contain `--json`: usage errors are printed as JSON too. */
export const wantsJson = (args: readonly string[]): boolean => args.includes('--json')

/** Parses the arguments. Throws UsageError. */
export function parseCall(commands: readonly Command[], args: readonly string[]): ParsedCall {
  // The first pass only finds the command; its options are not known yet.
  const { positionals, values } = read(args, {})
  const wantsHelp = positionals[0] === 'help' || positionals.length === 0 || values['help'] === true
  const words = positionals[0] === 'help' ? positionals.slice(1) : positionals
  if (values['version'] === true) return callWithout(findCommand(commands, ['version']), [])
  const command = findCommand(commands, words)
  if (!wantsHelp && command) return parseFor(command, args)
  const group = commands.filter(({ name }) => words.length === 0 || name.startsWith(`${words.join(' ')} `))
  const topics = command ? [command] : group
  if (!wantsHelp || topics.length === 0) throw unknownCommand(commands, words)
  checkOptions(args, command)
  return callWithout(undefined, topics)
}

const callWithout = (command: Command | undefined, topics: readonly Command[]): ParsedCall => ({
  command,
  topics,
  envFile: undefined,
  parameters: {},
  options: {},
})

function parseFor(command: Command, args: readonly string[]): ParsedCall {
  const { name, parameters = [], rest, options = {} } = command
  checkOptions(args, command)
  const { positionals, values } = read(args, options)
  const given = positionals.slice(name.split(' ').length)
  const missing = parameters[given.length]
  if (missing !== undefined) throw new UsageError(`${name}: ${missing} is missing; ${seeHelp(command)}`)
  if (rest !== undefined && given.length === parameters.length)
    throw new UsageError(`${name}: ${rest} is missing; ${seeHelp(command)}`)
  if (rest === undefined && given.length > parameters.length)
    throw new UsageError(`${name}: ${JSON.stringify(given[parameters.length])} is unexpected; ${seeHelp(command)}`)
  const {
    'env-file': envFile,
    json: _json,
    help: _help,
    version: _version,
    ...own
  } = values as Record<string, string | boolean | undefined>
  return {
    command,
    topics: [],
    envFile: envFile as string | undefined,
    parameters: Object.fromEntries(parameters.map((parameter, index) => [parameter, given[index] as string])),
    options: own,
    rest: given.slice(parameters.length),
  }
}

type Options = NonNullable<Command['options']>

/** Not strict: `checkOptions` has shorter error messages than the parser. */
function read(args: readonly string[], own: Options) {
  const declared: Options = { ...own, ...GLOBAL_OPTIONS }
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, { type, short }]) => [name, { type, ...(short !== undefined && { short }) }]),
  )
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
}

/** Throws UsageError for options that are unknown, repeated, without a required value or with a superfluous one. */
function checkOptions(args: readonly string[], command: Command | undefined): void {
  const own: Options = command?.options ?? {}
  const options = new Map<string, Option>(Object.entries({ ...GLOBAL_OPTIONS, ...own }))
  const seen = new Set<string>()
  for (const token of read(args, own).tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = options.get(name)
    if (!option) throw new UsageError(`there is no option ${rawName}; ${seeHelp(command)}`)
    // The second value would silently override the first.
    if (option.type === 'string' && seen.has(name)) throw new UsageError(`${rawName} is given twice`)
    seen.add(name)
    if (option.type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    const isNext = option.type === 'string' && (value === undefined || (!inlineValue && value.startsWith('-')))
    if (isNext) throw new UsageError(`${rawName} needs a value (use ${rawName}=VALUE if it begins with a dash)`)
  }
}

const seeHelp = (command: Command | undefined): string =>
  `"vedette ${command ? `${command.name} --help` : 'help'}" lists what is available`

function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
}

function unknownCommand(commands: readonly Command[], words: readonly string[]): UsageError {
  const near = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => `"${name}"`)
  const hint = near.length > 0 ? `there are ${near.join(', ')}` : 'vedette help lists them'
  return new UsageError(`there is no command "${words.slice(0, near.length > 0 ? 2 : 1).join(' ')}"; ${hint}`)
}
