import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { systemClock } from '../../process/clock.ts'
import { fixture } from './fixtures.ts'
import { parseAuxv, parseProcessStat, PROCESS_CEILING, ProcessSampler } from './processes.ts'

const line = (pid: number, name: string, ticks: number, pages: number, start = 5) =>
  `${pid} (${name}) S 1 1 1 0 -1 4194560 1 2 3 4 ${ticks} 0 7 7 20 -5 1 0 ${start} 1000 ${pages} 184467 0\n`

describe('parseProcessStat', () => {
  test('reads a recorded first process and a command with blanks and brackets', () => {
    expect(parseProcessStat(fixture('recorded/proc/1/stat'))).toEqual({
      name: 'process_api',
      isZombie: false,
      cpuTicks: 21_442,
      startTicks: 25,
      residentPages: 4_260,
    })
    expect(parseProcessStat(line(7, 'a) R (b c', 3, 4))).toMatchObject({ name: 'a) R (b c', cpuTicks: 3, residentPages: 4 })
  })

  test.each(['', '1', '1 (init', '1 (init) S 1 2 3', '1 (init) S 1 1 1 0 -1 0 1 2 3 4 x 0 7 7 20 0 1 0 5 1000 1'])(
    'knows nothing from %j',
    (text) => expect(parseProcessStat(text)).toBeUndefined(),
  )
})

test('page size and ticks come from the machine or are the usual ones', () => {
  const pairs = Buffer.alloc(32)
  for (const [at, word] of [6n, 65_536n, 17n, 250n].entries()) pairs.writeBigUInt64LE(word, at * 8)
  expect(parseAuxv(pairs)).toEqual({ pageBytes: 65_536, ticksPerSecond: 250 })
  expect(parseAuxv(Buffer.alloc(0))).toEqual({ pageBytes: 4_096, ticksPerSecond: 100 })
})

