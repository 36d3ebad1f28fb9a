import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../../../../../scripts/test-tools.ts'
import { findControlTargets, gatewaysIn, ipv6GatewaysIn, reachControlTarget } from './control-targets.ts'

const HEAD = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n'

it('gateways are those of default routes', () => {
  const route = (destination: string, gateway: string, flags: string) =>
    `eth0\t${destination}\t${gateway}\t${flags}\t0\t0\t0\t0\n`
  const text =
    route('00000000', '010200C0', '0003') + route('000200C0', '00000000', '0001') + route('00000000', '00000000', '0001')
  expect(gatewaysIn(HEAD + text + route('00000000', '010200C0', '0003'))).toEqual(['192.0.2.1'])
  expect(gatewaysIn('')).toEqual([])
  expect(gatewaysIn('nonsense\n00000000')).toEqual([])
})

it('gateways of IPv6 may belong to a link, whose device then follows', () => {
  const zeros = '0'.repeat(32)
  const route = (hop: string, flags: string, device: string) =>
    `${zeros} 00 ${zeros} 00 ${hop} 00000400 00000003 00000000 ${flags}     ${device}\n`
  const text =
    route('20010db8000000000000000000000001', '00000003', 'eth0') +
    route('fe800000000000000000000000000001', '00000003', 'eth1') +
    route(zeros, '00200200', 'lo')
  expect(ipv6GatewaysIn(text)).toEqual([
    '2001:0db8:0000:0000:0000:0000:0000:0001',
    'fe80:0000:0000:0000:0000:0000:0000:0001%eth1',
  ])
})

it('a setting replaces what the machine uses', () => {
  expect(findControlTargets('none')).toEqual([])
  expect(findControlTargets(['192.0.2.1:53'])).toEqual([{ type: 'setting', address: '192.0.2.1:53' }])
})

const never = new AbortController().signal

it('a setting must accept a connection, a gateway may refuse it', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  expect(await reachControlTarget({ type: 'setting', address: `127.0.0.1:${port}` }, never)).toBe('reached')
  server.close()
  expect(await reachControlTarget({ type: 'setting', address: `127.0.0.1:${await freePort()}` }, never)).toBe('silent')
  expect(await reachControlTarget({ type: 'gateway', address: '127.0.0.1' }, never)).toBe('reached')
})

it('a resolver must answer, whatever it says', async () => {
  const server = createSocket('udp4')
  // REFUSED, without the question.
  server.on('message', (query, from) => {
    const answer = Buffer.from(query)
    answer.writeUInt16BE(0x8185, 2)
    server.send(answer, from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  const { port } = server.address()
  expect(await reachControlTarget({ type: 'resolver', address: `127.0.0.1:${port}` }, never)).toBe('reached')
  server.removeAllListeners('message')
  expect(await reachControlTarget({ type: 'resolver', address: `127.0.0.1:${port}` }, never)).toBe('silent')
  server.close()
})
