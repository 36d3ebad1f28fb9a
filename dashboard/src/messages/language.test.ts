import { describe, expect, it } from 'vitest'
import { languageOf } from './language.ts'

describe('the language of the page', () => {
  it.each([
    [['de-AT', 'en'], 'de'],
    [['fr-FR', 'DE', 'en'], 'de'],
    [['en-US', 'de'], 'en'],
    [['fr', 'constructor'], 'en'],
    [[], 'en'],
  ])('of a browser that prefers %j is %s', (preferred, language) => {
    expect(languageOf(preferred)).toBe(language)
  })
})