describe('ProcessSampler', () => {
  let root = ''
  const put = (pid: number, name: string, ticks: number, pages: number, start?: number) => {
    mkdirSync(join(root, String(pid)), { recursive: true })
    writeFileSync(join(root, `${pid}/stat`), line(pid, name, ticks, pages, start))
    // Who reads this sends secrets away.
    writeFileSync(join(root, `${pid}/cmdline`), `${name}\0--password=secret\0`)
  }
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vedette-proc-'))
    put(1, 'init', 100, 10)
  })

  test('reads the CPU share since the last reading and resident memory, never arguments [AGENT-34]', async () => {
    const clock = new FakeClock()
    const sampler = new ProcessSampler(clock, root)
    put(20, 'busy', 1_000, 20)
    put(30, 'idle', 1_000, 0)
    const names = (list: { name: string }[] | undefined) => list?.map(({ name }) => name)
    const first = await sampler.read(4)
    expect(first).toEqual([
      { pid: 20, name: 'busy', cpu_percent: null, memory_bytes: 20 * 4_096 },
      { pid: 1, name: 'init', cpu_percent: null, memory_bytes: 10 * 4_096 },
    ])
    await clock.advance(60_000)
    // 60 s of four processors at 100 ticks a second: 24,000.
    put(20, 'busy', 1_000 + 6_000, 20)
    put(40, 'new', 240, 0)
    // Another process took the number: its time is its own.
    put(30, 'other', 480, 0, 9)
    const second = await sampler.read(4)
    expect(second).toEqual([
      { pid: 20, name: 'busy', cpu_percent: 25, memory_bytes: 81_920 },
      { pid: 30, name: 'other', cpu_percent: 2, memory_bytes: 0 },
      { pid: 40, name: 'new', cpu_percent: 1, memory_bytes: 0 },
      { pid: 1, name: 'init', cpu_percent: 0, memory_bytes: 40_960 },
    ])
    expect(names(second)).not.toContain('idle')
    expect(JSON.stringify([first, second])).not.toContain('secret')
  })

  describe('a process that used no CPU time', () => {
    const clock = new FakeClock()
    const readerOf = (sampler: ProcessSampler) => {
      let busy = 0
      /** After 10 s of one core, of which processes used so many ticks. */
      return async (ticks: number) => {
        await clock.advance(10_000)
        busy += ticks
        const list = await sampler.read(1, busy)
        return list?.find(({ pid }) => pid === 20)
      }
    }

    test('is read again at least each fifth time, its share over all of that time', async () => {
      put(20, 'idle', 7, 2)
      const read = readerOf(new ProcessSampler(clock, root))
      await read(0)
      await read(0)
      put(20, 'idle', 7 + 50, 3)
      const readings = []
      for (let reading = 0; reading < 5; reading++) readings.push(await read(0))
      const skipped = readings.filter((process) => process?.memory_bytes === 2 * 4_096)
      expect(skipped.length).toBeGreaterThan(0)
      expect(skipped[0]).toMatchObject({ cpu_percent: 0 })
      // 50 of the 1,000 ticks of each reading since.
      expect(readings[skipped.length]).toMatchObject({
        cpu_percent: Math.round((100 * 5) / (skipped.length + 1)) / 100,
        memory_bytes: 3 * 4_096,
      })
    })

    test('is read at once when the machine used more CPU time than the others explain', async () => {
      put(20, 'idle', 7, 2)
      put(30, 'busy', 0, 0)
      const read = readerOf(new ProcessSampler(clock, root))
      await read(0)
      for (let reading = 1; reading <= 10; reading++) {
        put(30, 'busy', reading * 100, 0)
        // A hundredth of the 1,000 ticks of a core may be unexplained.
        await read(100 + (reading % 2) * 10)
      }
      put(20, 'idle', 7 + 11, 2)
      put(30, 'busy', 1_100, 0)
      expect((await read(100 + 11))?.cpu_percent).toBeGreaterThan(0)
    })

    test('is read at once when the CPU time of the machine is unknown or was reset', async () => {
      put(20, 'idle', 7, 2)
      const sampler = new ProcessSampler(clock, root)
      const read = readerOf(sampler)
      await read(1_000)
      await read(0)
      put(20, 'idle', 7 + 2, 2)
      expect(await read(-900)).toMatchObject({ cpu_percent: 0.2 })
      await read(0)
      put(20, 'idle', 7 + 4, 2)
      await clock.advance(10_000)
      expect((await sampler.read(1))?.find(({ pid }) => pid === 20)).toMatchObject({ cpu_percent: 0.2 })
    })
  })

  test.each([
    ['a thousandth of a core is quiet: read each fifth time, and its share explains what the machine used', 10, 2],
    ['more is read each time', 11, 10],
  ])('a process that uses %s', async (_, ticksEach, readings) => {
    const clock = new FakeClock()
    const sampler = new ProcessSampler(clock, root)
    const others = Array.from({ length: 30 }, (_, index) => 20 + index)
    let ticks = 0
    const memory = new Set<number | null | undefined>()
    await sampler.read(1, 0)
    for (let reading = 0; reading <= 10; reading++) {
      await clock.advance(100_000)
      put(1, 'init', 100 + (ticks += ticksEach), 10 + reading)
      for (const pid of others) put(pid, 'other', ticks, 1)
      const [process] = (await sampler.read(1, ticks * (1 + others.length))) ?? []
      // Of the first reading on: 100 s of one core are 10,000 ticks.
      expect(process).toMatchObject({ cpu_percent: ticksEach / 100 })
      if (reading > 0) memory.add(process?.memory_bytes)
    }
    // The first of these may repeat what was read before.
    expect([readings, readings + 1]).toContain(memory.size)
  })

  test('skips a process that ends between the listing and its reading', async () => {
    put(50, 'gone', 1, 1)
    rmSync(join(root, '50/stat'))
    const list = await new ProcessSampler(new FakeClock(), root).read(1)
    expect(list?.map(({ pid }) => pid)).toEqual([1])
  })

  test('has no list if the host hides processes, has none, or has too many', async () => {
    const read = () => new ProcessSampler(new FakeClock(), root).read(1)
    for (let pid = 2; pid < PROCESS_CEILING + 2; pid++) mkdirSync(join(root, String(pid)))
    expect(await read()).toBeUndefined()
    rmSync(join(root, '2'), { recursive: true })
    expect(await read()).toHaveLength(1)
    rmSync(join(root, '1'), { recursive: true })
    expect(await read()).toBeUndefined()
    expect(await new ProcessSampler(new FakeClock(), '/nowhere').read(1)).toBeUndefined()
  })

  test.runIf(process.platform === 'linux')('files stay open as long as their processes live', async () => {
    // The folder is listed by a descriptor that is closed again.
    const target = (fd: string) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    }
    const openFiles = () => readdirSync('/proc/self/fd').map(target)
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    const own = `/proc/${child.pid}/stat`
    const sampler = new ProcessSampler(systemClock, '/proc')
    for (const _ of [1, 2]) {
      await sampler.read(1)
      expect(openFiles().filter((path) => path === own)).toHaveLength(1)
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    await sampler.read(1)
    expect(openFiles()).not.toContain(own)
  })

  test.runIf(process.platform === 'linux')('this very host has at most ten, this test among what it counts', async () => {
    const sampler = new ProcessSampler(systemClock, '/proc')
    await sampler.read(1)
    const list = await sampler.read(1)
    expect(list?.length).toBeLessThanOrEqual(10)
    for (const { memory_bytes } of list ?? []) expect(memory_bytes).toBeGreaterThanOrEqual(0)
  })
})
