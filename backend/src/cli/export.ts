import { exportInstallation, exportSamples, SAMPLE_FORMATS } from '../archive/index.ts'
import { parseId } from '../platform/ids.ts'
import { parseInstant } from '../platform/instant.ts'
import { type Call, oneOf, type Outcome, type Task, UsageError, type World } from './command.ts'
import { readPool } from './database.ts'
import { findServer } from './operator-store.ts'
import { findOrganization } from './organization.ts'
import { withProgress } from './progress.ts'

const OF_SAMPLES = ['format', 'from', 'to'] as const

export const exportCommand: Task = {
  name: 'export',
  summary: 'write everything, one organization, or the samples of one server into a new file',
  parameters: ['file'],
  options: {
    organization: { type: 'string', value: 'org_…', help: 'only this organization, with its people' },
    server: { type: 'string', value: 'srv_…', help: 'only the samples of this server, for other programs' },
    format: { type: 'string', value: 'FORM', help: `with --server: ${SAMPLE_FORMATS.join(', ')} (an hour a line, by columns)` },
    from: { type: 'string', value: 'INSTANT', help: 'with --server: the first instant, as 2026-11-20T18:00:00Z' },
    to: { type: 'string', value: 'INSTANT', help: 'with --server: the first instant that is left out' },
  },
  run: (call, world) => {
    const { server, organization } = call.options
    if (server !== undefined && organization !== undefined) throw new UsageError('--server and --organization do not go together')
    return server === undefined ? exportRows(call, world) : exportServer(call, world, String(server))
  },
}

async function exportRows({ parameters, options }: Call, world: World): Promise<Outcome> {
  const lone = OF_SAMPLES.find((name) => options[name] !== undefined)
  if (lone !== undefined) throw new UsageError(`--${lone} goes with --server`)
  const { file = '' } = parameters
  return readPool(world, async (pool) => {
    const wanted = options['organization'] as string | undefined
    const organization = wanted === undefined ? undefined : await findOrganization(pool.db, wanted)
    const { bytes, rows } = await withProgress(world, (tell) =>
      exportInstallation({ pool, clock: world.clock, version: world.version, tell }, file, organization),
    )
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    return {
      json: { file, bytes, rows },
      text: `${file}: ${total} rows, ${bytes} bytes. The secret of the installation is not in it: keep secret.key, or VEDETTE_SECRET_KEYS, apart from it.`,
    }
  })
}

async function exportServer({ parameters, options }: Call, world: World, id: string): Promise<Outcome> {
  const { file = '' } = parameters
  const format = oneOf('--format', String(options['format'] ?? ''), SAMPLE_FORMATS)
  const window = {
    fromMs: instantOf('from', options['from']) ?? Number.NEGATIVE_INFINITY,
    toMs: instantOf('to', options['to']) ?? Number.POSITIVE_INFINITY,
  }
  const uuid = parseId('server', id)
  return readPool(world, async (pool) => {
    const server = uuid === undefined ? undefined : await findServer(pool.db, uuid)
    if (!server) throw new Error(`There is no server ${id}.`)
    const { samples, bytes, sha256 } = await withProgress(world, (tell) =>
      exportSamples({ pool, tell }, file, format, server, window),
    )
    return {
      json: { file, server_id: id, format, samples, bytes, sha256 },
      text: `${file}: ${samples} samples of ${server.hostname}, ${bytes} bytes, sha256 ${sha256}`,
    }
  })
}

function instantOf(name: string, text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseInstant(text)
  if (ms === undefined) throw new UsageError(`--${name} must be an instant, as 2026-11-20T18:00:00Z`)
  return ms
}
