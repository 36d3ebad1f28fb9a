import { parseArgs } from 'node:util'
import { type Call, type Command, UsageError } from './command.ts'

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

/** Takes the arguments apart. Throws UsageError, or the parser's own error with a code that begins with ERR_PARSE_ARGS. */
export function parseCall(commands: readonly Command[], args: readonly string[]): ParsedCall {
  // The first reading only finds the command: options that it does not know yet are no fault.
  const { positionals, values } = parseArgs({ args: [...args], options: shortened({}), strict: false, allowPositionals: true })
  const wantsHelp = positionals[0] === 'help' || positionals.length === 0 || values['help'] === true
  const words = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const command = findCommand(commands, words)
  if (!command && words.length > 0) throw unknownCommand(commands, words)
  if (wantsHelp || !command) return { command: undefined, topic: command, envFile: undefined, parameters: {}, options: {} }
  return parseFor(command, args)
}

function parseFor(command: Command, args: readonly string[]): ParsedCall {
  const { name, parameters = [], options = {} } = command
  const { positionals, values } = parseArgs({ args: [...args], options: shortened(options), allowPositionals: true })
  const given = positionals.slice(name.split(' ').length)
  const missing = parameters[given.length]
  if (missing !== undefined) throw new UsageError(`${name}: ${missing} is missing`)
  if (given.length > parameters.length) throw new UsageError(`${JSON.stringify(given[parameters.length])} has no meaning here`)
  const { 'env-file': envFile, json: _json, help: _help, ...own } = values as Record<string, string | boolean | undefined>
  return {
    command,
    topic: undefined,
    envFile: envFile as string | undefined,
    parameters: Object.fromEntries(parameters.map((parameter, index) => [parameter, given[index] as string])),
    options: own,
  }
}

function shortened(own: NonNullable<Command['options']>) {
  const options = Object.entries({ ...GLOBAL_OPTIONS, ...own }).map(([name, { type }]) => [name, { type }] as const)
  return { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } } as const
}

function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
}

function unknownCommand(commands: readonly Command[], words: readonly string[]): UsageError {
  const near = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => `"${name}"`)
  const hint = near.length > 0 ? `there are ${near.join(', ')}` : 'vedette help lists them'
  return new UsageError(`there is no command "${words.slice(0, near.length > 0 ? 2 : 1).join(' ')}"; ${hint}`)
}
