import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Brought, watch } from '../../backend/test/watched-monitor.ts'
import { openScene, type Scene } from './dom/scene.ts'
import { asOwner } from './editors/editor.ts'

/** A page of more than the 1 KiB of the evidence, with markup at its end. */
const WHOLE = `${'<p>Gateway</p>\n'.repeat(200)}<script>globalThis.isRun = true</script> the end`
const ANSWER = { status_line: 'HTTP/1.1 503 Unavailable', body: WHOLE.slice(0, 1_024) }

describe('the page of an incident whose target answered more than its evidence has', () => {
  let scene: Scene
  const openIncidentOf = async (answer: NonNullable<Brought['answer']>) => {
    const { goes } = await watch(scene.backend, scene.owner, { options: { max_body_bytes: 65_536 } })
    await goes('down', { answer })
    await scene.backend.jobs.evaluateSignals()
    const { body } = await scene.backend.call('GET', '/v1/incidents?limit=1', { as: scene.owner })
    const page = scene.open()
    await page.goto(`${scene.origin}/incidents/${body.incidents[0].id}`)
    await page.getByText('HTTP/1.1 503 Unavailable').waitFor()
    return page
  }
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    await asOwner(scene).make('/v1/alert-rules', { name: 'Down', target: { type: 'monitor' }, condition })
  })
  afterAll(() => scene?.close())

  it('shows what was kept of the response, as text, when it is wanted', async () => {
    const page = await openIncidentOf({ ...ANSWER, whole: WHOLE })
    expect(await page.locator('pre').first().textContent()).toBe(ANSWER.body)
    await page.getByRole('button', { name: 'Show the whole response' }).click()
    await page.getByText('3.0 kB of the response, as it was kept.').waitFor()
    expect(await page.locator('pre').first().textContent()).toBe(WHOLE)
    expect(await page.locator('pre script').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Show the whole response' }).count()).toBe(0)
  })

  it('says that nothing more is kept, and offers nothing where the evidence has all', async () => {
    const page = await openIncidentOf(ANSWER)
    await page.getByRole('button', { name: 'Show the whole response' }).click()
    await page.getByText(/^The whole response is not kept/).waitFor()
    expect(await page.locator('pre').first().textContent()).toBe(ANSWER.body)
    const short = await openIncidentOf({ ...ANSWER, body: 'Gateway' })
    expect(await short.locator('pre').first().textContent()).toBe('Gateway')
    expect(await short.getByRole('button', { name: 'Show the whole response' }).count()).toBe(0)
  })
})
