import { examineInstallation, type Finding } from '../doctor/index.ts'
import type { Task } from './command.ts'
import { quietLog, readSettings } from './database.ts'
import { backupFolderOf } from './systemd.ts'

const SIGNS = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' } as const

export const doctor: Task = {
  name: 'doctor',
  summary: 'examine the installation, running or not, and say what to do about each fault',
  options: {
    to: { type: 'string', value: 'DIR', help: 'the folder of the backups; default: that of vedette-backup.service' },
  },
  run: async ({ options }, context) => {
    const settings = readSettings(context)
    const backupFolder = (options['to'] as string | undefined) ?? backupFolderOf('/')
    const log = quietLog(context, { ...settings, logLevel: 'silent' })
    const findings = await examineInstallation({ settings, clock: context.clock, log, backupFolder })
    const faults = findings.filter(({ state }) => state === 'fault').length
    return {
      json: { is_well: faults === 0, findings },
      text: findings.map(toLine).join('\n'),
      isFailure: faults > 0,
    }
  },
}

const toLine = ({ subject, state, detail, remedy }: Finding): string =>
  `${SIGNS[state]} ${subject}: ${detail.replace(/\.$/, '')}${remedy === null ? '' : `. ${remedy}`}`
