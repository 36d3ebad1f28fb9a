import { BYTES, ProtobufReader, tagOf, VARINT } from '../protobuf.ts'
import { DecodingFault } from '../received.ts'
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

const PARTIAL_SUCCESS = tagOf(1, BYTES)
const REJECTED = tagOf(1, VARINT)
const MESSAGE = tagOf(2, BYTES)

/** What an answer in protobuf says of points that are not taken; undefined: nothing, or it is another answer. */
export function readOtlpResponse(body: Uint8Array): { rejectedDataPoints: number; errorMessage: string } | undefined {
  const reader = new ProtobufReader(body)
  const partial = { rejectedDataPoints: 0, errorMessage: '' }
  try {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag())
      if (tag === PARTIAL_SUCCESS) {
        const outer = reader.enter()
        for (let inner = reader.tag(); inner !== 0; inner = reader.tag())
          if (inner === REJECTED) partial.rejectedDataPoints = reader.safeInteger()
          else if (inner === MESSAGE) partial.errorMessage = reader.text()
          else reader.skip(inner)
        reader.leave(outer)
      } else reader.skip(tag)
  } catch (fault) {
    if (fault instanceof DecodingFault) return undefined
    throw fault
  }
  return partial.rejectedDataPoints > 0 ? partial : undefined
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
