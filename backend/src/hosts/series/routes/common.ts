import { callerOf, type RouteDeps, tenantOf } from '../../../access/auth/index.ts'
import { findPlan } from '../../../access/plans/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { App, inflateBody } from '../../../platform/http/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { continuePath, DecodingFault, EXPORT_PATH_HEADER, exportPathOf, type Received } from '../decoding/index.ts'
import type { CollectorHosts } from '../ingest/collector-hosts.ts'
import type { KeyOptions } from '../ingest/key-options.ts'
import type { Outcome, SeriesIngest } from '../ingest/submit.ts'

export interface SeriesRouteDeps extends RouteDeps {
  db: Db
  clock: Clock
  options: KeyOptions
  series: SeriesIngest
  hosts: CollectorHosts
}

/** Stores what a request brought. Resolves once everything that is not refused is committed. */
export async function take(
  deps: SeriesRouteDeps,
  request: { ip: string; headers: Readonly<Record<string, string | string[] | undefined>> },
  brought: Received,
): Promise<{ outcome: Outcome; refusedHosts: string[] }> {
  const caller = callerOf(deps, request)
  const { received, replaced } = await deps.options.apply(caller.principal, brought, deps.clock.now())
  const { number: organization, id } = tenantOf(caller.principal)
  const exportPath = exportPathOf(request.headers[EXPORT_PATH_HEADER])
  const outcome = await deps.series.submit(organization, await findPlan(deps.db, organization), received, exportPath)
  // What an export of its own has sent comes from hosts that are there.
  const isOwn = exportPath !== '' && continuePath(exportPath, encodeId('organization', id)) === undefined
  const refusedHosts = isOwn ? [] : await deps.hosts.record(caller, received)
  // Their like is stored, as what comes twice is.
  return { outcome: { ...outcome, written: outcome.written + replaced }, refusedHosts }
}

export const PROTOBUF_TYPE = 'application/x-protobuf'
/** Of a request as it is sent, and once it is inflated. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024
export const MAX_INFLATED_BYTES = 32 * 1024 * 1024

/** The routes of the scope take bodies of these media types alone, as bytes; `read` may inflate them. */
export function takeBytes(
  scope: App,
  types: readonly string[],
  read: (...given: Parameters<typeof inflateBody>) => Buffer | Promise<Buffer>,
): void {
  scope.removeAllContentTypeParsers()
  for (const type of types)
    scope.addContentTypeParser(type, { parseAs: 'buffer' }, async (request: Parameters<typeof read>[0], body: Buffer) =>
      read(request, body),
    )
  scope.addContentTypeParser('*', async () => {
    throw new ApiError('unsupported_media_type', `The body has a media type that is not taken here: send ${types.join(' or ')}.`)
  })
}

/** None where no body was sent. */
export const bytesOf = ({ body }: { body: unknown }): Buffer => (body as Buffer | undefined) ?? NOTHING
const NOTHING = Buffer.alloc(0)

/** What the body says. Throws validation_error with the place of the fault. */
export function decoded(decode: () => Received): Received {
  try {
    return decode()
  } catch (fault) {
    if (fault instanceof DecodingFault) throw invalid({ path: fault.place, message: fault.what })
    throw fault
  }
}
