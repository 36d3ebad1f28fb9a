import { expect, it } from 'vitest'
import { NO_DOCUMENTATION, toDocumentationInput, toRuleDocumentation, toTargetDocumentation } from './documentation.ts'
import { hasDocumentation } from './has-documentation.ts'

const NOTHING = { description: null, runbook_url: null, responsible: null, links: [] }
const ALL = {
  description: '- `a`\n',
  runbook_url: 'https://wiki.example.com',
  responsible: 'Team Shop',
  links: [{ name: 'Logs', url: 'https://logs.example.com' }],
}

it('what is stored comes back as it was', () => {
  expect(toTargetDocumentation(toDocumentationInput(ALL))).toEqual(ALL)
  expect(toTargetDocumentation(toDocumentationInput(NOTHING))).toEqual(NOTHING)
  expect(toTargetDocumentation(NO_DOCUMENTATION)).toEqual(NOTHING)
  const { description, runbook_url } = ALL
  expect(toRuleDocumentation(toDocumentationInput({ description, runbook_url }))).toEqual({ description, runbook_url })
})

it('blanks are nothing, and no part of an address', () => {
  const typed = { ...NO_DOCUMENTATION, description: ' \n', runbookUrl: ' https://a.example ', responsible: ' Ada ' }
  expect(toTargetDocumentation(typed)).toEqual({ ...NOTHING, runbook_url: 'https://a.example', responsible: 'Ada' })
})

it('is there with any of its parts', () => {
  expect(hasDocumentation(NOTHING)).toBe(false)
  for (const [name, value] of Object.entries(ALL)) expect(hasDocumentation({ ...NOTHING, [name]: value })).toBe(true)
})
