import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { addTo, tree } from '../../test/tree.ts'
import { systemClock } from '../process/clock.ts'
import { ProcessReader } from '../samplers/linux/process-reader.ts'
import { ProcessSource } from './processes.ts'

const process = (pid: number, name: string, { ticks = 0, pages = 10, state = 'S', start = 5 } = {}) => ({
  [`${pid}/stat`]: `${pid} (${name}) ${state} 1 1 1 0 -1 4194560 1 2 3 4 ${ticks} 0 7 7 20 -5 1 0 ${start} 1000 ${pages} 184467 0\n`,
})
const io = (pid: number, read: number, written: number) => ({
  [`${pid}/io`]: `rchar: 9\nwchar: 9\nsyscr: 9\nsyscw: 9\nread_bytes: ${read}\nwrite_bytes: ${written}\ncancelled_write_bytes: 0\n`,
})
/** `busy`: CPU time of all processes, without which those that were idle before are not read. */
const stat = (busy: number) => ({ stat: `cpu  ${busy} 2 3 4 5 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\n` })

function sourceOf(files: Record<string, string>, watched: string[], includesBusiest = true) {
  const clock = new FakeClock()
  const root = tree({ ...stat(0), ...process(1, 'init'), ...files })
  return { clock, root, source: new ProcessSource(clock, new ProcessReader(clock, root), watched, includesBusiest) }
}

test('all processes of a watched name count together, and none is 0', async () => {
  const files = {
    ...process(20, 'nginx'),
    ...process(21, 'nginx', { pages: 5 }),
    ...process(22, 'nginx', { state: 'Z', pages: 0 }),
  }
  const { clock, root, source } = sourceOf({ ...files, ...process(30, 'a-very-long-nam') }, [
    'nginx',
    'a-very-long-name',
    'postgres',
  ])
  await source.prime()
  await clock.advance(10_000)
  addTo(root, { ...stat(400), ...process(20, 'nginx', { ticks: 100 }) })
  addTo(root, process(21, 'nginx', { ticks: 300, pages: 5 }))
  expect(await source.read(60_000)).toEqual([
    // 4 s of 10 s of two cores.
    {
      kind: 'process',
      name: 'nginx',
      values: { count: 2, cpu_percent: 20, memory_bytes: 61_440 },
      attributes: { watched: 'yes' },
    },
    {
      kind: 'process',
      name: 'a-very-long-name',
      values: { count: 1, cpu_percent: 0, memory_bytes: 40_960 },
      attributes: { watched: 'yes' },
    },
    { kind: 'process', name: 'postgres', values: { count: 0 }, attributes: { watched: 'yes' } },
  ])
  rmSync(`${root}/1`, { recursive: true })
  // Hidden processes are not 0 processes.
  expect(await source.read(60_000)).toEqual([])
})

test('the five names that use the disks most are listed, by what they read and wrote since the previous reading', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const { clock, root, source } = sourceOf(
    Object.assign(
      io(1, 0, 0),
      ...names.map((name, at) => ({ ...process(20 + at, name), ...io(20 + at, 1_000, 1_000) })),
    ) as Record<string, string>,
    [],
  )
  await source.prime()
  await clock.advance(10_000)
  for (const [at, name] of names.entries())
    addTo(root, { ...process(20 + at, name, { ticks: 100 }), ...io(20 + at, 1_000, 1_000 + at * 1_000) })
  addTo(root, stat(700))
  // A second process of a name, which is known since this reading only.
  addTo(root, { ...process(40, 'a', { ticks: 100 }), ...io(40, 99_999, 0) })
  const readings = await source.read(60_000)
  expect(readings.map(({ name, values }) => [name, values['write_bytes_per_sec']])).toEqual([
    ['f', 500],
    ['e', 400],
    ['d', 300],
    ['c', 200],
    ['b', 100],
  ])
  await clock.advance(60_001)
  addTo(root, { ...stat(900), ...process(25, 'f', { ticks: 300 }), ...io(25, 1_000, 90_000) })
  expect(await source.read(60_000)).toEqual([])
})

