import { completionFor, manPage, type ProgramDescription, SHELLS } from '@vedette/shared/command-line'
import { type Command, oneOf, type Option, type Task } from './command.ts'
import { EXIT_CODES } from './help.ts'
import { GLOBAL_OPTIONS } from './parse.ts'

const toOptions = (options: Readonly<Record<string, Option>>) =>
  Object.entries(options).map(([name, { value, help, short }]) => ({ name, short, value, help }))

/** The program as completion and man page describe it. */
function describe(commands: readonly Command[], version: string): ProgramDescription {
  return {
    name: 'vedette',
    version,
    summary: 'monitoring of servers and HTTP endpoints',
    commands: commands.map(({ name, summary, parameters = [], options = {} }) => ({
      name,
      summary,
      parameters,
      options: toOptions(options),
    })),
    options: toOptions(GLOBAL_OPTIONS),
    exitCodes: EXIT_CODES,
    sections: [
      {
        title: 'ENVIRONMENT',
        paragraphs: [
          'Settings are environment variables, or lines NAME=value of the file of --env-file. docs/operations.md lists them, and "vedette config check" prints those in effect.',
          'On a host with the service, every command reads the settings of the service.',
        ],
      },
      {
        title: 'FILES',
        paragraphs: [
          '/etc/vedette-backend/vedette.env: the settings of the service.',
          '/var/lib/vedette-backend: its data folder.',
          '/var/backups/vedette: the backups of vedette-backup.timer.',
        ],
      },
    ],
  }
}

/** `commands`: all of the program, which contain these two. */
export const createCompletion = (commands: () => readonly Command[]): Task => ({
  name: 'completion',
  summary: 'print the completion for a shell; packages install it',
  parameters: [SHELLS.join('|')],
  run: async ({ parameters }, { version }) => {
    const shell = oneOf('The shell', String(parameters[SHELLS.join('|')]), SHELLS)
    const script = completionFor(shell, describe(commands(), version))
    return { json: { shell, script }, text: script.trimEnd() }
  },
})

export const createMan = (commands: () => readonly Command[]): Task => ({
  name: 'man',
  summary: 'print the manual page, for man -l -',
  run: async (_call, { version }) => {
    const page = manPage(describe(commands(), version))
    return { json: { page }, text: page.trimEnd() }
  },
})
