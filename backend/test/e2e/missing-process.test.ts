import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { registration } from '../harness.ts'
import { ADMIN, call, makeWorkbench, signIn, until } from './workbench.ts'
import { VEDETTE_AGENT } from '../../../scripts/test-tools.ts'

const bench = makeWorkbench()
let watched: ChildProcess | undefined
afterAll(async () => {
  watched?.kill('SIGKILL')
  await bench.cleanUp()
})

/** A process whose command name is that of the file. */
async function run(file: string): Promise<void> {
  watched = spawn(file, ['600'], { stdio: 'ignore' })
  await once(watched, 'spawn')
}

test.runIf(process.platform === 'linux')('an incident names a watched process from its end until it runs again', async () => {
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
  const registered = await call(url, 'POST', '/v1/agent/register', { 'x-api-key': key }, registration('web-1'))
  const { server_id: id, token } = registered.body
  const condition = { metric: 'host.missing_processes', operator: 'greater_than', value: 0 }
  await request('POST', '/v1/alert-rules', { name: 'processes', target: { type: 'server', id }, condition })

  const program = join(bench.makeFolder(), 'vdt-watched')
  copyFileSync('/bin/sleep', program)
  await run(program)
  bench.run([process.execPath, VEDETTE_AGENT, 'run'], {
    VEDETTE_STATE_DIR: bench.makeFolder(),
    VEDETTE_AGENT_URL: url,
    VEDETTE_AGENT_TOKEN: token,
    VEDETTE_AGENT_WATCH_PROCESSES: 'vdt-watched',
  })
  const missing = async () => (await request('GET', `/v1/servers/${id}`)).metrics?.host?.missing_processes
  const incidents = async (status: string) => (await request('GET', `/v1/incidents?target=${id}&status=${status}`)).incidents
  await until(async () => (await missing()) === 0, 60_000, 200)
  expect(await incidents('open')).toEqual([])

  watched?.kill('SIGKILL')
  const opened = await until(async () => (await incidents('open'))[0], 60_000, 200)
  expect(opened).toMatchObject({ summary: `${hostname()}: process vdt-watched is missing`, target: { id } })
  expect((await request('GET', `/v1/servers/${id}`)).missing_processes).toEqual(['vdt-watched'])

  await run(program)
  const resolved = await until(async () => (await incidents('resolved'))[0], 60_000, 200)
  const { timeline } = await request('GET', `/v1/incidents/${resolved.id}`)
  expect(timeline.at(-1)).toMatchObject({ type: 'resolved', message: `${hostname()}: no process is missing` })
})
