import { oneLine } from '@vedette/shared'
import { readOtlpResponse, type SeriesFamily } from '../../hosts/series/index.ts'
import { DeliveryError, type OutboundRequest, type OutboundResponse } from '../../notifying/notifications/index.ts'
import { maskSecrets } from '../../platform/logging/mask-secrets.ts'
import { encodeOtlp, OTLP_HEADERS } from './encode/otlp.ts'
import { encodeRemoteWrite, REMOTE_WRITE_HEADERS } from './encode/remote-write.ts'
import type { ExportedSeries, ExportKind } from './series/exported-series.ts'
import type { Headers } from './secret.ts'

interface ExportFormat {
  headers: Readonly<Record<string, string>>
  /** `families`: what is said of names, where there is room for it. */
  encode(series: readonly ExportedSeries[], families: readonly SeriesFamily[]): Buffer
}

export const FORMATS: Readonly<Record<ExportKind, ExportFormat>> = {
  remote_write: { headers: REMOTE_WRITE_HEADERS, encode: encodeRemoteWrite },
  otlp: { headers: OTLP_HEADERS, encode: encodeOtlp },
}

/** What a receiver made of a batch. `rejected`: so many values are not taken. `refused` is for ever; `waits`: it is to be sent again. */
export type Outcome =
  | { kind: 'accepted'; rejected: number; reason: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'waits'; reason: string; retryAfterMs: number | undefined }

const MAX_REASON_LENGTH = 300
/** Shorter ones would mask words. */
const MIN_SECRET_LENGTH = 4

/** Posts a batch. Secrets go to the origin of the URL alone, and no reason has one. Never rejects because of the receiver. */
export async function postBatch(
  send: (request: OutboundRequest) => Promise<OutboundResponse>,
  { url, headers, secretHeaders, body }: { url: string; headers: Headers; secretHeaders: Headers; body: Buffer },
  nowMs: () => number,
): Promise<Outcome> {
  try {
    const response = await send({ url, headers, secretHeaders, body, staysAtOrigin: true })
    return outcomeOf(response, secretHeaders, nowMs())
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { kind: 'waits', reason: maskSecrets(error.message, secretsOf(secretHeaders)), retryAfterMs: undefined }
  }
}

function outcomeOf(response: OutboundResponse, secretHeaders: Headers, nowMs: number): Outcome {
  const { status, headers, text } = response
  const textOf = (said: string) => oneLine(maskSecrets(said, secretsOf(secretHeaders))).slice(0, MAX_REASON_LENGTH)
  if (status >= 200 && status < 300) {
    const partial = partOf(response)
    return { kind: 'accepted', rejected: partial?.rejectedDataPoints ?? 0, reason: textOf(partial?.errorMessage ?? '') }
  }
  const words = textOf(text)
  const reason = `the receiver answered ${status}${words === '' ? '' : `: ${words}`}`
  if (status >= 400 && status < 500 && status !== 429) return { kind: 'refused', reason }
  return { kind: 'waits', reason, retryAfterMs: retryAfterMs(headers['retry-after'], nowMs) }
}

/** Of OTLP: what it does not take is not sent again. */
const partOf = ({ headers, bytes }: OutboundResponse) =>
  bytes && String(headers['content-type']).startsWith('application/x-protobuf') ? readOtlpResponse(bytes) : undefined

const secretsOf = (headers: Headers): string[] =>
  Object.values(headers)
    .flatMap((value) => [value, ...value.split(' ')])
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)

/** Seconds or a date; undefined where it is neither. Pure. */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
