/** Why the embedded Postgres cannot run here. The message is for the operator: it names the place and the cure. */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError'
}

/** Code of a failed system call (`ENOENT`), undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
