import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, freePort, isMissing } from '../../../scripts/test-tools.ts'
import { type Exporter, parseListen, startExporter } from './exporter.ts'
import { parseSources } from './mount-sources.ts'
import { nodeMetrics } from './node-metrics.ts'

const EMPTY = { filesystems: [], machine: 'x86_64', nowMs: 1_000 }
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('the metrics of a reading', () => {
  test('are those of node_exporter', () => {
    const text = nodeMetrics({
      ...EMPTY,
      texts: {
        stat: 'cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 101 2 3 4 5 6 7 8 9 10\nintr 77 1 2\nctxt 5\nbtime 1700000000\nprocesses 9\nprocs_running 2\nprocs_blocked 0\n',
        loadavg: '0.11 0.43 0.81 1/200 300\n',
        meminfo: 'MemTotal:  1024 kB\nActive(anon):  2 kB\nHugePages_Total:  3\n',
        diskstats: '254 0 vda 1 2 3 4 5 6 7 8 9 10 11\n7 0 loop0 1 2 3 4 5 6 7 8 9 10 11\n',
        netDev: 'Inter-|   Receive |  Transmit\n face |bytes packets\n  eth0:100 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n',
        netstat: 'TcpExt: SyncookiesSent Other\nTcpExt: 4 5\n',
        snmp: 'Tcp: RtoMin CurrEstab\nTcp: 200 12\n',
        snmp6: 'Ip6InOctets 7\nUdp6InErrors 1\nIcmp6OutType1 3\n',
        sockstat: 'sockets: used 90\nTCP: inuse 5 orphan 0\n',
        vmstat: 'nr_free_pages 1\npgfault 22\noom_kill 1\n',
        fileNr: '100\t0\t2000\n',
        pressureCpu: 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n',
        pressureIo: 'some avg10=0.00 avg60=0.00 avg300=0.00 total=2\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n',
        hostname: 'a"b\\c\n',
      },
      filesystems: [
        {
          mount: '/',
          fsType: 'ext4',
          source: '/dev/vda',
          isReadOnly: false,
          counts: { bsize: 4_096, blocks: 10, bfree: 5, bavail: 4, files: 3, ffree: 2 },
        },
      ],
    })
    const lines = linesOf(text)
    for (const line of [
      'node_cpu_seconds_total{cpu="0",mode="user"} 1.01',
      'node_cpu_guest_seconds_total{cpu="0",mode="nice"} 0.1',
      'node_intr_total 77',
      'node_boot_time_seconds 1700000000',
      'node_load5 0.43',
      'node_memory_MemTotal_bytes 1048576',
      'node_memory_Active_anon_bytes 2048',
      'node_memory_HugePages_Total 3',
      'node_disk_read_bytes_total{device="vda"} 1536',
      'node_disk_io_time_weighted_seconds_total{device="vda"} 0.011',
      'node_network_receive_bytes_total{device="eth0"} 100',
      'node_network_transmit_compressed_total{device="eth0"} 16',
      'node_netstat_TcpExt_SyncookiesSent 4',
      'node_netstat_Tcp_CurrEstab 12',
      'node_netstat_Ip6_InOctets 7',
      'node_sockstat_sockets_used 90',
      'node_sockstat_TCP_orphan 0',
      'node_vmstat_pgfault 22',
      'node_filefd_maximum 2000',
      'node_pressure_cpu_waiting_seconds_total 1.5',
      'node_pressure_io_stalled_seconds_total 0.5',
      'node_uname_info{domainname="",machine="x86_64",nodename="a\\"b\\\\c",release="",sysname="",version=""} 1',
      'node_filesystem_avail_bytes{device="/dev/vda",fstype="ext4",mountpoint="/"} 16384',
      'node_filesystem_readonly{device="/dev/vda",fstype="ext4",mountpoint="/"} 0',
      'node_time_seconds 1',
    ])
      expect(lines).toContain(line)
    // Of an old kernel's eleven columns there are no discards; a loop device, and what is no number, is left out.
    expect(text).not.toMatch(/discard|loop0|RtoMin|nr_free|pressure_cpu_stalled|NaN|undefined/)
  })

  test('are absent where a file is missing', () => {
    expect(linesOf(nodeMetrics({ ...EMPTY, texts: {} })).map((line) => line.split(/[{ ]/)[0])).toEqual([
      'node_uname_info',
      'node_time_seconds',
    ])
  })

  test('name what is mounted, read-only or not', () => {
    const text = '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n28 27 8:1 / /mnt/a\\040b rw - xfs /dev/disk\\040one ro,noatime\n'
    expect([...parseSources(text)]).toEqual([
      ['/', { source: '/dev/vda', isReadOnly: false }],
      ['/mnt/a b', { source: '/dev/disk one', isReadOnly: true }],
    ])
  })
})

test.each(['9100', 'localhost:9100', '127.0.0.1', '127.0.0.1:65536', '::1:9100', '[127.0.0.1]:9100', '127.0.0.1:x', ''])(
  '--listen %j is refused',
  (listen) => {
    expect(() => parseListen(listen)).toThrow('--listen must be an address and a port')
  },
)

test('an address is one of IPv4 or IPv6', () => {
  expect(parseListen('0.0.0.0:0')).toEqual({ host: '0.0.0.0', port: 0 })
  expect(parseListen('[::1]:9100')).toEqual({ host: '::1', port: 9_100 })
})

test('other systems are refused', async () => {
  await expect(startExporter({ host: '127.0.0.1', port: 0 }, 'darwin')).rejects.toThrow('only Linux has')
})

describe.runIf(process.platform === 'linux')('the exporter', () => {
  let exporter: Exporter
  beforeAll(async () => {
    exporter = await startExporter(parseListen('127.0.0.1:0'))
  })
  afterAll(() => exporter.close())

  test('serves /metrics alone, for GET and HEAD', async () => {
    const { url } = exporter
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(await answer.text()).toContain('node_load1 ')
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404)
  })

  test('reads the host once for scrapes that come at once', async () => {
    const { host, port } = new URL(exporter.url)
    const socket = createConnection(Number(port), '127.0.0.1')
    const request = (last: string) => `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: ${last}\r\n\r\n`
    // All of them are parsed before the first answer.
    socket.write(['keep-alive', 'keep-alive', 'close'].map(request).join(''))
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    const instants = [...text.matchAll(/^node_time_seconds (.*)$/gm)].map(([, instant]) => instant)
    expect([instants.length, new Set(instants).size]).toEqual([3, 1])
  })

  test('ends a connection beyond those that it holds', async () => {
    const port = Number(new URL(exporter.url).port)
    const sockets = Array.from({ length: 40 }, () => createConnection(port, '127.0.0.1'))
    try {
      const ended = await Promise.race([
        Promise.any(sockets.map((socket) => once(socket, 'close'))).then(() => true),
        ...sockets.map((socket) => once(socket, 'error').then(() => true)),
      ])
      expect(ended).toBe(true)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  test('a port that is taken is an error with its address', async () => {
    const port = Number(new URL(exporter.url).port)
    await expect(startExporter({ host: '127.0.0.1', port })).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`)
  })

  test.skipIf(isMissing('promtool'))('is accepted by promtool, but for names that node_exporter has too', async () => {
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await (await fetch(exporter.url)).text(),
      encoding: 'utf8',
    })
    const faults = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line !== '' && !/^node_(memory|netstat|sockstat)_/.test(line))
    expect(faults).toEqual([])
  })
})

test.skipIf(isMissing('prometheus-node-exporter'))(
  'has the names, types, labels and values of node_exporter in the same second',
  async () => {
    const port = await freePort()
    // The default of its own project, which Debian's package changes; zram is left out by newer versions.
    const flags = [
      '--collector.netdev.device-exclude=',
      '--collector.diskstats.device-exclude=^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\\d+n\\d+p)\\d+$',
    ]
    const peer = spawn(
      findTool('prometheus-node-exporter') as string,
      [`--web.listen-address=127.0.0.1:${port}`, '--log.level=error', ...flags],
      { stdio: 'ignore' },
    )
    const exporter = await startExporter(parseListen('127.0.0.1:0'))
    try {
      const theirs = `http://127.0.0.1:${port}/metrics`
      for (;;) {
        const isUp = await fetch(theirs).then(
          () => true,
          () => false,
        )
        if (isUp) break
        if (peer.exitCode !== null) throw new Error(`node_exporter ended with ${peer.exitCode}`)
      }
      const before = await parse(theirs)
      const own = await parse(exporter.url)
      const after = await parse(theirs)
      expect(own.values.size).toBeGreaterThan(150)
      expect([...own.types].filter(([name, type]) => before.types.get(name) !== type)).toEqual([])
      // What comes and goes while it is read, as a device, is in one of the two.
      const unknown = [...own.values.keys()].filter((series) => !before.values.has(series) && !after.values.has(series))
      expect(unknown).toEqual([])
      const outside = [...own.values].filter(([series, value]) => {
        const [low, high] = [before.values.get(series) ?? value, after.values.get(series) ?? value]
        // A counter lies between, but for the last digit of a division; a gauge may swing.
        return (
          own.types.get(series.split('{', 1)[0] as string) === 'counter' &&
          !(low <= value * (1 + 1e-12) && value * (1 - 1e-12) <= high)
        )
      })
      expect(outside).toEqual([])
      for (const name of ['node_memory_MemTotal_bytes', 'node_boot_time_seconds', 'node_filefd_maximum'])
        expect([name, own.values.get(name)]).toEqual([name, before.values.get(name)])
      const sizes = [...own.values].filter(([series]) => series.startsWith('node_filesystem_size_bytes'))
      expect(sizes.length).toBeGreaterThan(0)
      for (const [series, value] of sizes) expect([series, before.values.get(series)]).toEqual([series, value])
      // The families of the collectors that both have are whole.
      const whole = /^node_(cpu|disk_(?!info)|load|vmstat|netstat_(?!UdpLite)|pressure|filefd|procs|uname|memory)/
      expect([...before.types.keys()].filter((name) => whole.test(name) && !own.types.has(name))).toEqual([])
    } finally {
      exporter.close()
      const ended = once(peer, 'close')
      peer.kill()
      await ended
    }
  },
)

async function parse(url: string): Promise<{ types: Map<string, string>; values: Map<string, number> }> {
  const text = await (await fetch(url)).text()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  const values = new Map(
    linesOf(text).map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
  return { types, values }
}