test('the rates of a quiet process stand until its turn, and begin again after a gap', async () => {
  const { clock, root, source } = sourceOf({ ...process(20, 'quiet'), ...io(20, 0, 0) }, [])
  await source.prime()
  const rates = []
  // A thousandth of a core each: 10 ticks of 100 s.
  for (let reading = 1; reading <= 7; reading++) {
    await clock.advance(100_000)
    addTo(root, { ...stat(reading * 10 - 5), ...process(20, 'quiet', { ticks: reading * 10 }), ...io(20, 0, reading * 1_000) })
    rates.push((await source.read(300_000))[0]?.values['write_bytes_per_sec'])
  }
  expect(rates).toEqual([undefined, undefined, undefined, 10, 10, 10, 10])
  await clock.advance(300_001)
  addTo(root, { ...stat(400), ...process(20, 'quiet', { ticks: 400 }), ...io(20, 0, 99_000) })
  expect(await source.read(300_000)).toEqual([])
})

test('the file of a process that may not be read is not opened again', async () => {
  const { clock, root, source } = sourceOf(
    { ...io(1, 0, 0), ...process(20, 'other'), ...process(21, 'mine'), ...io(21, 0, 0) },
    [],
  )
  await source.prime()
  // What would be found if it were.
  for (const reading of [1, 2, 3]) {
    await clock.advance(10_000)
    addTo(root, { ...stat(reading * 200), ...process(20, 'other', { ticks: reading * 100 }), ...io(20, 0, reading * 9_000) })
    addTo(root, { ...process(21, 'mine', { ticks: reading * 100 }), ...io(21, 0, reading * 1_000) })
    expect((await source.read(60_000)).map(({ name }) => name)).toEqual(['mine'])
  }
})

test('workers of the kernel are one name, whatever they do', async () => {
  const { clock, root, source } = sourceOf(
    {
      ...io(1, 0, 0),
      ...process(20, 'kworker/u8:10-i'),
      ...io(20, 0, 0),
      ...process(21, 'kworker/0:1-eve'),
      ...io(21, 0, 0),
    },
    [],
  )
  await source.prime()
  await clock.advance(10_000)
  addTo(root, { ...stat(400), ...process(20, 'kworker/u8:10-i', { ticks: 1 }), ...io(20, 0, 1_000) })
  addTo(root, { ...process(21, 'kworker/0:1-eve', { ticks: 1 }), ...io(21, 0, 500) })
  const found = await source.read(60_000)
  expect(found.map(({ name, values }) => [name, values['count'], values['write_bytes_per_sec']])).toEqual([['kworker', 2, 150]])
})

test('without the right to read the I/O of others, and with the list turned off, only watched names are read', async () => {
  const { pid } = globalThis.process
  const own = sourceOf({ ...process(pid, 'vedette-agent'), ...io(pid, 1, 1), ...process(20, 'nginx') }, [])
  await own.source.prime()
  await own.clock.advance(10_000)
  addTo(own.root, { ...stat(900), ...process(pid, 'vedette-agent', { ticks: 900 }), ...io(pid, 1, 9_999) })
  expect(await own.source.read(60_000)).toEqual([])
  const busy = { ...process(20, 'nginx'), ...io(20, 1, 1) }
  expect(await sourceOf({ ...io(1, 0, 0), ...busy }, ['nginx'], false).source.read(1)).toMatchObject([{ values: { count: 1 } }])
})

test('a process of this machine is counted', async () => {
  const child = spawn('sleep', ['60'])
  try {
    const source = new ProcessSource(systemClock, new ProcessReader(systemClock, '/proc'), ['sleep'], true)
    const [sleep] = await source.read(1)
    expect(sleep?.values['count']).toBeGreaterThanOrEqual(1)
  } finally {
    child.kill()
  }
})
