import pg from 'pg'

/**
 * SQLSTATE codes after which the same statement may succeed later: the connection was lost, the server stops, starts or only
 * reads (08, 57P01–03, 25006), has no connections, disk or memory left (53), or an I/O error (58030); or the session was ended
 * because its client was silent in a transaction (25P03).
 */
const LOST_SQLSTATE = /^(08...|57P0[1-3]|25006|25P03|53[0-3]00|58030)$/
const LOST_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const FILE_CALLS = new Set<string | undefined>(['open', 'stat', 'lstat', 'scandir', 'access', 'unlink', 'rename', 'mkdir'])
/** Texts of the driver's own errors, which carry no code. */
const LOST_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Connection ended/

/** Whether the database is unreachable (stopped, starting, failing over); false for a wrong statement. */
export function isLostConnection(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isLostConnection)
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && LOST_SQLSTATE.test(code)) return true
  // A session that cannot start or go on: with a full disk the server may fail to write a cache file of its own.
  if (code === 'XX000' && (error as { severity?: unknown }).severity === 'FATAL') return true
  if (isNodeLost(error)) return true
  // A missing file has the code of a missing socket.
  if (code !== undefined && LOST_SYSTEM_CODES.has(code) && !FILE_CALLS.has(syscall)) return true
  return LOST_MESSAGES.test(error.message)
}

/** What citus reports as an internal error, or without a code of its own, while a node goes or returns. */
const NODE_MESSAGES = new RegExp(
  [
    'failure on connection marked as essential',
    'could not establish (?:any connections to the node|connection after)',
    'connection to the remote node',
    'connection establishment for node .* failed',
    'could not connect to (?:any active placements|node|shard)',
    'could not commit transaction for shard .* active node',
    'cannot find a worker that has active placements',
    'server closed the connection unexpectedly',
    'terminating connection due to administrator command',
    'the database system is (?:starting up|shutting down|in recovery mode|not yet accepting connections)',
    '^connection not open',
  ].join('|'),
)

/** Only what has no better code: a message may quote what a client sent. */
const isNodeLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(?:XX|55|58)/.test(error.code ?? '') && NODE_MESSAGES.test(error.message)

/**
 * Whether a server reports that it cannot reach another one: a citus node is unreachable. A single PostgreSQL never reports this.
 */
export function isNodeAway(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return (
    /^08(?!P)/.test(error.code ?? '') || isNodeLost(error) || (error.code?.startsWith('57P0') === true && !endsSession(error))
  )
}

/** Whether the session is gone with the statement. A server that only reports a lost node goes on. */
export const endsSession = (error: unknown): boolean =>
  isLostConnection(error) && !(error instanceof pg.DatabaseError && error.severity === 'ERROR')

/** Whether the session only reads (SQLSTATE 25006): that of a standby, or one whose default is so. */
export const isReadOnly = (error: unknown): boolean => (error as { code?: unknown }).code === '25006'

/** Whether the server cancelled the statement, at its time limit for instance (SQLSTATE 57014). */
export const isCanceled = (error: unknown): boolean => (error as { code?: unknown }).code === '57014'

/** Whether the error is a unique violation of this constraint, or of any (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && (constraint === undefined || violated === constraint)
}

/** Whether the row that another one leads to is gone (SQLSTATE 23503): deleted by a request that ran at the same time. */
export function isForeignKeyViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23503'
}

/** Whether the transaction was rolled back in favour of another one (SQLSTATE 40001, 40P01) and may be done again. */
export function isRolledBack(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === '40001' || code === '40P01'
}

/** Whether the table has no partition for the row (SQLSTATE 23514 without a constraint's name). */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23514' && constraint === undefined
}
