import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Route } from './requests.ts'
import { openScene, type Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene?.close())

it('a page that was left gets no answer any more, and the next one gets its own', async () => {
  const page = scene.open()
  await page.goto('/settings')
  let held: Route | undefined
  await page.route('**/v1/me?late', (route) => (held = route), { times: 1 })
  const answers: string[] = []
  const request = (name: string) => fetch(`/v1/me?${name}`).then(() => answers.push(name))
  void request('late')
  await expect.poll(() => held).toBeDefined()
  await page.goto('/settings')
  await held?.continue()
  await setImmediate()
  await request('next')
  expect(answers).toEqual(['next'])
})
