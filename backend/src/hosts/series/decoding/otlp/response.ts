import { ProtobufWriter } from '../../../../platform/protobuf/protobuf-writer.ts'

export type OtlpEncoding = 'protobuf' | 'json'

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
  const writer = new ProtobufWriter()
  writer.message(1, () => {
    writer.integer(1, partial.rejectedDataPoints)
    writer.text(2, partial.errorMessage)
  })
  return writer.finish()
}

/** `google.rpc.Status`; `code` is one of gRPC: 3 for what is wrong in a request, 8 for too much, 14 for later. */
export function encodeRpcStatus({ code, message }: { code: number; message: string }, encoding: OtlpEncoding): Buffer {
  if (encoding === 'json') return toJson({ code, message })
  const writer = new ProtobufWriter()
  writer.integer(1, code)
  writer.text(2, message)
  return writer.finish()
}

const toJson = (value: object): Buffer => Buffer.from(JSON.stringify(value))
