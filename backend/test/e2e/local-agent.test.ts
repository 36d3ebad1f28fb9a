import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runVedette } from '../../src/operating/cli/test/run-vedette.ts'
import {
  ADMIN,
  agentStatus,
  call,
  cpuSecondsOf,
  firstSample,
  makeWorkbench,
  type RunningVedette,
  signIn,
  until,
} from './workbench.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

describe('the agent of the own host', () => {
  let dataDir: string
  let vedette: RunningVedette
  let owner: { authorization: string }
  let serverId: string
  beforeAll(async () => {
    dataDir = join(bench.makeFolder(), 'data')
    vedette = await bench.start({ dataDir, environment: { ...ADMIN, VEDETTE_PUSH_INTERVAL_SECONDS: '5' } })
    owner = await signIn(vedette.url)
    serverId = (await firstSample(vedette.url, owner, 30_000)).id
  })
  const identity = () =>
    JSON.parse(readFileSync(join(dataDir, 'agent/identity.json'), 'utf8')) as { token: string; server_id: string }
  const state = () => agentStatus(join(dataDir, 'agent'))?.state

  test('is registered again by the backend when its token was replaced, and that is logged', async () => {
    const before = identity()
    const [cpuBefore, startedAt] = [cpuSecondsOf(vedette.pid), performance.now()]
    const replaced = await call(vedette.url, 'POST', `/v1/servers/${serverId}/regenerate-token`, owner)
    expect(replaced.status).toBe(200)
    await until(() => ![before.token, replaced.body.token].includes(identity().token), 60_000)
    await until(() => state() === 'pushing', 60_000)
    expect([identity().server_id, (await call(vedette.url, 'GET', '/v1/servers', owner)).body.total]).toEqual([serverId, 1])
    expect(vedette.output()).toContain('the agent was registered again')
    expect(vedette.output()).not.toContain(identity().token)
    const { api_keys: keys } = (await call(vedette.url, 'GET', '/v1/api-keys', owner)).body
    const inUse = keys.filter((key: { revoked_at: string | null }) => key.revoked_at === null)
    expect([keys.length, inUse]).toEqual([2, []])
    // It waits for all of that, and does not look for it again and again.
    expect(cpuSecondsOf(vedette.pid) - cpuBefore).toBeLessThan((performance.now() - startedAt) / 1_000 / 15)
  })

  test('stays away when its server was deleted, which the log and doctor say', async () => {
    expect((await call(vedette.url, 'DELETE', `/v1/servers/${serverId}`, owner)).status).toBe(204)
    await expect.poll(() => vedette.output(), { timeout: 60_000 }).toContain('the server of the local agent was deleted')
    expect((await call(vedette.url, 'GET', '/v1/servers', owner)).body.total).toBe(0)
    const { code, json } = await runVedette(['doctor', '--json'], { VEDETTE_DATA_DIR: dataDir, VEDETTE_PORT: '0' })
    expect([code, json.findings]).toEqual([
      1,
      expect.arrayContaining([
        expect.objectContaining({
          subject: 'local agent',
          state: 'fault',
          remedy: expect.stringContaining('VEDETTE_LOCAL_AGENT=off'),
        }),
      ]),
    ])
    expect((await vedette.stop()).code).toBe(0)
  })
})
