import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTxtLookup } from './lookup.ts'

/** The records of a name, each of some parts; or an error code. */
const RECORDS: Record<string, string[][] | number> = {
  '_vedette.status.example.com': [['vedette-page=abc'], ['v=spf1 ', '-all']],
  '_vedette.refused.example.com': 5,
}
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

const socket = createSocket('udp4')
let server: string
beforeAll(async () => {
  socket.on('message', (message, from) => {
    const { name, end } = nameOf(message)
    const found = RECORDS[name] ?? NXDOMAIN
    const [code, records] = typeof found === 'number' ? [found, []] : [0, found.map(recordOf)]
    const head = Buffer.from([message[0] ?? 0, message[1] ?? 0, 0x81, 0x80 | code, 0, 1, 0, records.length, 0, 0, 0, 0])
    socket.send(Buffer.concat([head, message.subarray(12, end), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  server = `127.0.0.1:${socket.address().port}`
})
afterAll(() => void socket.close())

describe('a lookup of TXT records', () => {
  it('joins the parts of each value', async () => {
    const values = ['vedette-page=abc', 'v=spf1 -all']
    expect(await createTxtLookup([server])('_vedette.status.example.com')).toEqual({ values })
  })

  it('separates a missing record from a lookup that failed', async () => {
    expect(await createTxtLookup([server])('_vedette.other.example.com')).toEqual({ values: [] })
    expect(await createTxtLookup([server])('_vedette.refused.example.com')).toEqual({ code: 'EREFUSED' })
  })
})
