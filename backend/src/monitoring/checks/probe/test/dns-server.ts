import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

/** What a name server says of one name and family. */
export type DnsReply =
  | { addresses: readonly string[]; cname?: string }
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'REFUSED'
  /** Never answers. */
  | 'SILENCE'

export interface DnsServer {
  /** `address:port`. */
  address: string
  /** Queried names as `name/4` or `name/6`, in order. */
  queries: string[]
  close(): Promise<void>
}

const CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const
const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const

/** A real name server on UDP; `answer` is called for each query. */
export async function startDnsServer(answer: (name: string, family: 4 | 6) => DnsReply): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (message, from) => {
    const question = readQuestion(message)
    const family = question.type === TYPES.AAAA ? 6 : 4
    queries.push(`${question.name}/${family}`)
    const reply = answer(question.name, family)
    if (reply !== 'SILENCE') socket.send(writeReply(message, question, reply), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  return {
    address: `127.0.0.1:${port}`,
    queries,
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  }
}

interface Question {
  name: string
  type: number
  /** Where the question ends. */
  end: number
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] as number; length > 0; length = message[at] as number) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  // Case may be mixed on purpose (0x20); it is repeated with the question and does not count here.
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function writeReply(message: Buffer, { type, end }: Question, reply: Exclude<DnsReply, 'SILENCE'>): Buffer {
  const records = typeof reply === 'string' ? [] : recordsOf(reply, type)
  const head = Buffer.alloc(12)
  message.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (typeof reply === 'string' ? CODES[reply] : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, message.subarray(12, end), ...records])
}

function recordsOf({ addresses, cname }: { addresses: readonly string[]; cname?: string }, type: number): Buffer[] {
  const owner = cname === undefined ? Buffer.from([0xc0, 12]) : encodeName(cname)
  const alias = cname === undefined ? [] : [record(Buffer.from([0xc0, 12]), TYPES.CNAME, encodeName(cname))]
  return [...alias, ...addresses.map((address) => record(owner, type, bytesOf(address)))]
}

function record(owner: Buffer, type: number, content: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(content.length, 8)
  return Buffer.concat([owner, fixed, content])
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.from([0])])

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // The URL parser writes every spelling in hexadecimal.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [left, right] = [groups(head), groups(tail ?? '')]
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}
