import type { Task } from './command.ts'

export const version: Task = {
  name: 'version',
  summary: 'the version of this program',
  run: async (_call, world) => ({ json: { version: world.version }, text: world.version }),
}
