import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials, TestBackend, TestOrganization } from '../../backend/test/harness.ts'
import { asOwner } from './editors/editor.ts'
import { openScene, type Page, type Scene } from './dom/scene.ts'

const MINUTE = 60_000
const PUSHES = 10
const CONTAINERS = 100

const entity = (kind: string, name: string, values: object, attributes?: object) => ({
  kind,
  name,
  values,
  ...(attributes && { attributes }),
})

const containers = (minute: number) =>
  Array.from({ length: CONTAINERS }, (_, index) =>
    entity(
      'container',
      index === 0 ? 'shop/web' : `worker-${index}`,
      {
        // The busiest changes with time.
        cpu_percent: index === 0 ? 5 * minute : 12 + index / 100,
        memory_bytes: 50_000_000 + index * 1_000_000,
        memory_percent: index / 4,
        network_rx_bytes_per_sec: 1_000 * index,
        network_tx_bytes_per_sec: 500 * index,
        read_bytes_per_sec: 0,
        write_bytes_per_sec: 100 * index,
        running: index === 7 ? 0 : 1,
        restarts: index === 0 ? 3 : 0,
        ...(index === 7 && { exit_code: 137 }),
        ...(index === 0 && { healthy: 1, update_available: 1 }),
      },
      {
        engine: 'docker',
        image: index === 0 ? 'registry.example.com/shop/web:1.4' : 'worker:2',
        state: index === 7 ? 'exited' : 'running',
        ...(index === 0 && { health: 'healthy', project: 'shop', service: 'web' }),
        started_at: '2026-11-20T08:00:00.000Z',
      },
    ),
  )

const OTHERS = [
  entity('unit', 'ssh.service', { running: 1, failed: 0, memory_bytes: 8_000_000, tasks: 1 }, { state: 'active' }),
  entity('unit', 'backup.service', { running: 0, failed: 1, restarts: 2 }, { state: 'failed', last_result: 'exit-code' }),
  entity('process', 'nginx', { count: 4, cpu_percent: 2.5, memory_bytes: 40_000_000 }, { watched: 'yes' }),
  entity('updates', 'apt', { pending: 12, security: 2, oldest_days: 9.5 }),
  entity('sensor', 'coretemp Package id 0', { temperature_celsius: 61.5, critical_celsius: 100 }, { chip: 'coretemp' }),
  entity('sensor', 'nct6775 fan1', { fan_rpm: 1_240 }, { chip: 'nct6775' }),
  entity('battery', 'ups@localhost', { charge_percent: 98, runtime_seconds: 1_860, on_battery: 0 }, { model: 'Smart-UPS' }),
  entity('gpu', 'GPU 0', { utilization_percent: 45, memory_used_bytes: 2e9, power_watts: 120.5 }, { model: 'RTX' }),
  entity('memory', 'mc0', { corrected_errors: 0, uncorrected_errors: 0 }, { type: 'DDR5' }),
  entity('pressure', 'io', { some_percent: 4.2, full_percent: 1.1 }),
  entity('limit', 'conntrack', { used: 1_200, maximum: 262_144, percent: 0.46 }),
  entity('disk', 'nvme0n1', { healthy: 1, temperature_celsius: 38, used_percent: 3 }, { model: 'Samsung 990', serial: 'S1' }),
  entity('array', 'md0', { healthy: 0, devices: 2, failed_devices: 1 }, { level: 'raid1', state: 'degraded' }),
  entity('metric', 'queue_length{queue="mail"}', { value: 42 }, { type: 'gauge', help: 'Mails that wait' }),
]

