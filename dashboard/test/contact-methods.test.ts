import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../backend/test/receiver.ts'
import { openScene, type Scene } from './dom/scene.ts'

describe('how a person is reached', () => {
  let scene: Scene
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
    scene = await openScene({ environment: { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } })
  })
  afterAll(async () => {
    await scene?.close()
    await receiver?.close()
  })

  it('contact methods are added, tested and removed in the settings', { timeout: 120_000 }, async () => {
    const { origin, complaints } = scene
    const page = scene.open()
    await page.goto(`${origin}/settings/profile`)
    await page.getByRole('button', { name: 'Add contact method' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type').selectOption('ntfy')
    await dialog.getByLabel('URL').fill(receiver.url)
    await dialog.getByLabel('Topic').fill('ada')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const row = page.getByRole('listitem').filter({ hasText: `ada · ${receiver.url}` })
    await row.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Test message sent').waitFor()
    expect(receiver.received).toHaveLength(1)
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Contact method removed').waitFor()
    await row.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('the quiet time is saved, shown again and removed', { timeout: 120_000 }, async () => {
    const { origin, backend, owner } = scene
    const page = scene.open()
    const stored = async () => (await backend.call('GET', '/v1/me', { as: owner })).body.organizations[0].quiet_time
    await page.goto(`${origin}/settings/profile`)
    const panel = page.locator('.panel').filter({ hasText: 'Quiet time' })
    await panel.getByLabel('Every day').check()
    await panel.getByLabel('From').fill('21:30')
    await panel.getByLabel('Time zone').selectOption('Europe/Berlin')
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Quiet time saved').waitFor()
    expect(await stored()).toEqual({ time_zone: 'Europe/Berlin', from: '21:30', to: '07:00', critical_passes: true })
    await page.reload()
    await expect.poll(() => panel.getByLabel('From').inputValue()).toBe('21:30')
    await panel.getByLabel('Every day').uncheck()
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect.poll(stored).toBeNull()
  })
})
