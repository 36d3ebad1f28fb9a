import { truncateText } from '@vedette/shared/outside-text'
import { MAX_EVENT_LINE_LENGTH } from '@vedette/shared/entities/limits'

/** Colours and cursor movements, titles of windows, and single controls; a tab stays. */
// oxlint-disable-next-line no-control-regex -- they are what is removed
const CONTROLS = /\x1b\[[\d;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\0-\x08\x0b-\x1f\x7f-\x9f]/g

/**
 * The last lines of the answer of `/containers/:id/logs`: without a terminal in frames of an eight-byte header (stream, three zeros,
 * length), with one as it was written.
 */
export function lastLines(body: Buffer, count: number): string[] {
  const text = (isInFrames(body) ? withoutFrames(body) : body).toString('utf8')
  // Podman's answer for a container that is removed meanwhile has status 200.
  if (/^\{"cause":.*"response":\d{3}\}\s*$/.test(text)) return []
  return text
    .split('\n')
    .map((line) => truncateText(line.replaceAll(CONTROLS, ''), MAX_EVENT_LINE_LENGTH))
    .filter((line) => line.trim() !== '')
    .slice(-count)
}

const HEADER_BYTES = 8

function isInFrames(body: Buffer): boolean {
  return body.length >= HEADER_BYTES && (body[0] ?? 0) <= 2 && body.readUIntBE(1, 3) === 0
}

function withoutFrames(body: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at + HEADER_BYTES <= body.length; ) {
    const end = at + HEADER_BYTES + body.readUInt32BE(at + 4)
    // The last one may be cut.
    pieces.push(body.subarray(at + HEADER_BYTES, end))
    at = end
  }
  return Buffer.concat(pieces)
}
