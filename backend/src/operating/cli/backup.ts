import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { backupName, checkArchive, exportInstallation, listBackups, withArchive } from '../archive/index.ts'
import { type CommandContext, requireOption, type Task, UsageError } from './command.ts'
import { readPool } from './database.ts'
import { noteExport, refuseEmpty } from './export.ts'
import { withProgress } from './progress.ts'

const MAX_KEEP = 1_000

export const backup: Task = {
  name: 'backup',
  summary: 'export the installation to a file named by date, verify it, and remove older ones',
  options: {
    to: { type: 'string', value: 'DIR', help: 'the folder for the backups' },
    keep: {
      type: 'string',
      value: 'N',
      help: `remove all but the newest N backups of the folder, 1 to ${MAX_KEEP}; default: keep all`,
    },
    'allow-empty': { type: 'boolean', help: 'also when there is no organization yet' },
  },
  run: async (call, context) => {
    const folder = requireOption(call, 'to')
    const keep = parseKeep(call.options['keep'])
    const { file, bytes, rows } = await writeBackup(context, folder, call.options['allow-empty'] === true)
    const removed = keep === undefined ? [] : removeOlder(folder, keep)
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    return {
      json: { file, bytes, rows, removed },
      text: [
        `${file}: ${total} rows, ${bytes} bytes, verified. It does not contain the secret of the installation: store secret.key or VEDETTE_SECRET_KEYS separately.`,
        ...removed.map((path) => `${path}: removed`),
      ].join('\n'),
    }
  },
}

function parseKeep(text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined
  const keep = Number(text)
  if (typeof text === 'string' && /^\d+$/.test(text) && keep >= 1 && keep <= MAX_KEEP) return keep
  throw new UsageError(`--keep must be a number of backups from 1 to ${MAX_KEEP}`)
}

/** Writes the export and reads it back. A file that does not verify is removed, and no older one is. */
async function writeBackup(context: CommandContext, folder: string, allowsEmpty: boolean) {
  const { clock, version } = context
  return readPool(context, async (pool) => {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error(`There is no folder ${folder}.`)
    if (!allowsEmpty) await refuseEmpty(pool)
    const file = join(folder, backupName(clock.now()))
    const exported = await withProgress(context, (reportProgress) =>
      exportInstallation({ pool, clock, version, reportProgress }, file),
    )
    try {
      const { bytes, rows } = await withArchive(file, (archive) =>
        withProgress(context, (reportProgress) => checkArchive(archive, reportProgress)),
      )
      if (!isDeepStrictEqual({ bytes, rows }, exported)) throw new Error(`${file} does not hold what was exported`)
    } catch (error) {
      rmSync(file, { force: true })
      throw error
    }
    await noteExport(pool, context)
    return { file, ...exported }
  })
}

function removeOlder(folder: string, keep: number): string[] {
  const older = listBackups(folder)
    .slice(0, -keep)
    .map((name) => join(folder, name))
  for (const path of older) rmSync(path)
  return older
}
