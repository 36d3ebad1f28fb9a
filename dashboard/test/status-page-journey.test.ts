import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '@vedette/client'
import { startTestSmtp, type TestSmtp } from '../../backend/test/smtp.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { type BreakableTarget, startTarget } from './breakable-target.ts'
import { openBrowser, type TestBrowser } from './browser.ts'
import { TARGET_HOST } from './monitoring-tests.ts'
import { type RunningVedette, startVedette } from './running-vedette.ts'

const OWNER = { email: 'ada@example.com', password: 'correct horse battery staple' }
const [READER, OTHER, KEEPER] = ['grace@example.com', 'edsger@example.com', 'barbara@example.com']

describe.skipIf(isMissing('chromium'))('a status page', () => {
  let smtp: TestSmtp
  let target: BreakableTarget
  let vedette: RunningVedette
  let browser: TestBrowser
  let origin: string
  beforeAll(async () => {
    smtp = await startTestSmtp()
    target = await startTarget(TARGET_HOST)
    vedette = await startVedette({
      VEDETTE_SMTP_URL: smtp.url,
      VEDETTE_ALLOW_PRIVATE_TARGETS: `${TARGET_HOST}/32`,
      VEDETTE_LOCAL_AGENT: 'off',
    })
    const { origin: own, searchParams } = new URL(vedette.readyUrl)
    origin = own
    const code = searchParams.get('code') ?? ''
    const { token } = await createClient({ baseUrl: origin }).setup.complete({ ...OWNER, code, organization: 'Acme' })
    const client = createClient({ baseUrl: origin, token })
    target.setBroken(true)
    await client.monitors.create({ name: 'shop-eu-1', url: target.url, interval: 10, confirmations: 1 })
    await client.monitors.create({ name: 'mail-eu-1', url: target.url, interval: 10, confirmations: 1 })
    browser = await openBrowser({ reducedMotion: 'reduce' })
    await browser.viewers[0].context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(token)})`)
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), vedette?.stop(), smtp?.close(), target?.close()])
  })

  /** The newest mail to an address, once there are so many. */
  async function mailTo(address: string, count: number) {
    const all = () => smtp.mails.filter(({ to }) => to.includes(address))
    await expect.poll(() => all().length).toBe(count)
    const { text, raw } = all()[count - 1] as (typeof smtp.mails)[number]
    return { text, header: raw.replaceAll(/\r\n\s+/g, ' '), link: /https?:\/\/\S+\/subscriptions\/\S+/.exec(text)?.[0] ?? '' }
  }

  async function subscribe(page: Page, address: string): Promise<void> {
    await page.getByText('Subscribe', { exact: true }).click()
    await page.getByRole('link', { name: 'Notifications' }).click()
    await page.getByLabel('E-mail address').fill(address)
    await page.getByLabel('E-mail address').press('Enter')
    await page.getByText('We have sent you an e-mail.').waitFor()
    const { link } = await mailTo(address, 1)
    expect([link, (await page.goto(link))?.status()]).toEqual([link, 200])
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Your subscription' }).waitFor()
  }

  /** Past the half minute after which the script of a page reads it again. */
  const later = (page: Page) => page.clock.fastForward(30_000)
  const sees = (page: Page, text: string) =>
    expect
      .poll(
        async () => {
          await later(page)
          return page.locator('body').innerText()
        },
        { interval: 500 },
      )
      .toContain(text)

  it('is made, published, subscribed to, and announces an incident until it is resolved', { timeout: 120_000 }, async () => {
    const [{ page: member }, { page: visitor, context }] = browser.viewers
    await member.goto(`${origin}/status-pages/add`)
    await member.getByLabel('Name', { exact: true }).fill('Acme')
    await member.getByLabel('Heading of section 1').fill('Services')
    for (const [name, publicName] of [
      ['shop-eu-1', 'Web shop'],
      ['mail-eu-1', 'E-mail'],
    ] as const) {
      await member.getByLabel('Search monitors').fill(name)
      await member.getByRole('button', { name, exact: true }).click()
      await member.getByLabel(`Public name of ${name}`).fill(publicName)
    }
    await member.getByRole('button', { name: 'Create status page' }).click()
    await member.frameLocator('iframe[title="Preview"]').getByText('Web shop').waitFor()
    expect((await context.request.get(`${origin}/status/acme`)).status()).toBe(404)
    await member.getByRole('button', { name: 'Publish' }).click()
    await member.getByText('Visitors can see the page.').waitFor()
    await visitor.clock.install()
    await expect.poll(async () => (await visitor.goto(`${origin}/status/acme`))?.status()).toBe(200)

    await subscribe(visitor, READER)
    await visitor.getByLabel('Web shop').check()
    await visitor.getByRole('button', { name: 'Save' }).click()
    await visitor.getByText('Saved.').waitFor()
    await visitor.getByRole('link', { name: 'Current status' }).click()
    for (const address of [OTHER, KEEPER]) {
      await subscribe(visitor, address)
      await visitor.getByRole('link', { name: 'Current status' }).click()
    }
    await visitor.getByText('No incidents in the last 7 days.').waitFor()

    await member.goto(`${origin}/incidents`)
    await member.getByRole('link', { name: /^shop-eu-1 is down/ }).click()
    await member.getByRole('link', { name: 'Announce' }).click()
    await expect.poll(() => member.getByLabel('Title of the post').inputValue()).toContain('Web shop')
    await member.getByLabel('Title of the post').fill('The shop is down')
    await member.getByRole('button', { name: 'Publish post' }).click()
    await member.getByRole('heading', { level: 1, name: 'The shop is down' }).waitFor()
    const announced = await mailTo(READER, 2)
    expect(announced.header).toContain('Subject: [Acme] The shop is down: Investigating')
    expect(announced.text).toContain('Affects: Web shop')
    expect(announced.text + announced.header).not.toContain('eu-1')
    await visitor.evaluate('document.documentElement.dataset.sameDocument = "yes"')
    await sees(visitor, 'The shop is down')
    expect(await visitor.evaluate('document.documentElement.dataset.sameDocument')).toBe('yes')

    await member.getByLabel('Status of the post').selectOption('Resolved')
    await member.getByLabel('Text of the update').fill('All works again.')
    await member.getByRole('button', { name: 'Resolve' }).click()
    expect((await mailTo(READER, 3)).header).toContain('Subject: [Acme] The shop is down: Resolved')
    const resolved = await mailTo(OTHER, 3)
    await sees(visitor, 'All works again.')
    await visitor.getByRole('link', { name: 'History' }).click()
    await visitor.getByRole('heading', { name: 'The shop is down' }).waitFor()

    await visitor.goto(resolved.link)
    await visitor.getByRole('button', { name: 'Unsubscribe' }).click()
    await visitor.getByText('You are unsubscribed.').waitFor()
    const oneClick = /List-Unsubscribe: <([^>]+)>/.exec(announced.header)?.[1] ?? ''
    expect(announced.header).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect((await context.request.post(oneClick, { form: { 'List-Unsubscribe': 'One-Click' } })).status()).toBe(200)

    await member.getByRole('link', { name: 'Acme', exact: true }).first().click()
    await member.getByRole('link', { name: 'Create post' }).click()
    await member.getByLabel('Title of the post').fill('It is down again')
    await member.getByLabel('Text', { exact: true }).fill('We look.')
    await member.getByRole('button', { name: 'Publish post' }).click()
    await mailTo(KEEPER, 4)
    // The mails of an earlier step have left before those of the next one.
    await member.getByLabel('Text of the update').fill('We still look.')
    await member.getByRole('button', { name: 'Add update' }).click()
    await mailTo(KEEPER, 5)
    await mailTo(READER, 3)
    await mailTo(OTHER, 3)
    expect(browser.complaints).toEqual([])
  })
})
