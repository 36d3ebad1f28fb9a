import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { tree } from '../../../test/tree.ts'
import { OwnMetricsSource, type OwnMetricsConfig } from './source.ts'
import { StatsdMetrics } from './statsd.ts'

function open(config: OwnMetricsConfig) {
  const clock = new FakeClock()
  const logged: string[] = []
  const source = new OwnMetricsSource(
    clock,
    (_level, message, fields) => void logged.push([message, fields?.['line'], fields?.['reason']].filter(Boolean).join(' | ')),
    config,
  )
  onTestFinished(() => source.close())
  return { clock, logged, source, names: async () => (await source.read()).map(({ name }) => name) }
}

test('a line with a fault is left out alone, and the fault is logged once until it is another', async () => {
  const folder = tree({
    'a.prom': '# TYPE backup_bytes gauge\n# HELP backup_bytes Size\nbackup_bytes{db="x"} 5\n',
    'b.prom': 'good 1\nbad line\nworse line\nlast 2\n',
    'c.prom': 'backup_bytes{db="x"} 6\nother 7\n',
    'f.prom': '-> d.txt',
    'd.txt': 'no 1\n',
    '.e.prom': 'no 1\n',
  })
  const { source, logged } = open({ textfileDir: folder })
  const expected = [
    {
      kind: 'metric',
      name: 'backup_bytes{db="x"}',
      values: { value: 5 },
      attributes: { type: 'gauge', source: 'textfile', help: 'Size' },
    },
    ...Object.entries({ good: 1, last: 2, other: 7 }).map(([name, value]) => ({
      kind: 'metric',
      name,
      values: { value },
      attributes: { source: 'textfile' },
    })),
  ]
  for (let read = 0; read < 3; read++) expect(await source.read()).toEqual(expected)
  expect(logged).toEqual([
    'cannot take b.prom of textfile_dir | 2 | line 2: has no value, and 1 other lines',
    'cannot take c.prom of textfile_dir | backup_bytes{db="x"} is in another file too',
    'cannot take f.prom of textfile_dir | is a link',
  ])
  rmSync(folder, { recursive: true })
  expect(await source.read()).toEqual([])
  expect(logged.at(-1)).toMatch(/^cannot read textfile_dir \| ENOENT/)
})

test('a pipe, a folder and a file that is too large are refused', async () => {
  const folder = tree({ 'folder.prom/x': '', 'large.prom': 'x'.repeat(1_048_577) })
  execFileSync('mkfifo', [`${folder}/pipe.prom`])
  const { source, logged } = open({ textfileDir: folder })
  expect(await source.read()).toEqual([])
  expect(logged.map((line) => line.split(' | ').at(-1))).toEqual(['is no file', 'is larger than 1048576 bytes', 'is no file'])
})

test('StatsD is received, and has what the bound leaves', async () => {
  const folder = tree({ 'a.prom': 'one 1\ntwo 2\n' })
  const { clock, source, logged } = open({ textfileDir: folder, statsdListen: '127.0.0.1:0', ownMetricsMax: 3 })
  const client = createSocket('udp4')
  await vi.waitFor(() => expect(source.port).toBeGreaterThan(0))
  await clock.advance(10_000)
  const received = vi.spyOn(StatsdMetrics.prototype, 'add')
  onTestFinished(() => received.mockRestore())
  client.send('hits:7|c|@0.5\nhits:6|c', source.port)
  await vi.waitFor(() => expect(received).toHaveBeenCalled())
  expect((await source.read()).slice(2)).toEqual([
    { kind: 'metric', name: 'hits_per_second', values: { value: 2 }, attributes: { type: 'counter', source: 'statsd' } },
  ])
  writeFileSync(`${folder}/b.prom`, 'three 3\nfour 4\n')
  expect(await source.read()).toHaveLength(3)
  expect(logged).toEqual(['more than 3 own metrics: the rest is left out'])
  client.close()
})

test('a port that another program has is a fault, and the text files are read', async () => {
  const other = createSocket('udp4')
  await new Promise<void>((resolve) => other.bind(0, '127.0.0.1', resolve))
  const { names, logged } = open({
    textfileDir: tree({ 'a.prom': 'one 1\n' }),
    statsdListen: `127.0.0.1:${other.address().port}`,
  })
  await vi.waitFor(async () => {
    expect(await names()).toEqual(['one'])
    expect(logged).toEqual([expect.stringMatching(/^StatsD does not listen \| .*EADDRINUSE/)])
  })
  other.close()
})
