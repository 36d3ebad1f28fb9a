import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { systemClock } from '../../process/clock.ts'
import { createSocketLister, openSocketLister } from './tcp-diag.ts'
import { countStates } from './tcp-states.ts'

/** A netlink message: header, then family and state of a socket. */
function message(type: number, serial: number, state = 0): Buffer {
  const bytes = Buffer.alloc(92)
  // An odd length: the next message begins at a multiple of four.
  bytes.writeUInt32LE(91, 0)
  bytes.writeUInt16LE(type, 4)
  bytes.writeUInt32LE(serial, 8)
  bytes[17] = state
  return bytes
}
const [SOCKET, ERROR, DONE] = [20, 2, 3]

/** A lister whose kernel gives these pieces, one per call. */
function listerOf(pieces: Buffer[][], sends = [true]) {
  const answer = Buffer.alloc(4_096)
  const receive = () => {
    const piece = Buffer.concat(pieces.shift() ?? [])
    piece.copy(answer)
    return piece.length
  }
  return createSocketLister(answer, { send: () => sends.shift() ?? false, receive }).count(new FakeClock())
}

test('sockets are counted by state, in messages of any number', async () => {
  const counts = await listerOf([
    [message(SOCKET, 1, 10), message(SOCKET, 1, 8)],
    [message(SOCKET, 1, 10)],
    [message(SOCKET, 1, 3), message(DONE, 1)],
  ])
  expect([counts?.[10], counts?.[8], counts?.[3], counts?.[2]]).toEqual([2, 1, 1, 0])
  // The kernel's counters know these, and asking for them would list every connection.
  expect([counts?.[1], counts?.[6]]).toEqual([undefined, undefined])
})

test('the rest of an earlier answer is not counted', async () => {
  const counts = await listerOf([[message(SOCKET, 0, 10), message(DONE, 0), message(SOCKET, 1, 10), message(DONE, 1)]])
  expect(counts?.[10]).toBe(1)
})

test.each([
  ['that refuses', [[message(ERROR, 1)]], [true]],
  ['that says nothing', [[]], [true]],
  ['that takes no request', [], [false]],
  ['whose message has no length', [[Buffer.alloc(32)]], [true]],
])('a kernel %s gives no counts', async (_, pieces, sends) => expect(await listerOf(pieces, sends)).toBeUndefined())

const lister = process.platform === 'linux' ? openSocketLister() : undefined

test.runIf(lister).each(['127.0.0.1', '::1'])(
  'the kernel of this host counts the same as its files show: %s',
  async (address) => {
    const server = createServer({ allowHalfOpen: true }).listen(0, address)
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, address)
    const [accepted] = await once(server, 'connection')
    // A client that has closed its half leaves one socket in FIN_WAIT2 and one in CLOSE_WAIT.
    accepted.resume()
    client.end()
    const shown = (counts: number[] | undefined) => [10, 8, 5].map((state) => counts?.[state])
    await expect
      .poll(
        async () => {
          const [own, files] = [
            await lister?.count(systemClock),
            await countStates(systemClock, ['/proc/net/tcp', '/proc/net/tcp6'], 1e5),
          ]
          return (own?.[8] ?? 0) >= 1 && JSON.stringify(shown(own)) === JSON.stringify(shown(files))
        },
        { timeout: 20_000 },
      )
      .toBe(true)
    client.destroy()
    accepted.destroy()
    server.close()
  },
)
