import pg from 'pg'
import { expect, it } from 'vitest'
import { toApiError } from '../../http/index.ts'
import { isLostConnection, isNodeAway } from '../index.ts'

const withCode = (code: string) => isLostConnection(Object.assign(new Error('refused'), { code }))

it.each(['53100', '53200', '53300', '58030', '57P03', '25006', '08006'])('SQLSTATE %s means: try again later', (code) => {
  expect(withCode(code)).toBe(true)
})

it.each(['53400', '23505', '42P01', '22001'])('SQLSTATE %s means: the statement itself fails', (code) => {
  expect(withCode(code)).toBe(false)
})

/** As the driver gives them; each was seen, or is in the text of citus 13. */
const byDatabase = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, 83, 'error'), { code, severity: 'ERROR' })
const PUSH_ERRORS: [code: string, message: string][] = [
  ['08006', 'connection to the remote node vedette@127.0.0.1:5433 failed with the following error: timeout expired'],
  ['08001', 'connection to the remote node vedette@127.0.0.1:5433 failed'],
  ['08003', 'connection not open'],
  ['08000', 'connection exception'],
  ['XX000', 'connection not open'],
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:5433'],
  ['XX000', 'could not establish any connections to the node 127.0.0.1:5433 after 4000 ms'],
  ['XX000', 'connection establishment for node 127.0.0.1:5433 failed'],
  ['XX000', 'could not connect to any active placements'],
  ['XX000', 'could not commit transaction for shard 102008 on at least one active node'],
  ['XX000', 'server closed the connection unexpectedly'],
  ['55000', 'cannot find a worker that has active placements for all shards in the query'],
  ['57P01', 'terminating connection due to administrator command'],
  ['57P02', 'terminating connection because of crash of another server process'],
  ['57P03', 'the database system is starting up'],
  ['53300', 'sorry, too many clients already'],
  ['57014', 'canceling statement due to statement timeout'],
  ['40P01', 'canceling the transaction since it was involved in a distributed deadlock'],
  ['40001', 'could not serialize access due to concurrent update'],
]

it.each(PUSH_ERRORS)('a request that the database ends by %s (%s) is a 503 that says when to try again', (code, message) => {
  const { status, retryAfterSeconds } = toApiError(byDatabase(code, message))
  expect([status, retryAfterSeconds]).toEqual([503, 2])
})

it.each(PUSH_ERRORS.filter(([code]) => /^(?:08|XX|55|57P)/.test(code)))('%s (%s) means that a node is away', (code, message) => {
  expect(isNodeAway(byDatabase(code, message))).toBe(true)
})

it.each([
  ['XX000', 'cache lookup failed for relation 16384'],
  ['22P02', 'invalid input syntax for type integer: "connection not open"'],
  ['55006', 'database "vedette" is being accessed by other users'],
])('%s (%s) stays a fault of ours', (code, message) => {
  expect([isNodeAway(byDatabase(code, message)), toApiError(byDatabase(code, message)).status]).toEqual([false, 500])
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
