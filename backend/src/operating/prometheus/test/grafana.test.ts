import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../scripts/test-tools.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { boards, filled, FOLDER, listsOf, queriesOf, scraped } from './boards.ts'
import { createMonitor, ENTITIES, push, startRegion, STATE } from './world.ts'

it('each dashboard has an id of its own, panels that do not overlap, and the data source of its list', () => {
  expect(new Set(boards.map(({ uid }) => uid)).size).toBe(7)
  for (const { panels, templating } of boards) {
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }: { gridPos: Record<'x' | 'y' | 'w' | 'h', number> }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { datasource } of [...panels, ...panels.flatMap(({ targets }: { targets: object[] }) => targets)])
      expect(datasource).toEqual({ type: 'prometheus', uid: '$datasource' })
    expect(templating.list.map(({ name }: { name: string }) => name)).toContain('datasource')
  }
  expect(readFileSync(join(FOLDER, 'provisioning/dashboards/vedette.yaml'), 'utf8')).toContain(
    'path: /var/lib/grafana/dashboards/vedette\n',
  )
})

// Prometheus starts, and scrapes each second.
vi.setConfig({ hookTimeout: 120_000 })

describe.skipIf(isMissing('prometheus'))('a Prometheus that scrapes Vedette', () => {
  let backend: TestBackend
  let prometheus: ChildProcess
  let url: string
  const folder = mkdtempSync(join(tmpdir(), 'vedette-prometheus-'))

  const query = async (expr: string): Promise<object[]> => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)
    const { data, error } = (await answer.json()) as { data?: { result: object[] }; error?: string }
    if (!data) throw new Error(`${expr}: ${error}`)
    return data.result
  }

  beforeAll(async () => {
    backend = await startTestBackend()
    const organization = await backend.organization()
    const admin = await backend.apiKey(organization, 'admin')
    const submit = await startRegion(backend, 'ams')
    const [web, ping] = ['https://web.example.com/', 'icmp://web.example.com']
    await createMonitor(backend, admin, { name: 'web', url: web, regions: ['ams'] })
    await createMonitor(backend, admin, { name: 'ping', type: 'icmp', url: ping, regions: ['ams'] })
    backend.clock.advance(60_000)
    const certificate = { expires_at: '2037-01-01T00:00:00.000Z', issuer: 'CA', subject_names: [] }
    await submit([
      { url: web, certificate },
      { url: ping, status_code: null, tls_ms: null, http_version: null, facts: { packet_loss: 0 } },
    ])
    const host = await backend.server(organization)
    const facts = { boot_time: '2026-01-01T00:00:00.000Z' }
    await backend.call('PUT', '/v1/agent/facts', { as: host.as, body: facts })
    await push(backend, host.as, { state: { ...STATE, entities: ENTITIES } })
    const target = `127.0.0.1:${await backend.listen()}`
    const reader = await backend.apiKey(organization, 'read')
    writeFileSync(join(folder, 'key'), reader['x-api-key'])
    const job = (name: string, more: object = {}) => ({
      job_name: name,
      metrics_path: `/v1/prometheus/${name.split('-')[0]}`,
      honor_labels: true,
      authorization: { credentials_file: join(folder, 'key') },
      static_configs: [{ targets: [target] }],
      ...more,
    })
    const config = { global: { scrape_interval: '1s' }, scrape_configs: [job('hosts'), job('monitors')] }
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    prometheus = spawn(
      findTool('prometheus') as string,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    for (;;) {
      const up = await query('up == 1').catch(() => [])
      if (up.length === 2) break
      if (prometheus.exitCode !== null) throw new Error(`prometheus ended with ${prometheus.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
  afterAll(async () => {
    const ended = once(prometheus, 'close')
    prometheus.kill()
    await ended
    await backend.close()
    rmSync(folder, { recursive: true })
  })

  it.each(queriesOf(scraped))('has data for %s: %s', async (_title, expr) => {
    expect(await query(filled(expr))).not.toEqual([])
  })

  it('has values for each list of a dashboard', async () => {
    const lists = listsOf(scraped)
    expect(lists.length).toBeGreaterThan(4)
    for (const definition of lists) {
      const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? []
      expect(await query(`count by (${label}) (${filled(series)})`), definition).not.toEqual([])
    }
  })

  it('keeps the name of a host as instance, and takes every sample of a scrape', async () => {
    expect(await query('node_load1{instance="web-1",job="hosts"}')).toHaveLength(1)
    expect(await query('scrape_samples_scraped - scrape_samples_post_metric_relabeling != 0')).toEqual([])
    const metadata = (await (await fetch(`${url}/api/v1/metadata?metric=node_load1`)).json()) as { data: object }
    expect(metadata.data).toEqual({ node_load1: [{ type: 'gauge', help: 'Load, mean of 1 minute.', unit: '' }] })
  })
})
