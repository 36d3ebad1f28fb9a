import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { toTerminal, toTerminalJson } from '@vedette/shared/outside-text'
import { createLog } from '../../platform/logging/log.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { SettingsError } from '../settings/index.ts'
import { type Call, type CommandContext, type CommandResult, type Service, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpOf } from './help.ts'
import { parseCall, wantsJson } from './parse.ts'
import { ownPaths } from './systemd-unit.ts'
import { serviceSettingsFile } from './systemd.ts'
import { VERSION } from '../../platform/version.ts'

/** 0: success · 1: failure · 2: invalid arguments or settings. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const

/** Where a command reads and prints: the process, or a test. */
export interface Terminal {
  environment: NodeJS.ProcessEnv
  /** All of standard input. */
  readInput(): Promise<string>
  /** Prints a line on standard output; resolves when the reader is ready for more. */
  say(line: string): Promise<void>
  /** Prints a line on standard error. */
  complain(line: string): void
  /** Replaces the last line on standard error; undefined where nobody watches it. */
  show: ((line: string) => void) | undefined
}

/** Runs a service until it is stopped; settles when it has started. */
type RunService = (service: Service, context: CommandContext, call: Call) => Promise<void>

/** Runs the command that `args` name, and returns the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal, runService: RunService): Promise<number> {
  const isJson = wantsJson(args)
  const answer = async ({ json, text, isFailure = false, exit }: CommandResult) => {
    await terminal.say(isJson ? toTerminalJson(JSON.stringify(json)) : toTerminal(text))
    return exit ?? (isFailure ? EXIT.failed : EXIT.done)
  }
  try {
    const { command, topics, envFile, ...call } = parseCall(COMMANDS, args)
    if (!command) return await answer(helpOf(VERSION, topics))
    const context = contextOf(envFile, terminal, isJson)
    if ('run' in command) return await answer(await command.run(call, context))
    if ('start' in command) await runService(command, context, call)
    else await command.print(call, context, { isJson, say: (line) => terminal.say(line) })
    return EXIT.done
  } catch (error) {
    await reportFailure(error, terminal, isJson)
    return error instanceof SettingsError || error instanceof UsageError ? EXIT.usage : EXIT.failed
  }
}

export async function reportFailure(error: unknown, terminal: Terminal, isJson: boolean): Promise<void> {
  const message = (error instanceof Error && error.message) || String((error as { code?: string }).code ?? error)
  const faults = error instanceof SettingsError ? { faults: error.faults } : {}
  if (isJson) await terminal.say(toTerminalJson(JSON.stringify({ error: { message, ...faults } })))
  terminal.complain(`vedette: ${toTerminal(message)}`)
}

/** Prints a line of a service: its first word says what it is about. */
export function announce(line: string, terminal: Terminal, isJson: boolean): void {
  const [, event, rest] = /^(\S+)\s*(.*)$/.exec(line) ?? [undefined, '', line]
  // Nobody may read any more what a service says.
  terminal.say(isJson ? JSON.stringify({ event, text: rest }) : line).catch(() => undefined)
}

function contextOf(envFile: string | undefined, terminal: Terminal, isJson: boolean): CommandContext {
  if (envFile !== undefined && !existsSync(envFile)) throw new UsageError(`--env-file: ${envFile} does not exist`)
  return {
    version: VERSION,
    get environment() {
      return { ...readEnvFile(envFile ?? serviceSettingsFile('/', ownPaths().program)), ...terminal.environment }
    },
    processEnvironment: terminal.environment,
    defaultDataDir: process.getuid?.() === 0 ? '/var/lib/vedette' : join(homedir(), '.local/share/vedette'),
    clock: systemClock,
    createLog,
    readInput: () => terminal.readInput(),
    announce: (line) => announce(line, terminal, isJson),
    show: terminal.show,
  }
}

function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {}
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      `The settings in ${file} cannot be read (${code}). Run this command as root or as the user of the service.`,
    )
  }
}
