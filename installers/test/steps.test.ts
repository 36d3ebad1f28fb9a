import { expect, test } from 'vitest'
import { createSteps } from '../build/steps.ts'

test('steps run in the order of the calls, at most `count` at once, and a failed step frees its slot', async () => {
  const printed: string[] = []
  const step = createSteps(2, (line) => printed.push(line.replace(/^ *\d+\.\d s {2}/, '')))
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) =>
    step(name, () => {
      begun.push(name)
      return new Promise<void>((resolve, reject) =>
        ends.set(name, () => (name === 'b' ? reject(new Error('broken')) : resolve())),
      )
    })
  const all = ['a', 'b', 'c', 'd'].map((name) => work(name).catch((error: Error) => error.message))
  await Promise.resolve()
  expect(begun).toEqual(['a', 'b'])
  ends.get('b')?.()
  expect(await all[1]).toBe('broken')
  expect(begun).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) ends.get(name)?.()
  await Promise.all([all[0], all[2]])
  ends.get('d')?.()
  await Promise.all(all)
  expect(printed).toEqual(['b', 'a', 'c', 'd'])
})
