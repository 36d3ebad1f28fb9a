import type { Page } from 'playwright-core'

interface Shown {
  name: string
  open: (page: Page, origin: string) => Promise<void>
}

const at = (path: string) => async (page: Page, origin: string) => {
  await page.goto(`${origin}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Every page that somebody can come to. */
export const PAGES: readonly Shown[] = [
  { name: 'overview', open: at('/') },
  { name: 'servers', open: at('/servers?sort=name') },
  {
    name: 'server',
    open: async (page, origin) => {
      await at('/servers?q=db-primary')(page, origin)
      await page.getByRole('link', { name: 'db-primary' }).click()
      await page.getByRole('button', { name: '24h' }).click()
      await page.locator('canvas').first().waitFor()
    },
  },
  {
    name: 'add-server',
    open: async (page, origin) => {
      await at('/servers/add')(page, origin)
      await page.getByRole('button', { name: 'Make a key' }).click()
      await page.getByText('Waiting for').waitFor()
    },
  },
  { name: 'monitors', open: at('/monitors?sort=name') },
  {
    name: 'monitor',
    open: async (page, origin) => {
      await at('/monitors?q=checkout')(page, origin)
      await page.getByRole('link', { name: 'Checkout API' }).click()
      await page.getByRole('button', { name: '1h', exact: true }).click()
      await page.locator('canvas').first().waitFor()
    },
  },
  {
    name: 'monitor-editor',
    open: async (page, origin) => {
      await at('/monitors?q=shop')(page, origin)
      await page.getByRole('link', { name: 'Shop' }).click()
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByText('First byte').waitFor()
    },
  },
  ...['profile', 'security', 'organization', 'members', 'keys', 'audit'].map((name) => ({
    name: `settings-${name}`,
    open: at(`/settings/${name}`),
  })),
]
