import type { Command, Option, CommandResult } from './command.ts'
import { GLOBAL_OPTIONS } from './parse.ts'

export const EXIT_CODES = { 0: 'success', 1: 'failure', 2: 'invalid arguments or settings' } as const

const EXIT_LINE = `Exit codes: ${Object.entries(EXIT_CODES)
  .map(([code, meaning]) => `${code} ${meaning}`)
  .join(', ')}.`

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`).join('\n')
}

const callOf = ({ name, parameters = [], rest }: Command): string =>
  ['vedette', name, ...parameters.map((one) => `<${one}>`), ...(rest === undefined ? [] : [`<${rest}>…`])].join(' ')

const optionRows = (options: Readonly<Record<string, Option>>): [string, string][] =>
  Object.entries(options).map(([name, { value, help }]) => [value === undefined ? `--${name}` : `--${name} ${value}`, help])

/** The list of commands, or the help of one command. */
export function helpOf(version: string, commands: readonly Command[]): CommandResult {
  const [topic] = commands
  const json = {
    version,
    commands: commands.map(({ name, summary, parameters = [], options = {} }) => ({ name, summary, parameters, options })),
    options: GLOBAL_OPTIONS,
    exit_codes: { done: 0, failed: 1, usage: 2 },
  }
  return { json, text: topic && commands.length === 1 ? topicText(topic) : overview(version, commands) }
}

function overview(version: string, commands: readonly Command[]): string {
  return [
    `vedette ${version}`,
    table([
      ...commands.map((command) => [callOf(command), command.summary] as const),
      ['vedette help <command>', 'show the help of a command'],
    ]),
    table(optionRows(GLOBAL_OPTIONS)),
    `Settings are environment variables; docs/operations.md lists them.\n${EXIT_LINE}`,
  ].join('\n\n')
}

function topicText(command: Command): string {
  const rows = optionRows({ ...command.options, ...GLOBAL_OPTIONS })
  return [`${callOf(command)}   ${command.summary}`, table(rows), EXIT_LINE].join('\n\n')
}
