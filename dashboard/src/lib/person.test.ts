import { expect, it } from 'vitest'
import { actorText, personText } from './person.ts'

it.each([
  [{ name: null, email: 'ada@example.com' }, 'ada@example.com'],
  [{ name: 'Ada', email: 'ada@example.com' }, 'Ada (ada@example.com)'],
  [{ name: 'Deploy key', email: null }, 'Deploy key'],
  [{ name: null, email: null }, undefined],
])('%j is shown as %s', (actor, text) => {
  expect(actorText(actor)).toBe(text)
})

it('shows the e-mail next to a name, which others may have as well', () => {
  expect(personText({ name: 'Grace', email: 'eve@example.com' })).toContain('eve@example.com')
})
