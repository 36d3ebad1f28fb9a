import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { systemClock } from '../../process/clock.ts'
import { decodeMessages, encodeCall, listFailedUnits } from './dbus.ts'
import { fixture } from './fixtures.ts'

const RECORDED = Buffer.from(fixture('recorded/dbus-failed-units.hex').replaceAll('\n', ''), 'hex')
/** What the bus says to let one in, and then. */
const LINE_END = RECORDED.indexOf('\r\n') + 2

let server: Server | undefined
afterEach(() => server?.close())

/** A fake bus that answers the authentication and the calls. */
async function bus(letIn: Buffer | string, answer: Buffer, inPiecesOf = answer.length) {
  const path = join(mkdtempSync(join(tmpdir(), 'vedette-bus-')), 'socket')
  const heard: Buffer[] = []
  server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (piece: Buffer) => {
      heard.push(piece)
      if (heard.length === 1) socket.write(letIn)
      else for (let at = 0; at < answer.length; at += inPiecesOf) socket.write(answer.subarray(at, at + inPiecesOf))
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(path, resolve)
  await promise
  return { path, heard: () => Buffer.concat(heard).toString('latin1') }
}

describe('listFailedUnits', () => {
  test.each([715, 7, 1])('reads the names from a recorded answer in chunks of %d bytes', async (pieces) => {
    const { path, heard } = await bus(RECORDED.subarray(0, LINE_END), RECORDED.subarray(LINE_END), pieces)
    expect(await listFailedUnits(systemClock, path, 1000)).toEqual(['certbot.service', 'bäckup@a-b.service'])
    expect(heard()).toMatch(/^\0AUTH EXTERNAL 31303030\r\nBEGIN\r\n/)
    expect(heard()).toContain('ListUnitsFiltered')
  })

  const refused = Buffer.from(RECORDED.subarray(LINE_END))
  // The type of the answer: an error in place of a return.
  refused[refused.lastIndexOf('l\x02\x01') + 1] = 3

  test.each<[string, string | Buffer, Buffer]>([
    ['a bus that lets nobody in', 'REJECTED EXTERNAL\r\n', Buffer.alloc(0)],
    ['an error', 'OK 1\r\n', refused],
    ['what is no D-Bus', 'OK 1\r\n', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(4))],
    ['an answer without end', 'OK 1\r\n', Buffer.from('6c02010101ffffff00000002000000000000000000000000', 'hex')],
  ])('%s gives undefined', async (_, letIn, answer) => {
    const { path } = await bus(letIn, answer)
    expect(await listFailedUnits(systemClock, path, 0)).toBeUndefined()
  })

  test('is undefined in time if the bus is missing or silent', async () => {
    expect(await listFailedUnits(systemClock, '/nowhere/socket', 0)).toBeUndefined()
    const clock = new FakeClock()
    const { path } = await bus('', Buffer.alloc(0))
    const calls = listFailedUnits(clock, path, 0)
    await clock.advance(1_000)
    expect(await calls).toBeUndefined()
  })
})

test('an encoded call has the right length and list length', () => {
  const call = encodeCall({ serial: 7, destination: 'd.e', path: '/p', interface: 'i.f', member: 'M', args: [['failed']] })
  expect(decodeMessages(call).length).toBe(call.length)
  expect(decodeMessages(call.subarray(0, -1))).toEqual({ messages: [], length: 0 })
})
