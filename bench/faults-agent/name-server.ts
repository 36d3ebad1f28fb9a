import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** What a question is answered with; `silence` is a name server that is away. */
export type NameFault = 'none' | 'NXDOMAIN' | 'SERVFAIL' | 'silence'

const CODES = { none: 0, NXDOMAIN: 3, SERVFAIL: 2 }
const HEADER_BYTES = 12
const TYPE_A = 1

/** A name server that knows one address, whatever the name, and keeps nobody from asking again at once. */
export class NameServer {
  fault: NameFault = 'none'
  address = '127.0.0.1'
  readonly #socket = createSocket('udp4', (question, { address, port }) => {
    if (this.fault !== 'silence') this.#socket.send(answer(question, CODES[this.fault], this.address), port, address)
  })

  /** Its `address:port`. */
  async listen(): Promise<string> {
    this.#socket.bind(0, '127.0.0.1')
    await once(this.#socket, 'listening')
    return `127.0.0.1:${this.#socket.address().port}`
  }

  close(): void {
    this.#socket.close()
  }
}

/** RFC 1035, 4.1: the question comes back, and where it is for an IPv4 address and nothing is wrong, the address after it. */
function answer(question: Buffer, code: number, address: string): Buffer {
  let end = HEADER_BYTES
  while (question[end]) end += (question[end] ?? 0) + 1
  const type = question.readUInt16BE(end + 1)
  const isKnown = code === 0 && type === TYPE_A
  const header = Buffer.from(question.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(0x8180 | code, 2)
  for (const [index, count] of [1, isKnown ? 1 : 0, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * index)
  // A pointer to the name in the question, type A, class IN, to be kept for 0 s, 4 bytes of address.
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end + 5), ...(isKnown ? [record] : [])])
}
