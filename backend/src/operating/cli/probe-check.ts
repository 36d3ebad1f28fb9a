import { examinePing } from '../../monitoring/checks/index.ts'
import type { Task } from './command.ts'
import { readSettings } from './database.ts'

const WAYS = { socket: 'ok     ', program: 'SLOW   ', none: 'FAULT  ' } as const

/** Comes before `probe` in the list of commands, whose name begins this one. */
export const probeCheck: Task = {
  name: 'probe check',
  summary: 'examine how this machine can run checks of type icmp, and say what opens a better way',
  run: async (_call, context) => {
    const icmp = await examinePing(readSettings(context))
    const line = ({ family, way, detail, remedy }: (typeof icmp)[number]) =>
      `${WAYS[way]} icmp over ${family}: ${way === 'socket' ? 'ping socket' : way === 'program' ? "the system's ping" : 'no way'}, ${detail}${
        remedy === null ? '' : `. ${remedy}`
      }`
    return {
      json: { is_well: icmp.every(({ way }) => way !== 'none'), icmp },
      text: icmp.map(line).join('\n'),
      isFailure: icmp.some(({ way }) => way === 'none'),
    }
  },
}
