import { expect, it } from 'vitest'
import { PATHS } from './routes.ts'
import { sharedBackend } from './shared-backend.ts'

it('the backend serves the page at the address of each route, so that a reload and a link find it', async () => {
  const { vedette } = await sharedBackend()
  // It knows the first part of an address, and whether more follows.
  const forms = new Set(PATHS.map((path) => path.replace(/^(\/[^/]+\/).*$/, '$1some-id').replace(/\/\{.*$/, '')))
  const missing: string[] = []
  for (const url of forms) {
    const { statusCode } = await vedette.app.inject({ url, headers: { accept: 'text/html' } })
    if (statusCode !== 200) missing.push(url)
  }
  expect(missing).toEqual([])
})
