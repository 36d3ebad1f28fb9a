import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, isMissing } from '../../scripts/test-tools.ts'
import { pause, systemClock } from '../src/process/clock.ts'
import { CgroupReader } from '../src/entities/containers/cgroups.ts'
import { ContainerSource } from '../src/entities/containers/container-source.ts'
import type { EntityEvent } from '../src/entities/source.ts'

/** A Docker of its own, without a network, whose only image holds busybox. */
describe.skipIf(isMissing('root', 'dockerd', 'busybox'))('a real Docker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-docker-'))
  const socketPath = join(folder, 'docker.sock')
  let docker: ChildProcess
  let ended: Promise<unknown>
  let source: ContainerSource
  const events: EntityEvent[] = []

  beforeAll(async () => {
    const place = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')]
    const network = ['--iptables=false', '--ip6tables=false', '--bridge=none']
    docker = spawn(findTool('dockerd') ?? '', [...place, ...network, '-H', `unix://${socketPath}`, '--storage-driver', 'vfs'], {
      stdio: 'ignore',
    })
    ended = new Promise((resolve) => docker.on('exit', resolve))
    while ((await call('GET', '/_ping').catch(() => undefined)) === undefined) await pause(systemClock, 100)
    await call('POST', '/images/create?fromSrc=-&repo=vedette-test&tag=1', makeImage())
    source = new ContainerSource({
      clock: systemClock,
      address: socketPath,
      cgroups: new CgroupReader(systemClock),
      cores: 1,
      logLines: 5,
      comparesImages: false,
    })
    source.watch((event) => events.push(event))
    await source.prime()
  })
  afterAll(async () => {
    source.close()
    docker.kill('SIGTERM')
    await ended
  })

  async function call(method: string, path: string, body: Buffer | string = ''): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const type = typeof body === 'string' ? 'application/json' : 'application/x-tar'
    const outgoing = request({ socketPath, method, path, agent: false, headers: { 'content-type': type } }, resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
    const response = await promise
    const answer = await text(response)
    if ((response.statusCode ?? 500) >= 400) throw new Error(answer)
    return answer
  }

  function makeImage(): Buffer {
    const bin = join(folder, 'image/bin')
    mkdirSync(bin, { recursive: true })
    copyFileSync(findTool('busybox') ?? '', join(bin, 'busybox'))
    for (const name of ['sh', 'sleep', 'tail']) symlinkSync('busybox', join(bin, name))
    return execFileSync('tar', ['-C', join(folder, 'image'), '-c', '.'], { maxBuffer: 64 * 1_048_576 })
  }

  async function start(
    name: string,
    script: string,
    more: { Memory?: number; Labels?: Record<string, string>; Tty?: boolean } = {},
  ) {
    const { Memory = 0, ...rest } = more
    const HostConfig = { NetworkMode: 'none', Memory }
    const body = { Image: 'vedette-test:1', Cmd: ['/bin/sh', '-c', script], HostConfig, ...rest }
    await call('POST', `/containers/create?name=${name}`, JSON.stringify(body))
    await call('POST', `/containers/${name}/start`)
  }

  const eventOf = async (name: string): Promise<EntityEvent> => {
    for (;;) {
      const event = events.find((one) => one.name === name)
      if (event) return event
      await pause(systemClock, 50)
    }
  }

  const readingOf = async (name: string) => (await source.read(60_000)).find((reading) => reading.name === name)

  test('what a container uses is read from its control group', async () => {
    const labels = { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': 'web' }
    await start('shop-web-1', 'while :; do :; done', { Memory: 67_108_864, Labels: labels })
    let reading = await readingOf('shop/web')
    while (reading?.values['cpu_percent'] === undefined) {
      await pause(systemClock, 200)
      reading = await readingOf('shop/web')
    }
    expect(reading.attributes).toMatchObject({ engine: 'docker', image: 'vedette-test:1', state: 'running', project: 'shop' })
    expect(reading.values).toMatchObject({ running: 1, memory_limit_bytes: 67_108_864, oom_kills: 0, restarts: 0 })
    expect(reading.values['cpu_percent']).toBeGreaterThan(1)
    expect(reading.values['memory_bytes']).toBeGreaterThan(10_000)
  })

  test('its end is an event with its last lines, with and without a terminal', async () => {
    await start('crash', 'echo one; echo two >&2; exit 3')
    const { lines, ...died } = await eventOf('crash')
    expect(died).toMatchObject({ type: 'died', exit_code: 3 })
    // Of two streams, each with its own order.
    expect(lines?.toSorted()).toEqual(['one', 'two'])
    await start('terminal', String.raw`printf "\033[31mred\033[0m\n"; exit 4`, { Tty: true })
    expect(await eventOf('terminal')).toMatchObject({ exit_code: 4, lines: ['red'] })
    expect((await readingOf('crash'))?.values).toMatchObject({ running: 0, exit_code: 3, deaths: 1 })
  })

  test('a kill for want of memory is said, and a stop is no event', async () => {
    await call('POST', '/containers/shop-web-1/stop?t=0')
    // Docker misses what happens in the instant of the start or the end.
    await start('hungry', 'sleep 1; tail /dev/zero; sleep 2; exit 7', { Memory: 8_388_608 })
    expect(await eventOf('hungry')).toMatchObject({ exit_code: 7, oom: true })
    expect((await readingOf('shop/web'))?.values).toMatchObject({ running: 0, exit_code: 137, deaths: 0 })
    expect(events.map(({ name }) => name)).not.toContain('shop/web')
  })
})
