import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { actorText, personIn, personText } from './person.ts'

it.each([
  [{ name: null, email: 'ada@example.com' }, 'ada@example.com'],
  [{ name: 'Ada', email: 'ada@example.com' }, 'Ada (ada@example.com)'],
  [{ name: 'Deploy key', email: null }, 'Deploy key'],
  [{ name: null, email: null }, undefined],
])('%j is shown as %s', (actor, text) => {
  expect(actorText(actor)).toBe(text)
})

it.each([
  [{ user_id: 'usr_1', name: 'Ada', email: 'ada@example.com' }, 'Ada (ada@example.com)'],
  [{ email: 'eve@example.com', role: 'viewer' }, 'eve@example.com'],
  [{ user_id: 'usr_1' }, ''],
  ['Ada', ''],
  [undefined, ''],
])('%j in an event is shown as "%s"', (data, text) => expect(personIn(data)).toBe(text))

it('shows the e-mail next to a name, which others may have as well', () => {
  expect(personText({ name: 'Grace', email: 'eve@example.com' })).toContain('eve@example.com')
})

const SOURCE = join(import.meta.dirname, '..')
/** Where the e-mail itself is meant: of an account, of an invitation that has no account yet, of a subscriber, and next to a name. */
const MEANT =
  /^(?:lib\/person\.ts|features\/(?:account\/(?:email|profile)|sign-in\/[\w-]+|members\/(?:members|invitations)|status-pages\/subscribers)\.tsx?|app\/(?:app|shell)\.tsx)$/

it('no page reads the e-mail of a person but where it is meant: personText has the name too', () => {
  const readers = globSync('**/*.{ts,tsx}', { cwd: SOURCE }).filter((path) => {
    if (path.endsWith('.test.ts') || path.startsWith('messages/')) return false
    const code = readFileSync(join(SOURCE, path), 'utf8').replaceAll(/\btext\.email\b/g, '')
    return /\w\.email\b|[{,]\s*email\s*[,}].*(?:=>|= )/.test(code)
  })
  expect(readers.filter((path) => !MEANT.test(path))).toEqual([])
})
