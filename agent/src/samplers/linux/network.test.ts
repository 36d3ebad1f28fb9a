import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tree } from '../../../test/tree.ts'
import { fixture } from './fixtures.ts'
import { selectInterfaces, findInterfaces, type InterfaceKind, NetworkSampler, parseInterface } from './network.ts'

const BOND = fixture('constructed/net-dev-bond')

test('bytes and errors are read even if the name touches its number', () => {
  const starts = findInterfaces(BOND)
  expect([...starts.keys()]).toEqual(['lo', 'eth0', 'eth1', 'bond0', 'docker0', 'veth1a2b'])
  expect(parseInterface(BOND, starts.get('eth0') ?? 0)).toEqual([5000, 6000, 1, 2])
  expect(parseInterface(BOND, starts.get('eth1') ?? 0)).toEqual([7000, 8000, 3, 4])
  expect(findInterfaces('').size).toBe(0)
  expect(parseInterface('eth0: 1 2 3\n', 5)).toBeUndefined()
})

const kind = (name: string, changes: Partial<InterfaceKind> = {}): InterfaceKind => ({
  name,
  hasDevice: false,
  master: undefined,
  lowers: [],
  isRepeated: false,
  ...changes,
})
const card = (name: string, master?: string) => kind(name, { hasDevice: true, master })

test.each<[string, InterfaceKind[], string[]]>([
  ['cards, not lo', [kind('lo'), card('eth0'), card('wlan0')], ['eth0', 'wlan0']],
  [
    'members of a bond, not the bond',
    [card('eth0', 'bond0'), card('eth1', 'bond0'), kind('bond0', { lowers: ['eth0', 'eth1'] })],
    ['eth0', 'eth1'],
  ],
  ['a VLAN on a card counts in the card', [card('eth0'), kind('eth0.7', { lowers: ['eth0'] })], ['eth0']],
  ['a failover pair of a cloud host once', [card('eth0'), card('enP1s1', 'eth0')], ['eth0']],
  ['a container: the inner end of a pair', [kind('lo'), kind('eth0')], ['eth0']],
  [
    'a container with a VLAN and tunnels',
    [kind('lo'), kind('eth0'), kind('eth0.5', { lowers: ['eth0'] }), kind('wg0'), kind('tunl0')],
    ['eth0'],
  ],
  [
    'the card that a switch is connected to, not its ports',
    [card('eth0'), kind('lan1', { hasDevice: true, lowers: ['eth0'] }), kind('lan2', { hasDevice: true, lowers: ['eth0'] })],
    ['eth0'],
  ],
  [
    'a card, not the representors of its virtual functions',
    [card('eth0'), kind('eth1', { hasDevice: true, isRepeated: true })],
    ['eth0'],
  ],
  ['a container with a VPN of any name', [kind('eth0'), kind('office', { isRepeated: true })], ['eth0']],
  ['an OpenVZ guest', [kind('lo'), kind('venet0')], ['venet0']],
  ['no network', [kind('lo')], []],
  ['none', [], []],
])('%s [SAMPLE-10]', (_, kinds, names) => expect(selectInterfaces(kinds)).toEqual(names))

