import type { Clock } from '../../platform/time/clock.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Settings } from '../settings/index.ts'

/** The arguments of the call are wrong: exit code 2. */
export class UsageError extends Error {}

/** The process and its environment, as `main.ts` provides them to commands. */
export interface CommandContext {
  version: string
  /** The environment over the lines of `--env-file`. */
  environment: Readonly<Record<string, string | undefined>>
  /** The environment of the local agent. */
  processEnvironment: NodeJS.ProcessEnv
  defaultDataDir: string
  clock: Clock
  createLog(level: Settings['logLevel']): Log
  /** All of standard input. */
  readInput(): Promise<string>
  /** Prints one line of a service; its first word is the kind of event. */
  announce(line: string): void
  /** Replaces the last line of the terminal; undefined without a terminal. */
  show: ((line: string) => void) | undefined
}

/** The parsed and validated arguments of a command. */
export interface Call {
  /** By name. */
  parameters: Readonly<Record<string, string>>
  options: Readonly<Record<string, string | boolean | undefined>>
  /** All that stands behind the parameters, of a command that takes as many as there are. */
  rest?: readonly string[]
}

export interface Option {
  type: 'string' | 'boolean'
  /** One letter. */
  short?: string
  /** Name of the value in the help. */
  value?: string
  help: string
}

interface About {
  /** As it is typed: `user create`. */
  name: string
  summary: string
  /** Names of the required positional arguments, in order. */
  parameters?: readonly string[]
  /** Name of what may stand behind them, at least once. */
  rest?: string
  options?: Readonly<Record<string, Option>>
}

/** The result of a command, for programs and for people. */
export interface CommandResult {
  json: Record<string, unknown>
  text: string
  /** The command worked, and what it found is a failure: exit code 1. */
  isFailure?: boolean
  /** The exit code of a command that says more with it than success and failure. */
  exit?: number
}

/** A command that does one thing and ends. */
export interface Task extends About {
  run(call: Call, context: CommandContext): Promise<CommandResult>
}

/** A command that runs until it is stopped. */
export interface Service extends About {
  /** `signal` aborts a start in progress. */
  start(context: CommandContext, signal: AbortSignal, call: Call): Promise<{ stop(): Promise<void> }>
}

export interface Output {
  isJson: boolean
  /** Prints a line; resolves when the reader is ready for more. */
  say(line: string): Promise<void>
}

/** A command that prints as many lines as there are; with `--json` each is a JSON document. */
export interface Printer extends About {
  print(call: Call, context: CommandContext, output: Output): Promise<void>
}

export type Command = Task | Service | Printer

/** The value of a required option. */
export function requireOption({ options }: Call, name: string): string {
  const value = options[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

/** The value, narrowed to one of the names. Throws UsageError for any other. */
export function oneOf<T extends string>(what: string, value: string, names: readonly T[]): T {
  const found = names.find((name) => name === value)
  if (found === undefined) throw new UsageError(`${what} must be one of ${names.join(', ')}`)
  return found
}
