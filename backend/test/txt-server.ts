import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** The TXT records of a name, each of some parts; or an error code of DNS. */
export type TxtRecords = Map<string, readonly (readonly string[])[] | number>

const NXDOMAIN = 3

/** A TXT record of the name in the question, valid for a minute. */
function recordOf(parts: readonly string[]): Buffer {
  const data = Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])))
  return Buffer.concat([Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 0xff]), data])
}

function nameOf(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

/** A name server on loopback that knows these records alone. `address` is as resolvers take it. */
export async function startTxtServer(records: TxtRecords): Promise<{ address: string; close(): void }> {
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { name, end } = nameOf(message)
    const found = records.get(name) ?? NXDOMAIN
    const [code, values] = typeof found === 'number' ? [found, []] : [0, found.map(recordOf)]
    const head = Buffer.from([message[0] ?? 0, message[1] ?? 0, 0x81, 0x80 | code, 0, 1, 0, values.length, 0, 0, 0, 0])
    socket.send(Buffer.concat([head, message.subarray(12, end), ...values]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() }
}