test.each<[string, Record<string, string>]>([
  ['TUN', { tun_flags: '0x1001' }],
  ['WireGuard', { type: '65534', uevent: 'DEVTYPE=wireguard\nINTERFACE=x' }],
  ['VXLAN', { type: '1', uevent: 'DEVTYPE=vxlan\nINTERFACE=x' }],
  ['PPP', { type: '512' }],
  ['GRE', { type: '778' }],
  ['the representor of a virtual function', { 'device/vendor': '0x15b3', phys_port_name: 'pf0vf3' }],
  ['the representor of a subfunction', { 'device/vendor': '0x15b3', phys_port_name: 'c1pf0sf88' }],
  ['a port of a switch', { 'device/vendor': '0x15b3', phys_port_name: 'p1', lower_eth0: '' }],
])('the traffic of %s is not added to that of the card', (_, files) => {
  const about = Object.fromEntries(Object.entries(files).map(([file, text]) => [`class/net/other/${file}`, text]))
  for (const card of [{ 'class/net/eth0/device/vendor': 'x' }, { 'class/net/eth0/iflink': '12' }]) {
    // Without a card it is a container, in which no other interface has a device.
    if (!('class/net/eth0/device/vendor' in card) && 'device/vendor' in files) continue
    const sampler = new NetworkSampler(tree({ ...card, ...about }))
    const text = (bytes: number) =>
      ['eth0', 'other'].map((name) => `${name}: ${bytes} 0 0 0 0 0 0 0 ${bytes} 0 0 0 0 0 0 0\n`).join('')
    sampler.read(text(0), 0, 30_000)
    expect(sampler.read(text(1_000), 1_000, 30_000).totals).toMatchObject({ rx_bytes_per_sec: 1_000 })
  }
})

describe('NetworkSampler', () => {
  const sys = mkdtempSync(join(tmpdir(), 'vedette-sys-'))
  for (const name of ['eth0', 'eth1']) {
    mkdirSync(join(sys, 'class/net', name, 'device'), { recursive: true })
    symlinkSync('../bond0', join(sys, 'class/net', name, 'master'))
  }
  mkdirSync(join(sys, 'class/net/bond0/lower_eth0'), { recursive: true })
  const later = BOND.replace('eth0:5000', 'eth0:15000').replace(' 6000 60 2 ', ' 7000 60 2 ').replace('8000 80 4', '9000 80 14')

  test('sums the physical interfaces without counting bond members twice [SAMPLE-10]', () => {
    const sampler = new NetworkSampler(sys)
    expect(sampler.read(BOND, 0, 30_000)).toEqual({
      totals: {},
      interfaces: [
        { name: 'eth0', rx_bytes_per_sec: null, tx_bytes_per_sec: null },
        { name: 'eth1', rx_bytes_per_sec: null, tx_bytes_per_sec: null },
      ],
    })
    expect(sampler.read(later, 10_000, 30_000)).toEqual({
      totals: { rx_bytes_per_sec: 1000, tx_bytes_per_sec: 200, rx_errors_per_sec: 0, tx_errors_per_sec: 1 },
      interfaces: [
        { name: 'eth0', rx_bytes_per_sec: 1000, tx_bytes_per_sec: 100 },
        { name: 'eth1', rx_bytes_per_sec: 0, tx_bytes_per_sec: 100 },
      ],
    })
  })

  test('has no rate and no sum after a 32-bit counter wrapped [SAMPLE-04]', () => {
    const sampler = new NetworkSampler(sys)
    sampler.read(BOND.replace('eth0:5000', 'eth0:4294967000'), 0, 30_000)
    const { totals, interfaces } = sampler.read(BOND, 10_000, 30_000)
    expect(totals).toEqual({ rx_bytes_per_sec: undefined, tx_bytes_per_sec: 0, rx_errors_per_sec: 0, tx_errors_per_sec: 0 })
    expect(interfaces?.[0]).toEqual({ name: 'eth0', rx_bytes_per_sec: null, tx_bytes_per_sec: 0 })
  })

  test('has rates in a container and on a host without /sys', () => {
    const text = fixture('constructed/net-dev-container')
    for (const root of [sys, join(sys, 'nowhere')]) {
      const sampler = new NetworkSampler(root)
      sampler.read(text.replaceAll('eth0:', 'eth7:'), 0, 30_000)
      expect(
        sampler.read(text.replaceAll('eth0:    2000', 'eth7:    4000').replaceAll('eth0:', 'eth7:'), 2_000, 30_000).totals
          .rx_bytes_per_sec,
      ).toBe(1000)
    }
  })

  test('a missing file is absent [SAMPLE-15]', () =>
    expect(new NetworkSampler(sys).read(undefined, 0, 1)).toEqual({ totals: {}, interfaces: undefined }))
})
