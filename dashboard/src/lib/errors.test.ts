import { VedetteError, VedetteNetworkError } from '@vedette/client'
import { describe, expect, it } from 'vitest'
import { describeError, errorMessage, fieldErrors, InvalidInput } from './errors.ts'

const refused = (status: number, code: string, details: { path: string; message: string }[] = []) =>
  new VedetteError(status, { code, message: 'The API says why.', details, request_id: 'r-1' }, undefined)

describe('an error', () => {
  it.each([
    ['a lost connection', new VedetteNetworkError('down', false, undefined), /not reachable/, /./],
    ['an error of the page itself', new TypeError('x is undefined'), /./, /./],
    ['a broken server', refused(500, 'internal_error'), /The API says why\./, /./],
    ['too many requests', refused(429, 'rate_limited'), /The API says why\./, /Try again shortly/],
    ['an unknown code', refused(418, 'teapot'), /The API says why\./, /^$/],
  ])('that is %s has a title and advice', (_, error, title, advice) => {
    const text = describeError(error)
    expect(text.title).toMatch(title)
    expect(text.advice).toMatch(advice)
  })

  it('never shows the text of a fault of the page, which nobody but its authors can read', () =>
    expect(errorMessage(new TypeError('secret is undefined'))).not.toContain('secret'))

  it('of the API has the id of its request, for the log', () => {
    expect(describeError(refused(500, 'internal_error')).requestId).toBe('r-1')
    expect(describeError(new TypeError('x')).requestId).toBeUndefined()
  })

  it('is one line without the blank of an absent advice', () => {
    expect(errorMessage(refused(418, 'teapot'))).toBe('The API says why.')
    expect(errorMessage(refused(429, 'rate_limited'))).toBe('The API says why. Too many requests. Try again shortly.')
  })
})

describe('the faults of fields', () => {
  const details = [
    { path: 'name', message: 'Fill this in.' },
    { path: 'condition.value', message: 'Enter a number.' },
  ]
  const expected = { name: 'Fill this in.', 'condition.value': 'Enter a number.' }

  it('have the paths of the API, whether it found them or the page', () => {
    expect(fieldErrors(refused(400, 'validation_error', details))).toEqual(expected)
    expect(fieldErrors(new InvalidInput(details))).toEqual(expected)
  })

  it('are counted where the page found them', () => {
    expect(describeError(new InvalidInput(details)).title).toBe('2 fields need a change.')
    expect(describeError(new InvalidInput(details.slice(1))).title).toBe('One field needs a change.')
  })

  it('are none of other errors', () => {
    for (const error of [undefined, 'text', new Error('x'), new VedetteNetworkError('down', false, undefined)])
      expect(fieldErrors(error)).toEqual({})
  })
})
