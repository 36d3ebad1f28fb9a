import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort, isMissing } from '../../../scripts/test-tools.ts'
import { FakeClock } from '../../test/fake-clock.ts'
import { addTo, tree } from '../../test/tree.ts'
import { systemClock } from '../process/clock.ts'
import { UPS_ADDRESS } from '../config/config-settings.ts'
import { parseVariables, UpsSource } from './ups.ts'

const LIST = `BEGIN LIST VAR desk
VAR desk battery.charge "90"
VAR desk device.mfr "Say \\"hi\\" \\\\o/"
VAR desk ups.status "OL"
END LIST VAR desk
`

test('variables are read once the list is complete, and an error is one', () => {
  expect(parseVariables(LIST.slice(0, -20))).toBeUndefined()
  expect(Object.fromEntries(parseVariables(LIST) ?? [])).toEqual({
    'battery.charge': '90',
    'device.mfr': 'Say "hi" \\o/',
    'ups.status': 'OL',
  })
  expect(() => parseVariables('ERR UNKNOWN-UPS\n')).toThrow('upsd answers UNKNOWN-UPS')
})

test.each([
  ['desk@localhost', ['desk', undefined, 'localhost', undefined]],
  ['a-b.c@ups.example.com:13493', ['a-b.c', undefined, 'ups.example.com', '13493']],
  ['desk@[::1]:3493', ['desk', '::1', undefined, '3493']],
])('%s is an address', (address, parts) => expect(UPS_ADDRESS.exec(address)?.slice(1)).toEqual(parts))

test.each(['desk', '@host', 'desk@', 'desk@host:', 'desk@a b', 'desk@::1', 'desk\nLOGOUT@host'])('%j is no address', (address) =>
  expect(address).not.toMatch(UPS_ADDRESS),
)

test('a server that never answers is given up, one that talks without end too, and one that is away', async () => {
  const endless = Buffer.alloc(70_000, 'x')
  const open = async (greeting?: Buffer) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      if (greeting) socket.write(greeting)
      else heard.resolve()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { server, port: (server.address() as AddressInfo).port }
  }
  const heard = Promise.withResolvers<void>()
  const silent = await open()
  const talking = await open(endless)
  const clock = new FakeClock()
  const refused = new UpsSource(clock, `desk@127.0.0.1:${silent.port}`).read().catch((error: unknown) => String(error))
  await heard.promise
  await clock.advance(4_000)
  expect(await refused).toBe('Error: no answer within 4 s')
  await expect(new UpsSource(systemClock, `desk@127.0.0.1:${talking.port}`).read()).rejects.toThrow('the answer is too long')
  for (const { server } of [silent, talking]) server.close()
  await expect(new UpsSource(systemClock, `desk@127.0.0.1:${await freePort()}`).read()).rejects.toThrow('ECONNREFUSED')
})

describe.skipIf(isMissing('root', 'upsd'))('of a running upsd with a simulated UPS', () => {
  const children: ChildProcess[] = []
  let folder = ''
  let port = 0

  beforeAll(async () => {
    port = await freePort()
    folder = tree({
      'ups.conf': '[desk]\n  driver = dummy-ups\n  port = desk.dev\n  mode = dummy-loop\n',
      'upsd.conf': `LISTEN 127.0.0.1 ${port}\n`,
      'upsd.users': '',
      'desk.dev':
        'battery.charge: 87\nbattery.runtime: 1260\nups.load: 23\nbattery.voltage: 13.5\nups.status: OL\ndevice.mfr: APC\ndevice.model: Back-UPS\n',
    })
    const env = { PATH: process.env['PATH'], NUT_CONFPATH: folder, NUT_STATEPATH: folder, NUT_ALTPIDPATH: folder }
    const start = (program: string, ...args: string[]) =>
      children.push(spawn(`/lib/nut/${program}`, args, { env, stdio: 'ignore' }))
    start('dummy-ups', '-a', 'desk', '-FF', '-u', 'root')
    // Debian's command of the name is a script that looks at the settings of the host.
    start('upsd', '-FF', '-u', 'root')
    const isOnline = async () => {
      const [desk] = await new UpsSource(systemClock, `desk@127.0.0.1:${port}`).read()
      expect(desk?.attributes?.['state']).toBe('OL')
    }
    await vi.waitFor(isOnline, { timeout: 20_000, interval: 100 })
  }, 30_000)
  afterAll(async () => {
    for (const child of children) {
      const ended = once(child, 'exit')
      if (child.kill('SIGTERM')) await ended
    }
  })

  test('charge, time left, load and state are read, and a power cut is seen', async () => {
    const source = new UpsSource(systemClock, `desk@127.0.0.1:${port}`)
    expect(await source.read()).toEqual([
      {
        kind: 'battery',
        name: `desk@127.0.0.1:${port}`,
        values: {
          charge_percent: 87,
          runtime_seconds: 1_260,
          on_battery: 0,
          low_battery: 0,
          load_percent: 23,
          voltage_volts: 13.5,
        },
        attributes: { type: 'ups', model: 'APC Back-UPS', state: 'OL' },
      },
    ])
    addTo(folder, { 'desk.dev': 'battery.charge: 9\nups.status: OB LB\n' })
    await vi.waitFor(
      async () => {
        const [desk] = await source.read()
        expect(desk).toMatchObject({
          values: { charge_percent: 9, on_battery: 1, low_battery: 1 },
          attributes: { state: 'OB LB' },
        })
      },
      { timeout: 20_000, interval: 200 },
    )
  }, 30_000)

  test('another name is a fault', async () => {
    await expect(new UpsSource(systemClock, `rack@127.0.0.1:${port}`).read()).rejects.toThrow('upsd answers UNKNOWN-UPS')
  })
})
