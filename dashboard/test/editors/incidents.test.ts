import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../../backend/test/incident.ts'
import { openScene, type Scene } from '../dom/scene.ts'
import { asOwner } from './editor.ts'

describe('the page of an incident', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  const make = (summary: string, own: object = {}) =>
    openTestIncident(scene.backend, scene.organization, { summary, atMs: scene.backend.clock.now() - 60_000, ...own })

  it('acknowledges, takes a comment, and resolves, each in the timeline', async () => {
    const page = scene.open()
    const id = await make(`Shop 0 is down`)
    const read = () => api.read(`/v1/incidents/${id}`)
    await page.goto(`${scene.origin}/incidents/${id}`)
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('Incident acknowledged. Repeat notifications stop.').waitFor()
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' })
    expect((await read()).status).toBe('acknowledged')
    const comment = page.getByLabel('Comment', { exact: true })
    const add = page.getByRole('button', { name: 'Add comment' })
    expect(await add.isDisabled()).toBe(true)
    await comment.fill('  Restarted the <b>shop</b>.\nWaiting.  ')
    await add.dblclick()
    await page.getByText('Restarted the <b>shop</b>.').waitFor()
    await expect.poll(() => comment.inputValue()).toBe('')
    const comments = (await read()).timeline.filter(({ type }: { type: string }) => type === 'comment')
    expect(comments).toMatchObject([{ message: 'Restarted the <b>shop</b>.\nWaiting.' }])
    await page.getByRole('button', { name: 'Resolve' }).click()
    const dialog = page.getByRole('dialog', { name: 'Resolve this incident?' })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect((await read()).status).toBe('acknowledged')
    await page.getByRole('button', { name: 'Resolve' }).click()
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('Incident resolved').first().waitFor()
    expect((await read()).timeline.map(({ type }: { type: string }) => type)).toEqual([
      'opened',
      'acknowledged',
      'comment',
      'resolved',
    ])
    expect(await page.getByRole('button', { name: 'Resolve' }).count()).toBe(0)
  })

  it('takes no more letters than a comment may have, and stores all of them', async () => {
    const page = scene.open()
    const id = await make('Long story')
    await page.goto(`${scene.origin}/incidents/${id}`)
    const comment = page.getByLabel('Comment', { exact: true })
    await comment.focus()
    await page.keyboard.insertText('a'.repeat(2_100))
    expect(await comment.inputValue()).toHaveLength(2_000)
    await page.getByRole('button', { name: 'Add comment' }).click()
    await expect.poll(() => comment.inputValue()).toBe('')
    expect((await api.read(`/v1/incidents/${id}`)).timeline.at(-1)).toMatchObject({ type: 'comment', message: 'a'.repeat(2_000) })
  })

  it('keeps a comment that could not be sent, says so, and reports that the incident was resolved meanwhile', async () => {
    const page = scene.open()
    const id = await make('Two at once')
    await page.goto(`${scene.origin}/incidents/${id}`)
    const comment = page.getByLabel('Comment', { exact: true })
    await comment.fill('On it')
    await page.route('**/comments', (route) => route.abort())
    await page.getByRole('button', { name: 'Add comment' }).tap()
    await page.getByText('Vedette is not reachable.').first().waitFor()
    expect(await comment.inputValue()).toBe('On it')
    await page.unroute('**/comments')
    // A double click acknowledges once.
    await page.getByRole('button', { name: 'Acknowledge' }).dblclick()
    await expect.poll(async () => (await api.read(`/v1/incidents/${id}`)).status).toBe('acknowledged')
    await page.getByText('Incident acknowledged').first().waitFor()
    const steps = (await api.read(`/v1/incidents/${id}`)).timeline.map(({ type }: { type: string }) => type)
    expect(steps).toEqual(['opened', 'acknowledged'])
    await scene.backend.call('POST', `/v1/incidents/${id}/resolve`, { as: scene.owner })
    await page.getByRole('button', { name: 'Resolve' }).tap()
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).tap()
    await expect.poll(() => page.getByText('Resolved').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Add comment' }).tap()
    await expect.poll(() => comment.inputValue()).toBe('')
    expect((await api.read(`/v1/incidents/${id}`)).timeline.at(-1).message).toBe('On it')
  })

  it('filters the list by severity, time and text, and opens an incident from it', async () => {
    const target = () => ({ target: { type: 'monitor', id: randomUUID(), name: 'Filtered' } }) as const
    await make('Disk is nearly full', { severity: 'warning', ...target() })
    await make('Certificate ends', { severity: 'info', ...target() })
    const page = scene.open()
    await page.goto(`${scene.origin}/incidents`)
    const shown = () => page.getByRole('main').locator('li a').allTextContents()
    await page.getByLabel('Severity').selectOption({ label: 'Warning' })
    await expect.poll(async () => (await shown()).join()).toContain('Disk is nearly full')
    await expect.poll(async () => (await shown()).join()).not.toContain('Certificate ends')
    await expect.poll(() => new URL(page.url()).search).toContain('severity=warning')
    await page.getByLabel('Severity').selectOption({ label: 'Any severity' })
    await page.getByLabel('Search incidents').fill('certificate')
    await expect.poll(async () => (await shown()).join()).toContain('Certificate ends')
    await expect.poll(async () => (await shown()).join()).not.toContain('Disk')
    await page.getByRole('link', { name: /Certificate ends/ }).click()
    await page.getByRole('heading', { name: 'Certificate ends' }).waitFor()
    await page.goBack()
    await expect.poll(() => page.getByLabel('Search incidents').inputValue()).toBe('certificate')
  })

  it('has no buttons for a viewer', async () => {
    const id = await make('Looked at')
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/incidents/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(await page.getByRole('button', { name: /Acknowledge|Resolve|Add comment/ }).count()).toBe(0)
  })

  it('says that an unknown incident may have been deleted', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/incidents/inc_00000000000000000000000000`)
    await expect
      .poll(() => page.getByText('It may have been deleted, or it belongs to another organization.').isVisible())
      .toBe(true)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
