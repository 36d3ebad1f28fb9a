import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBackend, TestOrganization } from '../../backend/test/harness.ts'
import { measure, type MeasuredServer, startBeating } from '../../backend/test/measured-server.ts'
import { removeRules } from '../../backend/test/remove-rules.ts'
import { openScene, type Scene } from './dom/scene.ts'

const MINUTE = 60_000

const ENTITIES = [
  { kind: 'disk', name: 'sda', values: { healthy: 1, reallocated_sectors: 312 }, attributes: { model: 'Spinner 4' } },
  { kind: 'unit', name: 'nginx.service', values: { failed: 1 } },
  { kind: 'updates', name: 'apt', values: { security: 2, pending: 4 } },
]

describe('what is found on a server', () => {
  let scene: Scene
  let server: MeasuredServer
  beforeAll(async () => {
    const fill = async (backend: TestBackend, organization: TestOrganization) => {
      const instance = startBeating(backend)
      await removeRules(backend, organization)
      server = await measure(backend, organization)
      backend.clock.advance(MINUTE)
      await instance.beat()
      await server.sends({ 'cpu.percent': [1] }, { entities: ENTITIES })
      backend.clock.advance(5_000)
      await backend.jobs.evaluateServers()
    }
    scene = await openScene({ startMs: Date.now() - 2 * MINUTE, fill })
  })
  afterAll(() => scene?.close())

  it('is an active problem of the overview without a rule', async () => {
    const page = scene.open()
    await page.goto(scene.origin)
    await page.getByText('Disk sda has 312 reallocated sectors (limit 50) · 1 more').waitFor()
    expect(await page.getByText('All systems operational').count()).toBe(0)
    expect(scene.complaints).toEqual([])
  })

  it('names the server in the grid of everything, with its age', async () => {
    const page = scene.open()
    await page.goto(scene.origin)
    const grid = page.getByRole('list', { name: '1 server' })
    await grid.getByText(/^(now|just now|\d+ (s|min) ago)$/).waitFor()
    expect(await grid.getByRole('link').getAttribute('href')).toBe(`/servers/${server.id}`)
  })

  it('is on the wall, which changes between its parts and leads back', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/wall`)
    await page.getByRole('heading', { level: 1, name: '1 unhealthy' }).waitFor()
    await page.getByText('Disk sda has 312 reallocated sectors (limit 50) · 1 more').waitFor()
    await page.getByRole('list', { name: '1 server' }).waitFor()
    await page.getByRole('button', { name: 'Last changes (2 of 2)' }).click()
    await page.getByText('Activity (last 24 hours)').waitFor()
    await page.getByRole('button', { name: 'Go on changing' }).waitFor()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(scene.complaints).toEqual([])
  })

  it('is the word of the server in the list, with its name and since when', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/servers`)
    await page.getByText('Critical', { exact: true }).waitFor()
    await expect
      .poll(() =>
        page
          .locator('li')
          .getByText(/^Disk failing · .* · 1 more$/)
          .count(),
      )
      .toBe(1)
  })

  it('is at the top of its page with a link to the entity, and counted on the tabs', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/servers/${server.id}`)
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    await page.getByText('Security updates pending').waitFor()
    const tabs = page.getByRole('navigation', { name: 'Parts of the server' }).getByRole('link')
    await expect.poll(() => tabs.allTextContents()).toEqual(['Overview', 'Services11 problem', 'Storage11 problem'])
    await page.getByRole('link', { name: /Disk failing/ }).click()
    await page.getByRole('heading', { level: 2, name: 'sda' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/servers/${server.id}/storage`)
  })

  it('has default rules that an older organization adds by a click, and that are folded on the page of the server', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts/rules`)
    await page.getByRole('button', { name: 'Add the default rules' }).click()
    await page.getByText('Found: Disk failing').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Add the default rules' }).count()).toBe(0)
    await page.goto(`${scene.origin}/servers/${server.id}`)
    await page.getByText('20 rules on health').waitFor()
    await page.goto(`${scene.origin}/alerts/rules`)
    await page.getByRole('link', { name: 'Disk failing', exact: true }).click()
    await page.getByLabel('Measured on').waitFor()
    expect(await page.getByLabel('Measured on').inputValue()).toBe('health')
    expect(scene.complaints).toEqual([])
  })
})
