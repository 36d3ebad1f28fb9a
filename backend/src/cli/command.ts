import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../settings.ts'

/** The call is wrong, not what it found. */
export class UsageError extends Error {}

/** What main.ts knows of the world around the program, for commands. */
export interface World {
  version: string
  /** The environment over the lines of `--env-file`. */
  environment: Readonly<Record<string, string | undefined>>
  /** What the agent of this host gets. */
  processEnvironment: NodeJS.ProcessEnv
  defaultDataDir: string
  clock: Clock
  createLog(level: Settings['logLevel']): Log
  /** All of standard input. */
  readInput(): Promise<string>
  /** One line for the person at the terminal, of a service: its first word says what it is about. */
  announce(line: string): void
  /** Puts a line in place of the one before, for whoever watches; undefined where nobody does: no terminal. */
  show: ((line: string) => void) | undefined
}

/** A call of one command, taken apart and checked against what the command knows. */
export interface Call {
  /** By the names of the command's parameters. */
  parameters: Readonly<Record<string, string>>
  options: Readonly<Record<string, string | boolean | undefined>>
}

export interface Option {
  type: 'string' | 'boolean'
  /** How the value is called in the help. */
  value?: string
  help: string
}

interface About {
  /** The words that call it. */
  name: string
  summary: string
  /** Names of what must follow, in this order. */
  parameters?: readonly string[]
  options?: Readonly<Record<string, Option>>
}

/** What a command found or did: the same for programs and for people. */
export interface Outcome {
  json: Record<string, unknown>
  text: string
}

/** Does one thing and ends. */
export interface Task extends About {
  run(call: Call, world: World): Promise<Outcome>
}

/** Runs until it is stopped. */
export interface Service extends About {
  /** `signal` gives up a start that is under way. */
  start(world: World, signal: AbortSignal, call: Call): Promise<{ stop(): Promise<void> }>
}

export type Command = Task | Service

/** The value of an option that must be there. */
export function requireOption({ options }: Call, name: string): string {
  const value = options[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

/** The value as one of these names. */
export function oneOf<T extends string>(what: string, value: string, names: readonly T[]): T {
  const found = names.find((name) => name === value)
  if (found === undefined) throw new UsageError(`${what} must be one of ${names.join(', ')}`)
  return found
}
