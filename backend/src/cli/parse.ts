import { parseArgs } from 'node:util'
import { type Call, type Command, type Option, UsageError } from './command.ts'

/** What every command takes. */
export const GLOBAL_OPTIONS = {
  'env-file': { type: 'string', value: 'FILE', help: 'settings from a file of NAME=value lines; the environment goes before it' },
  json: { type: 'boolean', help: 'answer on standard output as one JSON document; a service: one a line' },
  help: { type: 'boolean', help: 'what the command takes' },
} as const

export interface ParsedCall extends Call {
  /** Undefined: help was asked for, of `topic` or of everything. */
  command: Command | undefined
  topic: Command | undefined
  envFile: string | undefined
}

/** Whether `--json` stands among the arguments: a call that is wrong is answered in that form too. */
export const wantsJson = (args: readonly string[]): boolean => args.includes('--json')

/** Takes the arguments apart. Throws UsageError. */
export function parseCall(commands: readonly Command[], args: readonly string[]): ParsedCall {
  // The first reading only finds the command: options that it does not know yet are no fault.
  const { positionals, values } = read(args, {})
  const wantsHelp = positionals[0] === 'help' || positionals.length === 0 || values['help'] === true
  const words = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const command = findCommand(commands, words)
  if (!command && words.length > 0) throw unknownCommand(commands, words)
  if (!wantsHelp && command) return parseFor(command, args)
  checkOptions(args, command)
  return { command: undefined, topic: command, envFile: undefined, parameters: {}, options: {} }
}

function parseFor(command: Command, args: readonly string[]): ParsedCall {
  const { name, parameters = [], options = {} } = command
  checkOptions(args, command)
  const { positionals, values } = read(args, options)
  const given = positionals.slice(name.split(' ').length)
  const missing = parameters[given.length]
  if (missing !== undefined) throw new UsageError(`${name}: ${missing} is missing; ${seeHelp(command)}`)
  if (given.length > parameters.length)
    throw new UsageError(`${name}: ${JSON.stringify(given[parameters.length])} has no meaning here; ${seeHelp(command)}`)
  const { 'env-file': envFile, json: _json, help: _help, ...own } = values as Record<string, string | boolean | undefined>
  return {
    command,
    topic: undefined,
    envFile: envFile as string | undefined,
    parameters: Object.fromEntries(parameters.map((parameter, index) => [parameter, given[index] as string])),
    options: own,
  }
}

type Options = NonNullable<Command['options']>

/** Reads without judging: the parser's own words on a fault are long and speak of other things. */
function read(args: readonly string[], own: Options) {
  const types = Object.entries({ ...GLOBAL_OPTIONS, ...own }).map(([name, { type }]) => [name, { type }] as const)
  const options = { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } } as const
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
}

/** Refuses options that are unknown, stand there twice, lack their value or have one too many. */
function checkOptions(args: readonly string[], command: Command | undefined): void {
  const own: Options = command?.options ?? {}
  const known = new Map<string, Option>(Object.entries({ ...GLOBAL_OPTIONS, ...own }))
  const seen = new Set<string>()
  for (const token of read(args, own).tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = known.get(name)
    if (!option) throw new UsageError(`there is no option ${rawName}; ${seeHelp(command)}`)
    // Of two the second would count, which may be a slip that changes another user.
    if (option.type === 'string' && seen.has(name)) throw new UsageError(`${rawName} stands there twice`)
    seen.add(name)
    if (option.type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    const isNext = option.type === 'string' && (value === undefined || (!inlineValue && value.startsWith('-')))
    if (isNext) throw new UsageError(`${rawName} needs a value (${rawName}=VALUE where it begins with a dash)`)
  }
}

const seeHelp = (command: Command | undefined): string =>
  `"vedette ${command ? `${command.name} --help` : 'help'}" tells what there is`

function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
}

function unknownCommand(commands: readonly Command[], words: readonly string[]): UsageError {
  const near = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => `"${name}"`)
  const hint = near.length > 0 ? `there are ${near.join(', ')}` : 'vedette help lists them'
  return new UsageError(`there is no command "${words.slice(0, near.length > 0 ? 2 : 1).join(' ')}"; ${hint}`)
}
