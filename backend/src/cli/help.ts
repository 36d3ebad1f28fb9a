import type { Command, Option, Outcome } from './command.ts'
import { GLOBAL_OPTIONS } from './parse.ts'

const EXIT_CODES = 'Exit codes: 0 done, 1 failed (the message says why), 2 the call or the settings are wrong.'

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`).join('\n')
}

const callOf = ({ name, parameters = [] }: Command): string => ['vedette', name, ...parameters.map((one) => `<${one}>`)].join(' ')

const optionRows = (options: Readonly<Record<string, Option>>): [string, string][] =>
  Object.entries(options).map(([name, { value, help }]) => [value === undefined ? `--${name}` : `--${name} ${value}`, help])

/** What there is to call, or what one command takes. */
export function helpOf(version: string, commands: readonly Command[], topic: Command | undefined): Outcome {
  const shown = topic ? [topic] : commands
  const json = {
    version,
    commands: shown.map(({ name, summary, parameters = [], options = {} }) => ({ name, summary, parameters, options })),
    options: GLOBAL_OPTIONS,
    exit_codes: { done: 0, failed: 1, usage: 2 },
  }
  return { json, text: topic ? topicText(topic) : overview(version, commands) }
}

function overview(version: string, commands: readonly Command[]): string {
  return [
    `vedette ${version}`,
    table([
      ...commands.map((command) => [callOf(command), command.summary] as const),
      ['vedette help <command>', 'what a command takes'],
    ]),
    table(optionRows(GLOBAL_OPTIONS)),
    `Settings are environment variables; docs/operations.md lists them.\n${EXIT_CODES}`,
  ].join('\n\n')
}

function topicText(command: Command): string {
  const rows = optionRows({ ...command.options, ...GLOBAL_OPTIONS })
  return [`${callOf(command)}   ${command.summary}`, table(rows), EXIT_CODES].join('\n\n')
}
