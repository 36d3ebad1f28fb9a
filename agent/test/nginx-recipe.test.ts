import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, isMissing } from '../../scripts/test-tools.ts'
import { pause, systemClock } from '../src/process/clock.ts'
import { CgroupReader } from '../src/entities/containers/cgroups.ts'
import { ContainerSource } from '../src/entities/containers/container-source.ts'
import { FakeEngine, idOf } from './fake-engine.ts'

const RECIPE = join(import.meta.dirname, '../../docs/recipes/nginx-docker-socket.conf')

describe.skipIf(isMissing('nginx', 'root'))('the proxy of docs/recipes', () => {
  const engine = new FakeEngine()
  const folder = mkdtempSync(join(tmpdir(), 'vedette-recipe-'))
  const socketPath = join(folder, 'docker.sock')
  let stop: () => Promise<void>
  beforeAll(async () => {
    await engine.listen()
    engine.containers = [{ id: idOf(1), name: 'web' }]
    const config = readFileSync(RECIPE, 'utf8')
      .replace('user root vedette;', 'user root root;\ndaemon off;')
      .replaceAll('/run/vedette-docker', folder)
      .replaceAll('/var/run/docker.sock', engine.socket)
    writeFileSync(join(folder, 'nginx.conf'), config)
    const nginx = spawn(findTool('nginx') ?? '', ['-c', join(folder, 'nginx.conf'), '-p', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const said = text(nginx.stderr)
    const ended = new Promise((resolve) => nginx.on('exit', resolve))
    stop = async () => {
      nginx.kill('SIGTERM')
      await ended
    }
    const hasEnded = ended.then(async () => Promise.reject(new Error(await said)))
    const isUp = async () => {
      while ((await call('GET', '/').catch(() => undefined)) === undefined) await pause(systemClock, 50)
    }
    await Promise.race([isUp(), hasEnded])
  })
  afterAll(async () => {
    await engine.close()
    await stop()
  })

  function call(method: string, path: string): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    const outgoing = request({ socketPath, method, path, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    outgoing.on('error', reject)
    outgoing.end()
    return promise
  }

  test.each([
    ['POST', '/containers/create'],
    ['POST', '/containers/json'],
    ['DELETE', `/containers/${idOf(1)}/json`],
    ['POST', `/containers/${idOf(1)}/exec`],
    ['GET', `/containers/${idOf(1)}/archive?path=/etc/shadow`],
    ['GET', `/containers/${idOf(1)}/export`],
    ['GET', '/v1.41/containers/json'],
    ['GET', '/images/json'],
    ['GET', '/info'],
    ['GET', '/secrets'],
    ['GET', '/containers/json/../../images/json'],
  ])('refuses %s %s', async (method, path) => {
    expect(await call(method, path)).toBe(403)
    expect(engine.requests).not.toContain(path)
  })

  test('lets the agent read the list and follow the events', async () => {
    const source = new ContainerSource({
      clock: systemClock,
      address: socketPath,
      cgroups: new CgroupReader(systemClock, folder),
      cores: 1,
      logLines: 0,
      comparesImages: false,
    })
    const { promise, resolve } = Promise.withResolvers<unknown>()
    source.watch(resolve)
    const streamed = engine.requested(/^\/events/)
    expect((await source.read(1)).map(({ name }) => name)).toEqual(['web'])
    await streamed
    engine.emit({ id: idOf(1), name: 'web' }, 'die', { exitCode: '1' })
    expect(await promise).toMatchObject({ name: 'web', type: 'died', exit_code: 1 })
    source.close()
  })
})
