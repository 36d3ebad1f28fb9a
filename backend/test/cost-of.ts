import type { Db } from '../src/platform/db/index.ts'

/** How many statements a read needs, how long it takes, and its answer; it is read once before. */
export async function costOf<T>(own: Db, read: (db: Db) => Promise<T>): Promise<{ statements: number; ms: number; answer: T }> {
  let statements = 0
  const db: Db = own.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1
      return result
    },
  })
  await read(own)
  const start = performance.now()
  const answer = await read(db)
  return { statements, ms: performance.now() - start, answer }
}
