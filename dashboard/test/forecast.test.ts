import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials, TestBackend, TestOrganization } from '../../backend/test/harness.ts'
import { openScene, type Scene } from './dom/scene.ts'

const DAY = 86_400_000
const DAYS = 20

describe('the forecast of a host', () => {
  let scene: Scene
  let serverId: string

  async function push(backend: TestBackend, as: Credentials, day: number): Promise<void> {
    const at = new Date(backend.clock.now()).toISOString()
    const disk = (mount: string, percent: number) => ({
      mount,
      fs_type: 'ext4',
      used_bytes: percent * 1e9,
      total_bytes: 1e11,
      percent,
    })
    const body = {
      batch_id: randomUUID(),
      sent_at: at,
      agent_version: '1',
      samples: [{ at, cpu: { percent: 1 }, memory: { percent: 40 }, disk: { usage_percent: 60 } }],
      filesystems: [disk('/', 60 + day + (day % 3) / 2), disk('/boot', 20)],
    }
    expect((await backend.call('POST', '/v1/agent/metrics', { as, body })).status).toBe(202)
  }

  beforeAll(async () => {
    const fill = async (backend: TestBackend, organization: TestOrganization) => {
      const server = await backend.server(organization)
      serverId = server.id
      for (let day = 0; day < DAYS; day += 1) {
        await backend.jobs.keepPartitions()
        await push(backend, server.as, day)
        await backend.jobs.compactSamples()
        if (day < DAYS - 1) backend.clock.advance(DAY)
      }
    }
    scene = await openScene({ startMs: Date.now() - (DAYS - 1) * DAY, fill })
  })
  afterAll(() => scene?.close())

  it('is a figure for each filesystem, a chart where it grows, and a rule with one click', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/servers/${serverId}/storage`)
    const section = page.getByRole('region', { name: 'Forecast' })
    await section.getByText(/^full in (19|2[0-2]) days$/).waitFor()
    await section.getByText(/^between \d+ and \d+ days$/).waitFor()
    expect(await section.getByText('does not grow').count()).toBe(2)
    await section.getByRole('img', { name: /^\/ until full/ }).waitFor()
    expect(await section.getByRole('img').count()).toBe(1)
    await section.getByRole('link', { name: 'Add rule: /', exact: true }).click()
    await page.getByLabel('Mount').waitFor()
    expect(await page.getByLabel('Mount').inputValue()).toBe('/')
    expect(await page.getByLabel('Metric').inputValue()).toBe('filesystem.days_until_full')
    expect(scene.complaints).toEqual([])
  })
})
