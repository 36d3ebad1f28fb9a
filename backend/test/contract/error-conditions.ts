import { startTestBackend, type TestBackend } from '../harness.ts'
import type { ContractFixture } from './fixture.ts'

/** Backends that refuse everybody, each for one reason. They know the credentials of the world. */
export interface ErrorConditions {
  /** One request a minute. */
  strict: TestBackend
  /** Its tables are gone. */
  broken: TestBackend
  /** Its database is away. */
  lost: TestBackend
  /** Has no patience for slow requests. Not behind the proxy, which has patience of its own. */
  hasty: TestBackend
  close(): Promise<void>
}

export async function createErrorConditions({ backend }: ContractFixture): Promise<ErrorConditions> {
  const { clock, databaseUrl } = backend
  // Where mail is set up; nothing listens there, and nothing is sent.
  const mailing = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' }
  const environment = { ...mailing, VEDETTE_RATE_LIMITS: 'auth=1,read=1,write=1,agent=1,probe=1,scrape=1' }
  const strict = await startTestBackend({ throughProxy: true, clock, databaseUrl, environment })
  const broken = await startTestBackend({ throughProxy: true, clock, environment: mailing })
  await breakDatabase(broken)
  // Statements that find the database away are tried again after a pause, which passes at once here.
  const hurried = { ...clock, sleep: () => Promise.resolve() }
  const lost = await startTestBackend({ throughProxy: true, clock: hurried, databaseUrl, environment: mailing })
  const away = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
  Object.assign(lost.pool.pg, { connect: away, query: away })
  const hasty = await startTestBackend({ throughProxy: false, clock, databaseUrl })
  Object.assign(hasty.vedette.app.server, { headersTimeout: 200, requestTimeout: 200 })
  const close = async () => {
    for (const one of [strict, broken, lost, hasty]) await one.close()
  }
  return { strict, broken, lost, hasty, close }
}

/** Puts all tables out of reach. */
async function breakDatabase({ pool, call }: TestBackend): Promise<void> {
  // Once ready, it does not ask again whether it is migrated.
  await call('GET', '/readyz')
  const tables = `select tablename as name from pg_tables where schemaname = 'public'`
  const { rows } = await pool.pg.query<{ name: string }>(tables)
  for (const { name } of rows) await pool.pg.query(`alter table "${name}" rename to "gone_${name}"`)
}
