import type { Sealer } from '../platform/sealer.ts'

/** What a check sends beside its URL. It may hold secrets: at rest it is sealed, to the monitor's stored id. */
export interface CheckRequest {
  headers: Record<string, string>
  body: string | null
}

/** Null where there is nothing to seal. */
export function sealRequest(sealer: Sealer, monitorId: string, { headers, body }: CheckRequest): Buffer | null {
  if (body === null && Object.keys(headers).length === 0) return null
  return sealer.seal(Buffer.from(JSON.stringify({ headers, body })), monitorId)
}

/** Throws Error where no secret of the installation opens it: a check without its headers would be another check. */
export function openRequest(sealer: Sealer, monitorId: string, sealed: Buffer | null): CheckRequest {
  if (sealed === null) return { headers: {}, body: null }
  const plain = sealer.open(sealed, monitorId)
  if (!plain) throw new Error(`The headers and body of monitor ${monitorId} are sealed with a secret that is not here any more.`)
  // Written by sealRequest, and nothing else opens.
  return JSON.parse(plain.toString()) as CheckRequest
}
