import { writeVarint } from '@vedette/shared/metrics/block'

export type OtlpEncoding = 'protobuf' | 'json'

/** Room for a tag and a number of 64 bits. */
const NUMBER_BYTES = 11

/**
 * `ExportMetricsServiceResponse`. `partial` says that points were refused, or warns where `rejectedDataPoints` is 0; undefined: all is
 * taken.
 */
export function encodeOtlpResponse(
  partial: { rejectedDataPoints: number; errorMessage: string } | undefined,
  encoding: OtlpEncoding,
): Buffer {
  if (encoding === 'json') {
    const { rejectedDataPoints = 0, errorMessage = '' } = partial ?? {}
    return toJson(partial ? { partialSuccess: { rejectedDataPoints: String(rejectedDataPoints), errorMessage } } : {})
  }
  if (!partial) return Buffer.alloc(0)
  return bytesField(1, Buffer.concat([numberField(1, partial.rejectedDataPoints), textField(2, partial.errorMessage)]))
}

/** `google.rpc.Status`; `code` is one of gRPC: 3 for what is wrong in a request, 8 for too much, 14 for later. */
export function encodeRpcStatus({ code, message }: { code: number; message: string }, encoding: OtlpEncoding): Buffer {
  return encoding === 'json' ? toJson({ code, message }) : Buffer.concat([numberField(1, code), textField(2, message)])
}

const toJson = (value: object): Buffer => Buffer.from(JSON.stringify(value))

function numberField(field: number, value: number): Buffer {
  if (value === 0) return Buffer.alloc(0)
  const bytes = Buffer.alloc(NUMBER_BYTES)
  return bytes.subarray(0, writeVarint(bytes, writeVarint(bytes, 0, field << 3), value))
}

const textField = (field: number, text: string): Buffer => (text === '' ? Buffer.alloc(0) : bytesField(field, Buffer.from(text)))

function bytesField(field: number, content: Buffer): Buffer {
  const head = Buffer.alloc(NUMBER_BYTES)
  return Buffer.concat([head.subarray(0, writeVarint(head, writeVarint(head, 0, (field << 3) | 2), content.length)), content])
}
