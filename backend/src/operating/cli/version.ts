import type { Task } from './command.ts'

/** Of the backend. */
export const VERSION = '0.1.0'

export const version: Task = {
  name: 'version',
  summary: 'print the version',
  run: async (_call, context) => ({ json: { version: context.version }, text: context.version }),
}
