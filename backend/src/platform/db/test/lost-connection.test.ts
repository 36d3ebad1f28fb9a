import pg from 'pg'
import { expect, it } from 'vitest'
import { isLostConnection } from '../index.ts'

const withCode = (code: string) => isLostConnection(Object.assign(new Error('refused'), { code }))

it.each(['53100', '53200', '53300', '58030', '57P03', '25006', '08006'])('SQLSTATE %s means: try again later', (code) => {
  expect(withCode(code)).toBe(true)
})

it.each(['53400', '23505', '42P01', '22001'])('SQLSTATE %s means: the statement itself fails', (code) => {
  expect(withCode(code)).toBe(false)
})

it('a missing file is no lost database, a missing socket is', () => {
  const missing = (syscall: string) => isLostConnection(Object.assign(new Error('missing'), { code: 'ENOENT', syscall }))
  expect([missing('open'), missing('stat'), missing('connect')]).toEqual([false, false, true])
})

it.each([
  ['FATAL', true],
  ['ERROR', false],
])('an internal error (XX000) of severity %s means that the session ended: %s', (severity, isLost) => {
  const error = Object.assign(new pg.DatabaseError('could not write init file', 83, 'error'), { code: 'XX000', severity })
  expect(isLostConnection(error)).toBe(isLost)
})
