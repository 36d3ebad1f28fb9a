import type { Page } from 'playwright-core'

interface ScreenshotPage {
  name: string
  open: (page: Page, origin: string) => Promise<void>
}

/** Of a page that needs no steps. */
export const at = (path: string) => async (page: Page, origin: string) => {
  await page.goto(`${origin}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** All pages. */
export const PAGES: readonly ScreenshotPage[] = [
  {
    name: 'overview',
    open: async (page, origin) => {
      await at('/')(page, origin)
      // The steps of a new installation stand above what it is about.
      await page.getByRole('button', { name: 'Hide' }).click()
      await page.getByLabel('Messages').getByRole('button', { name: 'Close' }).click()
    },
  },
  { name: 'wall', open: at('/wall') },
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
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('Waiting for').waitFor()
    },
  },
  { name: 'monitors', open: at('/monitors?sort=name') },
  {
    name: 'monitor',
    open: async (page, origin) => {
      await at('/monitors?q=checkout')(page, origin)
      await page.getByRole('link', { name: 'Checkout API' }).click()
      await page.getByRole('button', { name: '24h', exact: true }).click()
      await page.locator('canvas').first().waitFor()
    },
  },
  {
    name: 'monitor-down',
    open: async (page, origin) => {
      await at('/monitors?q=legacy')(page, origin)
      await page.getByRole('link', { name: 'Legacy export' }).click()
      await page.locator('canvas').first().waitFor()
    },
  },
  {
    name: 'server-waiting',
    open: async (page, origin) => {
      await at('/servers?q=edge-7')(page, origin)
      await page.getByRole('link', { name: 'edge-7' }).click()
      await page.getByText('Waiting').first().waitFor()
    },
  },
  {
    name: 'monitor-editor',
    open: async (page, origin) => {
      await at('/monitors?q=shop')(page, origin)
      await page.getByRole('link', { name: 'Shop', exact: true }).click()
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByText('First byte').waitFor()
    },
  },
  {
    name: 'explore',
    open: async (page, origin) => {
      await at(`/explore?${String(new URLSearchParams({ query: 'vedette_cpu_percent', range: '24h' }))}`)(page, origin)
      await page.locator('canvas').first().waitFor()
    },
  },
  { name: 'explore-examples', open: at('/explore') },
  { name: 'add-monitor', open: at('/monitors/add') },
  { name: 'incidents', open: at('/incidents') },
  {
    name: 'incident',
    open: async (page, origin) => {
      await at('/incidents')(page, origin)
      await page.getByRole('link', { name: /Legacy export/ }).click()
      await page.getByText('Latest check per region').waitFor()
    },
  },
  ...['rules', 'channels', 'maintenance'].map((name) => ({ name: `alerts-${name}`, open: at(`/alerts/${name}`) })),
  {
    name: 'rule-editor',
    open: async (page, origin) => {
      await at('/alerts/rules')(page, origin)
      await page.getByRole('link', { name: 'Databases are busy' }).click()
      await page.getByRole('button', { name: 'Run preview' }).click()
      await page.getByText(/in 7 days/).waitFor()
    },
  },
  {
    name: 'channel-editor',
    open: async (page, origin) => {
      await at('/alerts/channels')(page, origin)
      await page.getByRole('link', { name: 'On call' }).click()
      await page.getByLabel('URL').waitFor()
    },
  },
  {
    name: 'window-editor',
    open: async (page, origin) => {
      await at('/alerts/maintenance')(page, origin)
      await page.getByRole('link', { name: 'Sunday updates' }).click()
      await page.getByLabel('Starts').waitFor()
    },
  },
  ...['profile', 'security', 'organization', 'members', 'keys', 'audit'].map((name) => ({
    name: `settings-${name}`,
    open: at(`/settings/${name}`),
  })),
]
