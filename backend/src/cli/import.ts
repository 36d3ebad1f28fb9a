import { checkArchive, giveUpImport, type Head, importInstallation } from '../archive/index.ts'
import { createSecrets, readSecret } from '../platform/secrets.ts'
import type { Settings } from '../settings.ts'
import { type Outcome, type Task, UsageError } from './command.ts'
import { readSettings, withRawDatabase } from './database.ts'
import { withProgress } from './progress.ts'

const HOW = {
  imported: 'imported',
  resumed: 'imported; it went on where it was cut off',
  already: 'was imported here already, nothing was done',
} as const

export const importCommand: Task = {
  name: 'import',
  summary: 'fill an empty database from the file of an export, or add its organization to others; one that was cut off goes on',
  parameters: ['file'],
  options: {
    check: { type: 'boolean', help: 'only read the whole file and compare its sums' },
    'give-up': { type: 'boolean', help: 'take back what was stored of an organization beside others' },
  },
  run: async ({ parameters, options }, world) => {
    const { file = '' } = parameters
    if (options['check'] === true && options['give-up'] === true) throw new UsageError('--check and --give-up do not go together')
    const settings = readSettings(world)
    if (options['check'] === true) {
      const { head, rows, bytes } = await withProgress(world, (tell) => checkArchive(file, tell))
      return outcome(settings, file, head, rows, bytes, { how: 'checked', says: 'whole' })
    }
    return withRawDatabase(world, (pool, direct, log) =>
      withProgress(world, async (tell) => {
        const deps = { pool, direct, clock: world.clock, log, tell }
        if (options['give-up'] === true) {
          const { head, rows, bytes } = await giveUpImport(deps, file)
          return outcome(settings, file, head, rows, bytes, { how: 'given_up', says: 'given up; nothing of it is here' })
        }
        const done = await importInstallation(deps, file)
        return outcome(settings, file, done.head, done.rows, done.bytes, { how: done.how, says: HOW[done.how] })
      }),
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
): Outcome {
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
    `The secret of that installation is missing: put its secret.key into ${dataDir} (mode 0600, of the user who runs Vedette), or set VEDETTE_SECRET_KEYS to it. Without it no start is possible, and what is sealed stays sealed.`,
  ],
  another: ({ secretKeys, dataDir }) => [
    `The secret ${secretKeys ? 'of VEDETTE_SECRET_KEYS' : `in ${dataDir}/secret.key`} is another one than that installation's: put that one in its place, or set VEDETTE_SECRET_KEYS to the new one first and that one behind it.`,
  ],
}

/** Whether what was sealed there can be opened here; `none` where that installation had never started. */
function secretOf({ secretKeys, dataDir }: Settings, wanted: string | null): SecretState {
  if (wanted === null) return 'none'
  const own = readSecret(dataDir)
  const keys = secretKeys ?? (own === undefined ? [] : [own])
  if (keys.length === 0) return 'missing'
  return createSecrets(keys).fingerprints().includes(wanted) ? 'here' : 'another'
}
