import {
  type Answer,
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOptions,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { recountWeek } from '../../checks/index.ts'
import { ensureRegion } from '../../regions/index.ts'
import { parseId } from '../../../platform/ids.ts'

export const UNKNOWN = 'mon_01h455vb4pex5vsknk084sn02q'

/** One check as it stands in the table; what is left out is that of a check that was up. */
export interface KeptCheck {
  at: number
  region?: string
  outcome?: 0 | 1 | 2 | 3
  responseUs?: number | null
  error?: { code: string; message: string }
}

/** A backend with an organization whose monitors are asked about. */
export interface Scene {
  backend: TestBackend
  organization: TestOrganization
  /** May do everything. */
  admin: Credentials & { userId: string }
  viewer: Credentials & { userId: string }
  call(method: string, path: string, body?: unknown, as?: Credentials): Promise<Answer>
  /** Makes a monitor and gives its details. */
  make(body?: object, as?: Credentials): Promise<Answer['body']>
  /** The surrogate of a monitor. */
  numberOf(id: string): Promise<number>
  /** Rows of the schedule, by region. */
  scheduleOf(id: string): Promise<Record<string, Record<string, unknown>>>
  keep(id: string, ...checks: KeptCheck[]): Promise<void>
}

export async function startScene(options: TestOptions = {}): Promise<Scene> {
  const backend = await startTestBackend(options)
  const { pool, clock } = backend
  for (const id of ['eu-1', 'us-1']) await ensureRegion(pool.db, { id, name: id }, new Date(clock.now()))
  const organization = await backend.organization()
  const admin = await backend.member(organization, 'admin')
  const viewer = await backend.member(organization, 'viewer')
  const call: Scene['call'] = (method, path, body, as = admin) => backend.call(method, `/v1/monitors${path}`, { as, body })

  const regionNumbers = async () =>
    new Map((await pool.db.selectFrom('region').select(['id', 'number']).execute()).map(({ id, number }) => [id, number]))

  const numberOf = async (id: string) => {
    const uuid = parseId('monitor', id) as string
    return (await pool.db.selectFrom('monitor').select('number').where('id', '=', uuid).executeTakeFirstOrThrow()).number
  }

  return {
    backend,
    organization,
    admin,
    viewer,
    call,
    numberOf,
    make: async (body = {}, as = admin) => {
      const answer = await call('POST', '', { name: 'site', url: 'https://example.com/', ...body }, as)
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    scheduleOf: async (id) => {
      const rows = await pool.db
        .selectFrom('check_schedule')
        .innerJoin('region', 'region.number', 'check_schedule.region')
        .selectAll('check_schedule')
        .select('region.id as region_id')
        .where('monitor', '=', await numberOf(id))
        .execute()
      return Object.fromEntries(rows.map((row) => [row.region_id, row]))
    },
    keep: async (id, ...checks) => {
      const numbers = await regionNumbers()
      const monitor = await numberOf(id)
      const { organization: number } = await pool.db
        .selectFrom('monitor')
        .select('organization')
        .where('number', '=', monitor)
        .executeTakeFirstOrThrow()
      const rows = checks.map(({ at, region = 'local', outcome = 0, responseUs = 12_345, error }) => ({
        organization: number,
        monitor,
        region: numbers.get(region) as number,
        at,
        day: new Date(at).toISOString().slice(0, 10),
        outcome,
        status_code: responseUs === null ? null : 200,
        response_us: responseUs,
        dns_us: responseUs === null ? null : 1_000,
        connect_us: null,
        tls_us: null,
        first_byte_us: null,
        transfer_us: null,
        error_code: error?.code ?? null,
        error_message: error?.message ?? null,
        address: '192.0.2.80',
      }))
      await pool.db.insertInto('check_result').values(rows).execute()
      await recountWeek(pool.db, number, [monitor], clock.now())
    },
  }
}
