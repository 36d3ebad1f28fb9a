import type pg from 'pg'
import { inject } from 'vitest'
import { SUPERUSER } from '../../src/platform/db/postgres/endpoint.ts'
import { yieldToEventLoop } from '../../src/platform/concurrency/yield-to-event-loop.ts'
import { startTestBackend } from '../harness.ts'

/** What a piece of work cost the database. */
export interface Counts {
  statements: number
  /** Rows that its statements gave to the backend. */
  rows: number
  /** Pages of 8 kB that were read, most of them more than once; those of planning are not in it. */
  buffers: number
  /** Bytes of the write-ahead log; those of the commit are not in it. */
  log: number
}

interface Explained {
  'Query Text': string
  Plan: { 'Actual Rows': number; 'Shared Hit Blocks': number; 'Shared Read Blocks': number; 'WAL Bytes'?: number }
}

/** Postgres sends the plan of each statement with what it did to the session that ran it. */
const EXPLAINING = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_buffers=on',
  'auto_explain.log_wal=on',
  'auto_explain.log_format=json',
  'client_min_messages=log',
]

/** A backend whose statements are counted. */
export async function startCountedBackend() {
  const owner = await startTestBackend()
  const url = new URL(owner.databaseUrl)
  url.username = SUPERUSER
  url.password = inject('superuserPassword') ?? ''
  url.searchParams.set('options', EXPLAINING.map((setting) => `-c ${setting}`).join(' '))
  const backend = await startTestBackend({ databaseUrl: url.href, clock: owner.clock })
  const explained: Explained[] = []
  const known = new WeakSet<object>()
  const listen = (client: pg.PoolClient) => {
    if (known.has(client)) return
    known.add(client)
    client.on('notice', ({ message = '' }) => {
      const [, plan] = message.split(' plan:\n')
      if (plan !== undefined) explained.push(JSON.parse(plan) as Explained)
    })
  }
  const pools = [backend.pool.pg, backend.pool.pushes as pg.Pool]
  for (const pool of pools) pool.on('acquire', listen)
  /** Until nothing is under way, that which was left running too. */
  const idle = async () => {
    do await yieldToEventLoop()
    while (pools.some((pool) => pool.idleCount < pool.totalCount))
  }
  return {
    backend,
    idle,
    /** The counts of what `work` did, and its statements for a message. */
    async count<T>(work: () => Promise<T>): Promise<{ counts: Counts; statements: string[]; answer: T }> {
      explained.length = 0
      const answer = await work()
      await idle()
      const sum = (of: (plan: Explained['Plan']) => number) => explained.reduce((total, { Plan }) => total + of(Plan), 0)
      return {
        answer,
        statements: explained.map(({ 'Query Text': text }) => text.replaceAll(/\s+/g, ' ').slice(0, 160)),
        counts: {
          statements: explained.length,
          rows: sum((plan) => plan['Actual Rows']),
          buffers: sum((plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']),
          log: sum((plan) => plan['WAL Bytes'] ?? 0),
        },
      }
    },
    close: async () => {
      await backend.close()
      await owner.close()
    },
  }
}

export type CountedBackend = Awaited<ReturnType<typeof startCountedBackend>>
