import { checkArchive, giveUpImport, type Head, importInstallation, withArchive } from '../archive/index.ts'
import { createSecrets, readSecret } from '../../platform/crypto/installation-secrets.ts'
import type { Settings } from '../settings/index.ts'
import { type CommandResult, type Task, UsageError } from './command.ts'
import { readSettings, withRawDatabase } from './database.ts'
import { withProgress } from './progress.ts'

const HOW = {
  imported: 'imported',
  resumed: 'imported (resumed)',
  already: 'was imported before; nothing was changed',
} as const

export const importCommand: Task = {
  name: 'import',
  summary: 'import an export into an empty database, or add its organization; an interrupted import resumes',
  parameters: ['file'],
  options: {
    check: { type: 'boolean', help: 'only verify the checksums of the file' },
    'give-up': { type: 'boolean', help: 'remove what an interrupted import of an organization has stored' },
  },
  run: async ({ parameters, options }, context) => {
    const { file = '' } = parameters
    if (options['check'] === true && options['give-up'] === true) throw new UsageError('--check and --give-up cannot be combined')
    const settings = readSettings(context)
    if (options['check'] === true) {
      const { head, rows, bytes } = await withArchive(file, (archive) =>
        withProgress(context, (reportProgress) => checkArchive(archive, reportProgress)),
      )
      return outcome(settings, file, head, rows, bytes, { how: 'checked', says: 'intact' })
    }
    // Opened first: root may become the user of the data folder, who cannot read the files of root.
    return withArchive(file, (archive) =>
      withRawDatabase(context, (pool, direct, log) =>
        withProgress(context, async (reportProgress) => {
          const deps = { pool, direct, clock: context.clock, log, reportProgress }
          if (options['give-up'] === true) {
            const { head, rows, bytes } = await giveUpImport(deps, archive)
            return outcome(settings, file, head, rows, bytes, { how: 'given_up', says: 'removed' })
          }
          const done = await importInstallation(deps, archive)
          return outcome(settings, file, done.head, done.rows, done.bytes, { how: done.how, says: HOW[done.how] })
        }),
      ),
    )
  },
}

function outcome(
  settings: Settings,
  file: string,
  head: Head,
  rows: Record<string, number>,
  bytes: number,
  { how, says }: { how: string; says: string },
): CommandResult {
  const { version, made_at: madeAt, organization } = head
  const secret = secretOf(settings, head.secret)
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  const what = organization ? `organization ${organization.name} (${organization.id})` : 'everything'
  return {
    json: { how, file, bytes, rows, made_at: madeAt, version, organization_id: organization?.id ?? null, secret },
    text: [`${file}: ${says}. ${what} of ${madeAt}, ${total} rows`, ...(SECRET[secret]?.(settings) ?? [])].join('\n'),
  }
}

type SecretState = 'here' | 'missing' | 'another' | 'none'

const SECRET: Readonly<Partial<Record<SecretState, (settings: Settings) => string[]>>> = {
  missing: ({ dataDir }) => [
    `The secret of the exported installation is missing: copy its secret.key into ${dataDir} (mode 0600, owned by the user who runs Vedette), or set VEDETTE_SECRET_KEYS to it. Without the secret Vedette does not start and cannot decrypt values.`,
  ],
  another: ({ secretKeys, dataDir }) => [
    `The secret ${secretKeys ? 'of VEDETTE_SECRET_KEYS' : `in ${dataDir}/secret.key`} differs from the secret of the exported installation: replace it, or set VEDETTE_SECRET_KEYS to the present secret followed by the exported one.`,
  ],
}

/** Whether the present secret can decrypt the imported data; `none` if the exported installation had never started. */
function secretOf({ secretKeys, dataDir }: Settings, wanted: string | null): SecretState {
  if (wanted === null) return 'none'
  const own = readSecret(dataDir)
  const keys = secretKeys ?? (own === undefined ? [] : [own])
  if (keys.length === 0) return 'missing'
  return createSecrets(keys).fingerprints().includes(wanted) ? 'here' : 'another'
}
