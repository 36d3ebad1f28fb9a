import { oneLine } from '@vedette/shared'
import { exportInstallation, exportSamples, recordExport, SAMPLE_FORMATS } from '../archive/index.ts'
import type { Pool } from '../../platform/db/index.ts'
import { parseId } from '../../platform/ids.ts'
import { parseInstant } from '../../platform/time/instant.ts'
import { type Call, oneOf, type CommandResult, type Task, UsageError, type CommandContext } from './command.ts'
import { quietLog, readPool, readSettings } from './database.ts'
import { findServer, listAllOrganizations } from './operator-store.ts'
import { findOrganization } from './find-organization.ts'
import { withProgress } from './progress.ts'

const OF_SAMPLES = ['format', 'from', 'to'] as const

export const exportCommand: Task = {
  name: 'export',
  summary: 'export the installation, one organization, or the samples of one server to a new file',
  parameters: ['file'],
  options: {
    organization: { type: 'string', value: 'org_…', help: 'only this organization with its users' },
    server: { type: 'string', value: 'srv_…', help: 'only the samples of this server, in a format for other programs' },
    format: {
      type: 'string',
      value: 'FORM',
      help: `with --server: ${SAMPLE_FORMATS.join(', ')} (one line per hour, by columns)`,
    },
    'allow-empty': { type: 'boolean', help: 'also when there is no organization yet' },
    from: { type: 'string', value: 'INSTANT', help: 'with --server: the start, inclusive, as 2026-11-20T18:00:00Z' },
    to: { type: 'string', value: 'INSTANT', help: 'with --server: the end, exclusive' },
  },
  run: (call, context) => {
    const { server, organization } = call.options
    if (server !== undefined && organization !== undefined) throw new UsageError('--server and --organization cannot be combined')
    return server === undefined ? exportRows(call, context) : exportServer(call, context, String(server))
  },
}

async function exportRows({ parameters, options }: Call, context: CommandContext): Promise<CommandResult> {
  const lone = OF_SAMPLES.find((name) => options[name] !== undefined)
  if (lone !== undefined) throw new UsageError(`--${lone} requires --server`)
  const { file = '' } = parameters
  return readPool(context, async (pool) => {
    const wanted = options['organization'] as string | undefined
    const organization = wanted === undefined ? undefined : await findOrganization(pool.db, wanted)
    if (options['allow-empty'] !== true) await refuseEmpty(pool)
    const { bytes, rows } = await withProgress(context, (reportProgress) =>
      exportInstallation({ pool, clock: context.clock, version: context.version, reportProgress }, file, organization),
    )
    if (organization === undefined) await noteExport(pool, context)
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    return {
      json: { file, bytes, rows },
      text: `${file}: ${total} rows, ${bytes} bytes. It does not contain the secret of the installation: store secret.key or VEDETTE_SECRET_KEYS separately.`,
    }
  })
}

/** Lets the dashboard know that there is a backup. A database that only reads does not take the note, and the export is as good. */
export async function noteExport({ db }: Pool, context: CommandContext): Promise<void> {
  try {
    await recordExport(db, new Date(context.clock.now()))
  } catch (error) {
    quietLog(context, readSettings(context)).warn({ err: error }, 'the database does not take the note that it was exported')
  }
}

/** Throws for an installation without an organization: a backup of the wrong database must not look like one. */
export async function refuseEmpty({ db }: Pool): Promise<void> {
  if ((await listAllOrganizations(db)).length > 0) return
  throw new Error(
    'This installation has no organization: there is nothing to export. Check that the settings name the right one; ' +
      '--allow-empty exports it all the same.',
  )
}

async function exportServer({ parameters, options }: Call, context: CommandContext, id: string): Promise<CommandResult> {
  const { file = '' } = parameters
  const format = oneOf('--format', String(options['format'] ?? ''), SAMPLE_FORMATS)
  const window = {
    fromMs: instantOf('from', options['from']) ?? Number.NEGATIVE_INFINITY,
    toMs: instantOf('to', options['to']) ?? Number.POSITIVE_INFINITY,
  }
  const uuid = parseId('server', id)
  return readPool(context, async (pool) => {
    const server = uuid === undefined ? undefined : await findServer(pool.db, uuid)
    if (!server) throw new Error(`There is no server ${id}.`)
    const { samples, bytes, sha256 } = await withProgress(context, (reportProgress) =>
      exportSamples({ pool, reportProgress }, file, format, server, window),
    )
    return {
      json: { file, server_id: id, format, samples, bytes, sha256 },
      text: `${file}: ${samples} samples of ${oneLine(server.hostname)}, ${bytes} bytes, sha256 ${sha256}`,
    }
  })
}

function instantOf(name: string, text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseInstant(text)
  if (ms === undefined) throw new UsageError(`--${name} must be an instant, as 2026-11-20T18:00:00Z`)
  return ms
}
