import type { Task } from './command.ts'

export const version: Task = {
  name: 'version',
  summary: 'print the version',
  run: async (_call, context) => ({ json: { version: context.version }, text: context.version }),
}