describe('the tabs of a host', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let serverId: string
  let firstMs: number
  beforeAll(async () => {
    const fill = async (backend: TestBackend, organization: TestOrganization) => {
      const server = await backend.server(organization)
      serverId = server.id
      firstMs = backend.clock.now()
      for (let minute = 0; minute < PUSHES; minute += 1) {
        const gone = minute === 0 ? [entity('container', 'old', { running: 1 }, { image: 'old:1', state: 'running' })] : []
        await push(backend, server.as, [...containers(minute), ...OTHERS, ...gone], minute === PUSHES - 1)
        if (minute < PUSHES - 1) backend.clock.advance(MINUTE)
      }
    }
    scene = await openScene({ startMs: Date.now() - (PUSHES - 1) * MINUTE, fill })
    api = asOwner(scene)
    await api.change(`/v1/servers/${serverId}`, { tags: ['shop'] })
  })
  afterAll(() => scene?.close())

  async function push(backend: TestBackend, as: Credentials, entities: object[], hasEvent: boolean): Promise<void> {
    const at = new Date(backend.clock.now()).toISOString()
    const died = {
      at,
      kind: 'container',
      name: 'worker-7',
      type: 'died',
      exit_code: 137,
      oom: true,
      lines: ['out of memory', 'bye'],
    }
    const answer = await backend.call('POST', '/v1/agent/metrics', {
      as,
      body: {
        batch_id: randomUUID(),
        sent_at: at,
        agent_version: '1',
        samples: [{ at, cpu: { percent: 20 }, memory: { percent: 40 }, disk: { usage_percent: 30 } }],
        filesystems: [{ mount: '/', fs_type: 'ext4', total_bytes: 100e9, used_bytes: 30e9, percent: 30 }],
        processes: [{ pid: 1, name: 'systemd', cpu_percent: 0.1, memory_bytes: 12_000_000 }],
        entities,
        ...(hasEvent && { entity_events: [died] }),
      },
    })
    if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
  }

  const open = (page: Page, path = '') => page.goto(`${scene.origin}/servers/${serverId}${path}`)
  const tabs = (page: Page) => page.getByRole('navigation', { name: 'Parts of the server' }).getByRole('link')

  it('appear with their data, and have addresses and figures with units', { timeout: 240_000 }, async () => {
    const page = scene.open()
    await open(page)
    await expect
      .poll(() => tabs(page).allTextContents())
      .toEqual(['Overview', 'Processes', 'Containers', 'Services', 'Hardware', 'Storage', 'Metrics'])
    const goTo = async (name: string, path: string, ...texts: string[]) => {
      await tabs(page).getByText(name, { exact: true }).click()
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/servers/${serverId}/${path}`)
      for (const text of texts) await page.getByText(text, { exact: true }).first().waitFor()
      expect(await page.locator('nav [aria-current=page]').getByText(name, { exact: true }).count()).toBe(1)
    }
    await goTo('Processes', 'processes', 'systemd')
    await goTo('Services', 'services', 'backup.service', '40.0 MB', '9.5 d')
    await goTo('Hardware', 'hardware', '61.5 °C', '1,240 rpm', '31 min', '120.5 W', '4.2 %')
    await goTo('Storage', 'storage', '/', 'nvme0n1', '38.0 °C', 'raid1')
    await goTo('Metrics', 'metrics', 'queue_length{queue="mail"}', '42')
    await tabs(page).getByText('Containers', { exact: true }).click()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(CONTAINERS)
    // The rules look at each row: a few are enough.
    await page.getByRole('searchbox').fill('web')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByText('running · healthy').waitFor()
    const bare = await scene.backend.server(scene.organization)
    await page.goto(`${scene.origin}/servers/${bare.id}/containers`)
    await page.getByText('No containers', { exact: true }).waitFor()
    await page.getByText('containers: true', { exact: true }).waitFor()
    await expect.poll(() => tabs(page).allTextContents()).toEqual(['Overview', 'Containers'])
    // Nothing to choose from: no bar of tabs.
    await page.goto(`${scene.origin}/servers/${bare.id}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => tabs(page).count()).toBe(0)
    expect(scene.complaints).toEqual([])
  })

  it('sort, search and go back in time', async () => {
    const page = scene.open()
    await open(page, '/containers')
    const firstRow = () => page.locator('tbody tr').first().locator('td').first().textContent()
    await expect.poll(firstRow).toBe('shop/web')
    await page.getByRole('button', { name: 'Memory' }).click()
    await expect.poll(firstRow).toBe('worker-99')
    expect(await page.getByRole('columnheader', { name: 'Memory' }).getAttribute('aria-sort')).toBe('descending')
    await page.getByRole('button', { name: 'Image' }).click()
    await expect.poll(firstRow).toBe('shop/web')
    await page.getByRole('searchbox').fill('worker-42')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: 'Gone' }).click()
    await page.getByText('No results for these filters').waitFor()
    await page.getByRole('searchbox').fill('')
    await expect.poll(firstRow).toBe('old')
    await open(page, `/containers?at=${firstMs + 30_000}`)
    // Then shop/web had nothing to do, and old was there.
    await expect.poll(firstRow).toBe('worker-99')
    await page.getByRole('searchbox').fill('old')
    await expect.poll(firstRow).toBe('old')
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.getByText('No results for these filters').waitFor()
  })

  it('show the history, attributes and events of one, and open the rule editor filled in', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await open(page, '/containers?q=worker-7')
    await page.getByRole('link', { name: 'worker-7', exact: true }).click()
    await page.getByRole('heading', { level: 2, name: 'worker-7' }).waitFor()
    await page.getByRole('img', { name: /^Network/ }).waitFor()
    await page.getByText('exit code 137').waitFor()
    expect(await page.getByRole('group', { name: 'Last lines' }).textContent()).toBe('out of memory\nbye')
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('entity')).toBe(null)
    await page.getByRole('link', { name: 'worker-7', exact: true }).click()
    await page.getByRole('link', { name: 'Add rule' }).click()
    await page.getByLabel('Measured on').waitFor()
    expect(await page.getByLabel('Measured on').inputValue()).toBe('container')
    expect(await page.getByLabel('Only those named').inputValue()).toBe('worker-7')
  })

  it('stand next to a list of the containers of all hosts', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/servers`)
    await page.getByRole('navigation', { name: 'Servers' }).getByRole('link', { name: 'Containers' }).click()
    await page.getByRole('link', { name: 'shop/web', exact: true }).waitFor()
    await page.getByLabel('Tag of the server').selectOption('shop')
    await page.getByRole('searchbox').fill('worker-4')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(11)
    await page.getByRole('button', { name: 'CPU' }).click()
    await page.getByRole('button', { name: 'CPU' }).click()
    await expect.poll(() => page.locator('tbody tr').first().locator('td').first().textContent()).toBe('worker-4')
    await page.getByRole('link', { name: 'worker-42', exact: true }).click()
    await page.getByRole('heading', { level: 2, name: 'worker-42' }).waitFor()
    expect(scene.complaints).toEqual([])
  })
})
