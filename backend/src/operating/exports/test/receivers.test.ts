import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../scripts/test-tools.ts'
import type { Credentials, TestBackend, TestOrganization } from '../../../../test/harness.ts'
import { createExport, keyOf, push, readAll, SETTLED_MS, startScene, stateOf } from './scene.ts'

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
let folder: string
beforeAll(async () => {
  backend = await startScene()
  organization = await backend.organization()
  as = await backend.member(organization, 'owner')
  folder = await mkdtemp(join(tmpdir(), 'receivers-'))
})
afterAll(async () => {
  await backend.close()
  await rm(folder, { recursive: true })
})

const RECEIVERS = {
  prometheus: {
    path: '/api/v1/write',
    options: (port: number) => [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
      '--log.level=error',
    ],
  },
  'victoria-metrics': {
    path: '/api/v1/write',
    options: (port: number) => [
      `-storageDataPath=${join(folder, 'victoria')}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-loggerLevel=ERROR',
    ],
  },
} as const

/** Asks until it answers with as many series, which a receiver may show some seconds later. */
async function readThere(port: number, selector: string, count: number, child: ChildProcess) {
  const search = new URLSearchParams({ query: `${selector}[1h]`, time: String(backend.clock.now() / 1_000) }).toString()
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the receiver ended with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${search}`)
      .then((response) => response.json())
      .catch(() => undefined)
    const found = ((answer as { data?: { result?: unknown } } | undefined)?.data?.result ?? []) as {
      metric: Record<string, string>
      values: [number, string][]
    }[]
    if (found.length >= count) return Object.fromEntries(found.map(({ metric, values }) => [keyOf(metric), values]))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Texts of numbers differ: 1e+21 and 1e21. */
const numbered = (all: Record<string, [number, string][]>) =>
  Object.fromEntries(Object.entries(all).map(([key, values]) => [key, values.map(([at, value]) => [at, Number(value)])]))

const names = Object.keys(RECEIVERS) as (keyof typeof RECEIVERS)[]
it.each(names.filter((name) => !isMissing(name)))(
  '%s has every sample of a host, as the source has it',
  async (name) => {
    await writeFile(join(folder, 'prometheus.yml'), '')
    const [{ path, options }, port] = [RECEIVERS[name], await freePort()]
    const child = spawn(findTool(name) as string, options(port), { stdio: 'ignore' })
    const exited = once(child, 'exit')
    try {
      await expect
        .poll(
          () =>
            fetch(`http://127.0.0.1:${port}/health`)
              .then(() => true)
              .catch(() => false),
          { timeout: 20_000 },
        )
        .toBe(true)
      const agent = await backend.server(organization)
      const id = await createExport(backend, as, { name, url: `http://127.0.0.1:${port}${path}` })
      await push(backend, agent.as, 6)
      backend.clock.advance(60_000)
      await push(backend, agent.as, 6, 7)
      backend.clock.advance(SETTLED_MS)
      await expect
        .poll(async () => {
          backend.clock.advance(SETTLED_MS)
          await backend.jobs.sendExports()
          return stateOf(backend, as, id)
        })
        .toMatchObject({ last_error: null, samples_dropped: 0, last_sent_at: expect.any(String) })
      const selector = `{server_id="${agent.id}"}`
      const source = await readAll(backend, organization, selector)
      expect(Object.keys(source).length).toBeGreaterThan(15)
      expect(numbered(await readThere(port, selector, Object.keys(source).length, child))).toEqual(numbered(source))
      await backend.call('DELETE', `/v1/exports/${id}`, { as })
    } finally {
      child.kill()
      await exited
    }
  },
  60_000,
)
