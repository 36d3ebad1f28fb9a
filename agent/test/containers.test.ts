import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../scripts/test-tools.ts'
import { systemClock, yieldToEventLoop } from '../src/process/clock.ts'
import { EntityCollector } from '../src/entities/collector.ts'
import { CgroupReader } from '../src/entities/containers/cgroups.ts'
import { ContainerSource, type ContainerSourceOptions } from '../src/entities/containers/container-source.ts'
import type { EntityEvent } from '../src/entities/source.ts'
import { messageOf } from '../src/process/log.ts'
import { FakeClock } from './fake-clock.ts'
import { type FakeContainer, FakeEngine, idOf } from './fake-engine.ts'

let engine: FakeEngine
const sources: ContainerSource[] = []
beforeEach(async () => {
  engine = new FakeEngine()
  await engine.listen()
})
afterEach(async () => {
  for (const source of sources.splice(0)) source.close()
  await engine.close()
})

const web: FakeContainer = {
  id: idOf(1),
  name: 'shop-web-1',
  image: 'nginx:1.27',
  labels: { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': 'web' },
  ports: [
    { IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    { IP: '::', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    { IP: '127.0.0.1', PrivatePort: 9000, PublicPort: 9000, Type: 'tcp' },
    { PrivatePort: 443, Type: 'tcp' },
  ],
  memory: 209_715_200,
  restarts: 3,
  health: 'healthy',
}
const worker: FakeContainer = { id: idOf(2), name: 'worker', pid: 43 }
const old: FakeContainer = { id: idOf(3), name: 'old', state: 'exited', status: 'Exited (3) 2 days ago', pid: 0 }

/** A host of cgroup version 2 on which these containers run. */
function makeHost(...containers: FakeContainer[]): string {
  const root = mkdtempSync(join(tmpdir(), 'vedette-engine-host-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const { id, pid = 42 } of containers) {
    const group = `/system.slice/docker-${id}.scope`
    write(`proc/${pid}/cgroup`, `0::${group}\n`)
    write(`proc/${pid}/net/dev`, 'h\nh\n  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n')
    write(`sys/fs/cgroup${group}/cpu.stat`, 'usage_usec 2500000\n')
    write(`sys/fs/cgroup${group}/memory.current`, '104857600\n')
    write(`sys/fs/cgroup${group}/memory.stat`, 'anon 1\ninactive_file 31457280\n')
    write(`sys/fs/cgroup${group}/memory.events`, 'low 0\noom_kill 0\n')
    write(`sys/fs/cgroup${group}/io.stat`, '')
  }
  return root
}

function open(host: string, options: Partial<ContainerSourceOptions> = {}) {
  const clock = options.clock ?? systemClock
  const source = new ContainerSource({
    clock,
    address: engine.socket,
    cgroups: new CgroupReader(clock, host),
    cores: 2,
    logLines: 0,
    comparesImages: false,
    ...options,
  })
  sources.push(source)
  const events: EntityEvent[] = []
  let waiting: { count: number; resolve: () => void } | undefined
  source.watch((event) => {
    events.push(event)
    if (waiting && events.length >= waiting.count) waiting.resolve()
  })
  /** Waits until so many events have been reported. */
  const reported = async (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting = { count, resolve }
    if (events.length < count) await promise
    return events
  }
  return { source, events, reported }
}

/** Reads twice: after the first one the stream of events is open, so that the list is read again. */
async function follow(source: ContainerSource) {
  const streamed = engine.requested(/^\/events/)
  await source.read(60_000)
  await streamed
  return source.read(60_000)
}

test('a container has its attributes, and what it uses; a second reading without an event makes no request', async () => {
  engine.containers = [old, web]
  const clock = new FakeClock()
  const { source } = open(makeHost(web), { clock })
  await follow(source)
  expect((await source.read(60_000))[0]?.values).not.toHaveProperty('cpu_percent')
  await clock.advance(1_000)
  const requests = engine.requests.length
  const [running, ended] = await source.read(60_000)
  expect(engine.requests).toHaveLength(requests)
  expect(running).toEqual({
    kind: 'container',
    name: 'shop/web',
    attributes: {
      engine: 'docker',
      image: 'nginx:1.27',
      state: 'running',
      health: 'healthy',
      project: 'shop',
      service: 'web',
      container_id: web.id.slice(0, 12),
      ports: '8080->80/tcp, 127.0.0.1:9000->9000/tcp',
      started_at: '2026-11-25T22:41:48.007Z',
    },
    values: {
      running: 1,
      healthy: 1,
      deaths: 0,
      restarts: 3,
      cpu_percent: 0,
      memory_bytes: 73_400_320,
      memory_limit_bytes: 209_715_200,
      memory_percent: 35,
      network_rx_bytes_per_sec: 0,
      network_tx_bytes_per_sec: 0,
      read_bytes_per_sec: 0,
      write_bytes_per_sec: 0,
      oom_kills: 0,
    },
  })
  expect(ended).toMatchObject({ name: 'old', values: { running: 0, exit_code: 3, deaths: 0 } })
})

test('a container that dies is reported with its exit code and its last lines, and counted once', async () => {
  const log = Buffer.concat([
    Buffer.from([1, 0, 0, 0, 0, 0, 0, 4]),
    Buffer.from('one\n'),
    Buffer.from([2, 0, 0, 0, 0, 0, 0, 9]),
    Buffer.from('\x1b[31mtwo\n'),
  ])
  engine.containers = [{ ...web, log }]
  const { source, reported } = open(makeHost(web), { logLines: 2 })
  await follow(source)
  engine.containers = [{ ...web, log, state: 'exited', status: 'Exited (1) 1 second ago' }]
  engine.emit(web, 'die', { exitCode: '1' })
  expect(await reported(1)).toEqual([
    { at: '2026-11-25T22:41:49.154Z', kind: 'container', name: 'shop/web', type: 'died', exit_code: 1, lines: ['one', 'two'] },
  ])
  expect(engine.count(/logs\?stdout=1&stderr=1&tail=2$/)).toBe(1)
  const [ended] = await source.read(60_000)
  expect(ended?.values).toMatchObject({ running: 0, deaths: 1, exit_code: 1 })
  expect(ended?.values).not.toHaveProperty('memory_bytes')
  expect((await source.read(60_000))[0]?.values).toMatchObject({ deaths: 0, exit_code: 1 })
})

test('an end that was requested is no death, another signal is no request, and exit code 0 is none either', async () => {
  engine.containers = [web, worker]
  const { source, reported } = open(makeHost(web, worker))
  await follow(source)
  engine.emit(web, 'kill', { signal: '15' })
  engine.emit(web, 'kill', { signal: '9' })
  engine.emit(web, 'die', { exitCode: '137' })
  engine.emit(web, 'start')
  engine.emit(web, 'die', { exitCode: '0' })
  // Reported after the end, and destroyed at once.
  engine.emit(worker, 'die', { exitCode: '143' })
  engine.emit(worker, 'stop')
  engine.emit(worker, 'destroy')
  engine.emit(web, 'start')
  engine.emit(web, 'kill', { signal: '1' })
  engine.emit(web, 'die', { exitCode: '139' })
  expect((await reported(1)).map(({ name, exit_code }) => [name, exit_code])).toEqual([['shop/web', 139]])
})

test('a container killed for want of memory is reported so, by the event or by its description', async () => {
  engine.containers = [web, { ...worker, isOomKilled: true }]
  const { source, reported } = open(makeHost(web, worker))
  await follow(source)
  engine.emit(web, 'oom')
  engine.emit(web, 'die', { exitCode: '1' })
  engine.emit(worker, 'die', { exitCode: '137' })
  const events = await reported(2)
  expect(Object.fromEntries(events.map(({ name, oom }) => [name, oom]))).toEqual({ 'shop/web': true, worker: true })
})

test('Podman: an end by its own signals is taken for a request, and health is repeated after each check', async () => {
  engine.headers = { 'api-version': '1.41', 'libpod-api-version': '4.3.1' }
  engine.containers = [web, worker]
  const { source, reported } = open(makeHost(web, worker))
  expect((await follow(source))[0]?.attributes).toMatchObject({ engine: 'podman' })
  engine.emit(worker, 'died', { containerExitCode: '137' })
  engine.emit(web, 'health_status: unhealthy')
  engine.emit(web, 'health_status: unhealthy')
  engine.emit(web, 'die', { exitCode: '2', containerExitCode: '2' })
  const events = await reported(2)
  expect(events.map(({ name, type }) => [name, type])).toEqual([
    ['shop/web', 'unhealthy'],
    ['shop/web', 'died'],
  ])
})

test('a container that becomes unhealthy is reported, and shows it without a query', async () => {
  engine.containers = [web]
  const { source, reported } = open(makeHost(web))
  await follow(source)
  await source.read(60_000)
  const requests = engine.requests.length
  engine.emit(web, 'health_status: unhealthy')
  expect(await reported(1)).toMatchObject([{ name: 'shop/web', type: 'unhealthy' }])
  expect((await source.read(60_000))[0]).toMatchObject({ attributes: { health: 'unhealthy' }, values: { healthy: 0 } })
  expect(engine.requests).toHaveLength(requests)
})

test('after an interruption the stream continues behind its last event, and nothing is missed or doubled', async () => {
  engine.containers = [web]
  const { source, reported } = open(makeHost(web))
  await follow(source)
  engine.emit(web, 'die', { exitCode: '1' })
  await reported(1)
  const again = engine.requested(/^\/events.*since=/)
  engine.cutStreams()
  engine.emit(web, 'die', { exitCode: '2' })
  await again
  expect((await reported(2)).map(({ exit_code }) => exit_code)).toEqual([1, 2])
  expect(engine.requests.at(-1)).toMatch(/since=1795646509\.154956634$/)
})

describe('a socket that does not answer as an engine', () => {
  const cases: [string, RegExp, (path: RegExp) => void, string][] = [
    [
      'answers no JSON',
      /json/,
      (path) => engine.overrides.push([path, (_request, response) => response.end('<html>')]),
      'the answer is no JSON',
    ],
    [
      'answers no list',
      /json/,
      (path) => engine.overrides.push([path, (_request, response) => response.end('{}')]),
      'the answer is no list',
    ],
    [
      'refuses',
      /json/,
      (path) => engine.overrides.push([path, (_request, response) => response.writeHead(403).end()]),
      'GET /containers/json: status 403',
    ],
    [
      'refuses the events',
      /events/,
      (path) => engine.overrides.push([path, (_request, response) => response.writeHead(403).end()]),
      'GET /events: status 403',
    ],
    [
      'closes in the middle',
      /json/,
      (path) =>
        engine.overrides.push([
          path,
          (_request, response) => {
            response.writeHead(200, { 'content-length': '100' })
            response.write('[', () => response.destroy())
          },
        ]),
      'GET /containers/json: the engine closed the connection',
    ],
    [
      'never ends',
      /json/,
      (path) =>
        engine.overrides.push([
          path,
          (_request, response) => {
            const piece = Buffer.alloc(1_048_576, 32)
            const more = (error?: Error | null): unknown => error ?? response.write(piece, more)
            more()
          },
        ]),
      'the answer has more than 16 MiB',
    ],
    [
      'has an old API',
      /nothing/,
      () => {
        engine.headers = { 'api-version': '1.40' }
      },
      'the engine has version 1.40 of the API: at least 1.41 is needed',
    ],
  ]
  test.each(cases)('%s: the fault is logged once', async (_what, path, prepare, reason) => {
    prepare(path)
    const { source } = open(makeHost())
    const logged: string[] = []
    const collector = new EntityCollector({
      clock: systemClock,
      log: (_level, message, fields) => void logged.push(`${message}: ${String(fields?.['reason'])}`),
      sources: [source],
    })
    const refused = engine.requested(path)
    expect(await collector.read(1)).toEqual([])
    if (path.source === 'events') await refused
    while (logged.length === 0) {
      await yieldToEventLoop()
      await collector.read(1)
    }
    await collector.read(1)
    expect(logged).toEqual([expect.stringContaining(reason)])
  })

  test('never answers: a reading ends after three seconds', async () => {
    engine.overrides.push([/./, () => undefined])
    const clock = new FakeClock()
    const { source } = open(makeHost(), { clock })
    const requested = engine.requested(/containers\/json/)
    const reading = source.read(1)
    const failure = reading.catch((error: unknown) => messageOf(error))
    await requested
    await clock.advance(3_000)
    expect(await failure).toBe('GET /containers/json: no complete answer within 3 s')
  })

  test('writes garbage instead of events, and lines without an end', async () => {
    engine.containers = [web]
    const { source, reported } = open(makeHost(web))
    engine.overrides.push([
      /^\/events(?!.*since)/,
      (_request, response) => {
        response.write('garbage\n{}\n{"Type":"container","Actor":{"ID":"../../x"},"timeNano":1}\n')
        response.write('x'.repeat(300_000))
      },
    ])
    const again = engine.requested(/^\/events.*since/)
    await source.read(60_000)
    await again
    engine.emit(web, 'die', { exitCode: '5' })
    expect(await reported(1)).toMatchObject([{ exit_code: 5 }])
  })
})

test('a container without a control group here is measured by the engine', async () => {
  const stats = {
    cpu_stats: { cpu_usage: { total_usage: 5e9 } },
    memory_stats: { usage: 1_048_576, stats: { inactive_file: 48_576 } },
    blkio_stats: { io_service_bytes_recursive: [{ major: 8, minor: 0, op: 'Read', value: 4096 }] },
    networks: { eth0: { rx_bytes: 1, tx_bytes: 2 } },
  }
  engine.containers = Array.from({ length: 30 }, (_, index) => ({ id: idOf(index + 1), name: `c${index}`, pid: 0, stats }))
  const clock = new FakeClock()
  const { source } = open(makeHost(), { clock })
  await source.read(60_000)
  await clock.advance(1_000)
  const readings = await source.read(60_000)
  expect(readings).toHaveLength(30)
  expect(readings[29]?.values).toEqual({
    running: 1,
    deaths: 0,
    restarts: 0,
    cpu_percent: 0,
    memory_bytes: 1_000_000,
    memory_percent: expect.any(Number),
    network_rx_bytes_per_sec: 0,
    network_tx_bytes_per_sec: 0,
    read_bytes_per_sec: 0,
    write_bytes_per_sec: 0,
  })
  expect(engine.count(/stats\?one-shot=1&stream=0$/)).toBe(60)
})

test('an engine that answers the list only still gives the state of its containers, on time, with four queries at once', async () => {
  engine.overrides.push([/^\/containers\/\w{64}/, () => undefined])
  engine.containers = Array.from({ length: 30 }, (_, index) => ({ id: idOf(index + 1), name: `c${index}` }))
  engine.containers[0] = { ...web, status: 'Up 2 hours (unhealthy)' }
  const clock = new FakeClock()
  const { source } = open(makeHost(), { clock })
  const described = engine.requested(/^\/containers\/\w{64}\/json/)
  const reading = source.read(1)
  await described
  const queried = engine.requested(/stats/)
  await clock.advance(1_500)
  await queried
  await clock.advance(1_500)
  const readings = await reading
  expect(readings).toHaveLength(30)
  expect(readings[0]).toMatchObject({ name: 'shop/web', values: { running: 1, healthy: 0 } })
  expect([engine.count(/\w{64}\/json/), engine.count(/stats/)]).toEqual([4, 4])
})

test('of more than 500 containers those that run come first', async () => {
  engine.containers = Array.from({ length: 600 }, (_, index) => ({ ...old, id: idOf(index + 10), name: `old-${index}` }))
  engine.containers.push(web)
  const readings = await open(makeHost(web)).source.read(60_000)
  expect(readings).toHaveLength(500)
  expect(readings[0]?.name).toBe('shop/web')
})

test('an image that the registry has another one of is marked, and queried once a day', async () => {
  const clock = new FakeClock()
  engine.containers = [web]
  engine.localDigests = [`nginx@sha256:${'1'.repeat(64)}`]
  engine.registryDigest = `sha256:${'2'.repeat(64)}`
  const { source } = open(makeHost(web), { comparesImages: true, clock })
  const compared = engine.requested(/^\/distribution\/nginx:1.27\/json/)
  expect((await source.read(1))[0]?.values).not.toHaveProperty('update_available')
  await compared
  const update = async () => {
    for (;;) {
      await yieldToEventLoop()
      const [reading] = await source.read(1)
      if (reading?.values['update_available'] !== undefined) return reading
    }
  }
  expect(await update()).toMatchObject({ attributes: { newer_image: engine.registryDigest }, values: { update_available: 1 } })
  expect(engine.count(/distribution/)).toBe(1)
})

test('an engine is reached by a port of loopback', async () => {
  const port = await freePort()
  const other = new FakeEngine()
  other.containers = [worker]
  await other.listen(port)
  const { source } = open(makeHost(worker), { address: `tcp://127.0.0.1:${port}` })
  expect((await source.read(1)).map(({ name }) => name)).toEqual(['worker'])
  source.close()
  await other.close()
})
