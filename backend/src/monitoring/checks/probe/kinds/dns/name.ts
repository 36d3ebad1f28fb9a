const MAX_NAME_BYTES = 255

/**
 * A domain name in a message, in the notation of zone files. Throws RangeError for a malformed one: a pointer has to lead to an earlier
 * place than all before it, so that there is no loop.
 */
export function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  let lowest = start
  let bytes = 1
  let end: number | undefined
  for (;;) {
    const length = message.readUInt8(at)
    if (length === 0) return { name: labels.join('.'), end: end ?? at + 1 }
    if (length >= 0xc0) {
      const target = message.readUInt16BE(at) & 0x3fff
      if (target >= lowest) throw new RangeError('a compressed name leads forward')
      end ??= at + 2
      lowest = target
      at = target
      continue
    }
    bytes += length + 1
    if (length >= 0x40 || bytes > MAX_NAME_BYTES || at + 1 + length > message.length) throw new RangeError('a name is too long')
    labels.push(presentation(message.subarray(at + 1, at + 1 + length), /[^!-~]|[.\\"();@$]/g))
    at += 1 + length
  }
}

/** RFC 4343: bytes that are special or not printable are written as `\.` or `\009`. */
export const presentation = (bytes: Buffer, special: RegExp): string =>
  bytes
    .toString('latin1')
    .replaceAll(special, (one) => (/[!-~]/.test(one) ? `\\${one}` : `\\${String(one.charCodeAt(0)).padStart(3, '0')}`))
