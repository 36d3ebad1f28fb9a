import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { VEDETTE_AGENT } from '../../../scripts/test-tools.ts'
import { registration } from '../harness.ts'
import { ADMIN, call, makeWorkbench, type Program, signIn, until } from './workbench.ts'

const bench = makeWorkbench()
let engine: Server | undefined
afterAll(async () => {
  engine?.closeAllConnections()
  engine?.close()
  await bench.cleanUp()
})

/** An engine without containers: what counts here is who calls it. */
async function startEngine(): Promise<{ socket: string; calls: () => number; connections: () => Promise<number> }> {
  const socket = join(bench.makeFolder(), 'engine.sock')
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    response.writeHead(200, { 'content-type': 'application/json', 'api-version': '1.41' })
    if (request.url?.includes('/events')) response.flushHeaders()
    else response.end('[]')
  })
  engine = server
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
  return { socket, calls: () => calls, connections }
}

test.runIf(process.platform === 'linux')(
  'a switch of the backend ends and begins what an agent reads, over a restart too, and never what its config does not allow',
  async () => {
    const environment = {
      ...ADMIN,
      VEDETTE_LOCAL_AGENT: 'off',
      VEDETTE_RATE_LIMITS: 'off',
      VEDETTE_SAMPLE_INTERVAL_SECONDS: '1',
      VEDETTE_PUSH_INTERVAL_SECONDS: '5',
    }
    const { url } = await bench.start({ dataDir: join(bench.makeFolder(), 'data'), environment })
    const owner = await signIn(url)
    const request = async (method: string, path: string, body?: unknown) => (await call(url, method, path, owner, body)).body
    const { key } = await request('POST', '/v1/api-keys', { name: 'agent', scopes: ['agent'] })
    const { body: server } = await call(url, 'POST', '/v1/agent/register', { 'x-api-key': key }, registration('web-1'))
    const path = `/v1/servers/${server.server_id}`
    const { socket, calls, connections } = await startEngine()
    const state = bench.makeFolder()
    const startAgent = (containers: Record<string, string>) =>
      bench.run([process.execPath, VEDETTE_AGENT, 'run'], {
        VEDETTE_STATE_DIR: state,
        VEDETTE_AGENT_URL: url,
        VEDETTE_AGENT_TOKEN: server.token,
        ...containers,
      })
    const stop = async ({ pid, ended }: Program) => {
      process.kill(pid, 'SIGTERM')
      await ended
    }
    const pushed = async () => (await request('GET', path)).last_seen_at as string
    const nextPush = async () => {
      const before = await pushed()
      await until(async () => (await pushed()) > before, 60_000, 200)
    }

    const first = startAgent({ VEDETTE_AGENT_CONTAINER_SOCKETS: socket })
    await until(async () => (await request('GET', path)).sources?.containers === true, 60_000, 200)
    await until(async () => (await connections()) > 0, 60_000, 200)
    await request('PATCH', path, { sources_off: ['containers'] })
    await until(async () => (await connections()) === 0, 60_000, 200)
    const before = calls()
    await nextPush()
    expect(calls()).toBe(before)

    await stop(first)
    const second = startAgent({ VEDETTE_AGENT_CONTAINER_SOCKETS: socket })
    await nextPush()
    expect(calls()).toBe(before)
    await request('PATCH', path, { sources_off: [] })
    await until(async () => calls() > before, 60_000, 200)

    await stop(second)
    await until(async () => (await connections()) === 0, 60_000, 200)
    const afterwards = calls()
    startAgent({ VEDETTE_AGENT_CONTAINERS: 'false', VEDETTE_AGENT_CONTAINER_SOCKETS: socket })
    await nextPush()
    await nextPush()
    expect(calls()).toBe(afterwards)
  },
)
