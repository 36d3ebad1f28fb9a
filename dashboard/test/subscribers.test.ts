import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestSmtp, type TestSmtp } from '../../backend/test/smtp.ts'
import { pagesOf } from '../../backend/test/status-pages.ts'
import { asOwner } from './editors/editor.ts'
import { faultsOf, openScene, type Page, type Scene } from './dom/scene.ts'

describe('the subscribers of a status page', () => {
  let scene: Scene
  let smtp: TestSmtp
  let api: ReturnType<typeof asOwner>
  let id: string
  beforeAll(async () => {
    smtp = await startTestSmtp()
    const environment = { VEDETTE_SMTP_URL: smtp.url, VEDETTE_PUBLIC_URL: 'https://vedette.example.org' }
    scene = await openScene({ environment })
    api = asOwner(scene)
    const shop = await api.make('/v1/monitors', { name: 'shop-eu-1', url: 'https://shop.example.com/' })
    const sections = [{ name: 'Services', monitors: [shop.id], names: { [shop.id]: 'Web shop' } }]
    id = (await api.make('/v1/status-pages', { name: 'Acme', slug: 'acme', title: 'Acme', published: true, sections })).id
    await pagesOf(scene.backend, scene.organization, scene.owner).settle()
  })
  afterAll(async () => {
    await scene?.close()
    await smtp?.close()
  })

  const path = () => `/v1/status-pages/${id}/subscribers`
  const stored = async () => (await api.read(path())).subscribers
  const rows = (page: Page) => page.getByRole('main').getByRole('listitem')

  it('are added, with the secret of a webhook shown once, and deleted', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/status-pages/${id}`)
    await page.getByRole('link', { name: 'Subscribers' }).click()
    await page.getByText('No subscribers yet').waitFor()
    await page.getByRole('button', { name: 'Add subscriber' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add subscriber' }).click()
    await expect.poll(() => faultsOf(page)).toEqual({ URL: 'Fill this in.' })
    await dialog.getByLabel('URL').fill('ftp://hooks.example.com/')
    await dialog.getByRole('button', { name: 'Add subscriber' }).click()
    await expect.poll(() => faultsOf(page)).toEqual({ URL: expect.stringContaining('http') })
    await dialog.getByLabel('URL').fill('https://hooks.example.com/status')
    await dialog.getByLabel('Web shop').check()
    await dialog.getByRole('button', { name: 'Add subscriber' }).click()
    const secret = page.getByText(/^whsec_\S+$/)
    await secret.waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await rows(page).getByText('https://hooks.example.com/status').waitFor()
    expect(await secret.count()).toBe(0)
    expect(await rows(page).textContent()).toMatch(/^ConfirmedWebhook https:.*Web shop · since/)
    await page.getByRole('button', { name: 'Add subscriber' }).click()
    await dialog.getByLabel('Type').selectOption('Slack')
    await dialog.getByLabel('URL').fill('https://hooks.slack.com/services/T0/B0/planted')
    await dialog.getByRole('button', { name: 'Add subscriber' }).click()
    await rows(page).getByText('Slack').waitFor()
    expect(await page.getByRole('main').textContent()).not.toContain('planted')
    expect(await stored()).toMatchObject([
      { type: 'slack', monitors: [] },
      { type: 'webhook', monitors: [expect.stringMatching(/^mon_/)] },
    ])
    for (const name of ['Slack', 'https://hooks.example.com/status']) {
      await page.getByRole('button', { name: `Delete: ${name}` }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText(`${name} deleted`).waitFor()
    }
    await page.getByText('No subscribers yet').waitFor()
    expect(await stored()).toEqual([])
  })

  it('who subscribed by e-mail are shown, confirmed or not, and hidden from viewers', { timeout: 60_000 }, async () => {
    const submit = (url: string, fields: Record<string, string>) =>
      fetch(url, { method: 'POST', body: new URLSearchParams(fields) }).then(({ status }) => expect(status).toBe(200))
    for (const name of ['ada', 'bob']) await submit(`${scene.origin}/status/acme/subscribe`, { email: `${name}@example.com` })
    await scene.backend.jobs.sendMails()
    const mail = smtp.mails.find(({ to }) => to.includes('ada@example.com'))
    const link = new URL(/https:\/\/\S+\/subscriptions\/\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await submit(scene.origin + link.pathname + link.search, { action: 'confirm' })
    await api.make(path(), { type: 'webhook', url: 'https://hooks.example.com/token' })
    const page = scene.open()
    await page.goto(`${scene.origin}/status-pages/${id}/subscribers`)
    await expect.poll(() => rows(page).filter({ hasText: 'bob@example.com' }).getByText('Not confirmed').count()).toBe(1)
    expect(await rows(page).filter({ hasText: 'ada@example.com' }).textContent()).toMatch(/^ConfirmedE-mail/)
    const viewer = await scene.openAs('viewer')
    await viewer.goto(`${scene.origin}/status-pages/${id}/subscribers`)
    await expect.poll(() => rows(viewer).count()).toBe(3)
    expect(await viewer.getByRole('main').textContent()).not.toMatch(/example\.com\/token|@example\.com/)
    expect(await viewer.getByRole('main').getByRole('button').count()).toBe(0)
  })

  it('are shown in pages', async () => {
    const { pg } = scene.backend.pool
    await pg.query(
      `insert into status_subscriber (organization, id, page_id, type, email, config, monitors, created_at)
      select organization, gen_random_uuid(), id, 'email', n || '@many.example.com', '{}', '{}', now() - n * interval '1 hour'
      from status_page, generate_series(1, 50) as n`,
    )
    const page = scene.open()
    await page.goto(`${scene.origin}/status-pages/${id}/subscribers`)
    await page.getByText('1–50 of 53').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await rows(page).getByText('50@many.example.com').waitFor()
    expect(await rows(page).count()).toBe(3)
    expect(new URL(page.url()).search).toBe('?page=2')
  })

  it('cause no fault of a script', () => expect(scene.complaints).toEqual([]))
})
