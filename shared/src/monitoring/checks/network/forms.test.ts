import { expect, test } from 'vitest'
import { NETWORK_FORMS } from './forms.ts'
import { NETWORK_OPTIONS } from './options.ts'

test('the forms of the page are those of the table', () => {
  const forms = Object.entries(NETWORK_OPTIONS).flatMap(([name, { form }]) =>
    form === 'list' || form === 'number' ? [[name, form]] : [],
  )
  expect(NETWORK_FORMS).toEqual(Object.fromEntries(forms))
})
