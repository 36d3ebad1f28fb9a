import type { RouteDeps } from '../../../access/auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import type { App, inflateBody } from '../../../platform/http/index.ts'
import { DecodingFault, type Received } from '../decoding/index.ts'
import type { CollectorHosts } from '../ingest/collector-hosts.ts'
import type { SeriesIngest } from '../ingest/submit.ts'

export interface SeriesRouteDeps extends RouteDeps {
  db: Db
  series: SeriesIngest
  hosts: CollectorHosts
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
