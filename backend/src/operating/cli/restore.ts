import { existsSync, readFileSync } from 'node:fs'
import { checkArchive, type Head, importInstallation, type OpenArchive, withArchive } from '../archive/index.ts'
import { createSecrets, readSecret, removeSecret, storeSecret } from '../../platform/crypto/installation-secrets.ts'
import { makeFolderFor } from '../../platform/system/private-file.ts'
import type { Settings } from '../settings/index.ts'
import { becomeOwner, makeDataDir } from '../startup/index.ts'
import { type CommandContext, type CommandResult, type Task, UsageError } from './command.ts'
import { readSettings, withRawDatabase } from './database.ts'
import { withProgress } from './progress.ts'
import { thisHost } from './service.ts'
import { serviceAccountOf } from './systemd.ts'
import { ownPaths } from './systemd-unit.ts'

const HOW = {
  imported: 'restored',
  resumed: 'restored (an interrupted restore was continued)',
  already: 'was restored before; nothing was changed',
} as const

export const restore: Task = {
  name: 'restore',
  summary: 'restore a backup into a new or empty installation, after verifying the whole file',
  parameters: ['file'],
  options: {
    'secret-file': {
      type: 'string',
      value: 'FILE',
      help: 'secret.key of the installation that was backed up, if the data folder has none',
    },
  },
  run: ({ parameters, options }, context) => {
    const settings = readSettings(context)
    const { file = '' } = parameters
    // Opened first: root may become the user of the data folder, who cannot read the files of root.
    return withArchive(file, async (archive) => {
      const secret = readSecretFile(options['secret-file'] as string | undefined)
      const { head } = await withProgress(context, (reportProgress) => checkArchive(archive, reportProgress))
      makeDataFolder(settings)
      becomeOwner(settings.dataDir)
      const isStored = provideSecret(settings, head, secret)
      try {
        return await restoreArchive(context, settings, archive, isStored)
      } catch (error) {
        if (isStored) removeSecret(settings.dataDir)
        throw error
      }
    })
  },
}

function readSecretFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`--secret-file: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** A missing data folder of a service is made for its user: root's own would keep the service from starting. */
function makeDataFolder({ dataDir }: Settings): void {
  if (process.getuid?.() !== 0 || existsSync(dataDir)) return
  const account = serviceAccountOf(thisHost(), ownPaths().program)
  if (account) makeFolderFor(dataDir, account)
}

/**
 * Before the database is touched: without the secret Vedette would not start on what was restored. Returns whether the given secret
 * was put into the data folder.
 */
function provideSecret({ secretKeys, dataDir }: Settings, { secret: wanted }: Head, given: string | undefined): boolean {
  if (wanted === null) return false
  const opens = (keys: readonly string[]) => keys.length > 0 && createSecrets(keys).fingerprints().includes(wanted)
  const own = readSecret(dataDir)
  const present = secretKeys ?? (own === undefined ? [] : [own])
  if (opens(present)) return false
  if (given !== undefined && !opens([given]))
    throw new Error('--secret-file is not the secret of the installation that was backed up. Nothing was restored.')
  if (given !== undefined && present.length === 0) {
    makeDataDir(dataDir)
    return storeSecret(dataDir, given)
  }
  const where = secretKeys ? 'of VEDETTE_SECRET_KEYS' : `in ${dataDir}/secret.key`
  throw new Error(
    present.length === 0
      ? 'The secret of the installation that was backed up is missing: name its secret.key by --secret-file, or set VEDETTE_SECRET_KEYS to it. Nothing was restored.'
      : `The secret ${where} is that of another installation: remove it, and name the secret.key of the backup by --secret-file. Nothing was restored.`,
  )
}

async function restoreArchive(
  context: CommandContext,
  settings: Settings,
  archive: OpenArchive,
  isStored: boolean,
): Promise<CommandResult> {
  const { clock } = context
  const { head, rows, bytes, how } = await withRawDatabase(context, (pool, direct, log) =>
    withProgress(context, (reportProgress) =>
      importInstallation({ pool, direct, clock, log, reportProgress }, archive, { isRestore: true }),
    ),
  )
  const { version, made_at: madeAt, organization } = head
  const { databaseUrl, dataDir } = settings
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  const into = databaseUrl === undefined ? dataDir : 'the database of DATABASE_URL'
  const lines = [
    `${archive.path}: verified, ${bytes} bytes of ${madeAt}, by version ${version}`,
    `${organization ? `organization ${organization.name}` : `${rows['organization'] ?? 0} organizations`}, ${rows['app_user'] ?? 0} users, ${total} rows ${HOW[how]} into ${into}`,
    ...(isStored ? [`secret     stored in ${dataDir}/secret.key`] : []),
    'next       start Vedette (systemctl start vedette, or vedette start), then run "vedette doctor"',
  ]
  return {
    json: {
      how: how === 'imported' ? 'restored' : how,
      file: archive.path,
      bytes,
      rows,
      made_at: madeAt,
      version,
      organization_id: organization?.id ?? null,
      is_secret_stored: isStored,
    },
    text: lines.join('\n'),
  }
}
