import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../scripts/test-tools.ts'
import type { Credentials, TestBackend, TestOrganization } from '../../../../test/harness.ts'
import { createExport, keyOf, push, readAll, SETTLED_MS, startScene, stateOf, write } from './scene.ts'

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
let folder: string
beforeAll(async () => {
  // Real stores refuse samples that are older than they keep.
  backend = await startScene({ startMs: Date.now() })
  organization = await backend.organization()
  as = await backend.member(organization, 'owner')
  folder = await mkdtemp(join(tmpdir(), 'receivers-'))
})
afterAll(async () => {
  await backend.close()
  await rm(folder, { recursive: true })
})

const OTLP_RECEIVER = '--web.enable-otlp-receiver'
/** Older ones, as those of Debian 12, take no OTLP: the same is decoded by other readers in other tests. */
const takesOtlp = (program: string, said: string): boolean => {
  const { stdout } = spawnSync(findTool(program) as string, ['--help'], { encoding: 'utf8' })
  const does = stdout.includes(said)
  if (!does) console.warn(`skipped, of a version that takes no OTLP: ${program}`)
  return does
}

const prometheus = (port: number, data: string) => [
  `--config.file=${join(folder, 'prometheus.yml')}`,
  `--storage.tsdb.path=${data}`,
  `--web.listen-address=127.0.0.1:${port}`,
  '--web.enable-remote-write-receiver',
  '--log.level=error',
]
const victoria = (port: number, data: string) => [
  `-storageDataPath=${data}`,
  `-httpListenAddr=127.0.0.1:${port}`,
  // Values are shown as soon as they are there.
  '-search.latencyOffset=1ms',
  '-loggerLevel=ERROR',
]
const RECEIVERS = [
  { program: 'prometheus', kind: 'remote_write', path: '/api/v1/write', options: prometheus },
  {
    program: 'prometheus',
    kind: 'otlp',
    path: '/api/v1/otlp/v1/metrics',
    options: (port: number, data: string) => [...prometheus(port, data), OTLP_RECEIVER],
  },
  { program: 'victoria-metrics', kind: 'remote_write', path: '/api/v1/write', options: victoria },
  { program: 'victoria-metrics', kind: 'otlp', path: '/opentelemetry/v1/metrics', options: victoria },
] as const

/** VictoriaMetrics keeps the names of attributes of resources. */
const asPrometheus = ({ 'service.name': job, 'service.instance.id': instance, ...metric }: Record<string, string>) => ({
  ...(job !== undefined && { job }),
  ...(instance !== undefined && { instance }),
  ...metric,
})

/** Asks until it answers with as many series, which a receiver may show some seconds later. */
async function readThere(port: number, selector: string, count: number, child: ChildProcess) {
  const search = new URLSearchParams({ query: `${selector}[1h]`, time: String(backend.clock.now() / 1_000) }).toString()
  for (;;) {
    // Of VictoriaMetrics: else it shows what is new some ten seconds later.
    await fetch(`http://127.0.0.1:${port}/internal/force_flush`).catch(() => undefined)
    if (child.exitCode !== null) throw new Error(`the receiver ended with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${search}`)
      .then((response) => response.json())
      .catch(() => undefined)
    const found = ((answer as { data?: { result?: unknown } } | undefined)?.data?.result ?? []) as {
      metric: Record<string, string>
      values: [number, string][]
    }[]
    if (found.length >= count) return Object.fromEntries(found.map(({ metric, values }) => [keyOf(asPrometheus(metric)), values]))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Texts of numbers differ: 1e+21 and 1e21. VictoriaMetrics shows stale markers, as what they are: no number. */
const numbered = (all: Record<string, [number, string][]>) =>
  Object.fromEntries(
    Object.entries(all).map(([key, values]) => [
      key,
      values.filter(([, value]) => value !== 'NaN').map(([at, value]) => [at, Number(value)]),
    ]),
  )

const sent = [
  { kind: 'container', name: 'web', attributes: { image: 'nginx:1.27' }, values: { cpu_percent: 3.5, running: 1 } },
  { kind: 'metric', name: 'queue_length{queue="mail"}', values: { value: 17.25 } },
]
const COUNTER = { name: 'http_requests_total', type: 'counter', unit: '', help: 'Requests.' }

async function startProgram({ program, kind, options }: (typeof RECEIVERS)[number], port: number) {
  await writeFile(join(folder, 'prometheus.yml'), '')
  const child = spawn(findTool(program) as string, options(port, join(folder, `${program}-${kind}`)), { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health`)
      .then(() => true)
      .catch(() => false)
  await expect.poll(isUp, { timeout: 20_000 }).toBe(true)
  return { child, exited }
}

const OTLP_OPTIONS = { prometheus: OTLP_RECEIVER, 'victoria-metrics': '-opentelemetry' }

it.each(
  RECEIVERS.filter(({ program, kind }) => !isMissing(program) && (kind !== 'otlp' || takesOtlp(program, OTLP_OPTIONS[program]))),
)(
  '$program has every sample of hosts, entities and series by $kind, as the source has it',
  async (receiver) => {
    const port = await freePort()
    const { child, exited } = await startProgram(receiver, port)
    try {
      const { kind, path } = receiver
      const agent = await backend.server(organization)
      const sender = await backend.apiKey(organization, 'ingest')
      const id = await createExport(backend, as, { name: 'x', kind, url: `http://127.0.0.1:${port}${path}` })
      await push(backend, agent.as, 6, 1, sent)
      backend.clock.advance(60_000)
      await push(backend, agent.as, 6, 7, sent)
      const zone = `${receiver.program}-${kind}`
      const requests = (code: string, last: number | undefined) => ({
        labels: { __name__: 'http_requests_total', job: 'shop', instance: 'a:1', zone, code },
        samples: [[backend.clock.now() - 2_000, 2.5] as const, [backend.clock.now() - 1_000, last] as const],
      })
      await write(backend, sender, [requests('200', 3), requests('500', undefined)], { families: [COUNTER] })
      backend.clock.advance(SETTLED_MS)
      await expect
        .poll(async () => {
          backend.clock.advance(SETTLED_MS)
          await backend.jobs.sendExports()
          return stateOf(backend, as, id)
        })
        .toMatchObject({ last_error: null, samples_dropped: 0, last_sent_at: expect.any(String) })
      const selectors = [
        `{__name__="http_requests_total",code!="",zone="${zone}"}`,
        ...(kind === 'otlp' ? [] : [`{server_id="${agent.id}"}`]),
      ]
      for (const selector of selectors) {
        const source = await readAll(backend, organization, selector)
        expect(Object.keys(source).length).toBeGreaterThan(selector.includes('code') ? 1 : 17)
        const there = await readThere(port, selector, Object.keys(source).length, child)
        expect(numbered(there)).toEqual(numbered(source))
      }
      // By OTLP the names of hosts are others.
      const named =
        kind === 'otlp' ? 'queue_length|vedette.container.cpu_percent.*' : 'queue_length|vedette_container_cpu_percent'
      expect(Object.keys(await readThere(port, `{__name__=~"${named}"}`, 2, child))).toHaveLength(2)
      await backend.call('DELETE', `/v1/exports/${id}`, { as })
    } finally {
      child.kill()
      await exited
    }
  },
  60_000,
)
